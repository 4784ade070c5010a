// This file refuses problems that take more memory than there is.

package robots

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// fitMemory refuses a solve that takes more memory than there is under ctx.
func fitMemory(ctx context.Context, m ui.Method, p robots.Parameters, sufficient bool) error {
	sweeps := m.Name == ui.MethodValue || m.Name == ui.MethodPaper
	flag, number, least := "robots", p.Robots, 1
	of := func(n int) robots.Parameters {
		q := p
		q.Robots = n
		return q
	}
	switch {
	case p.Classes != nil:
		flag, number, least = "buffer", p.Buffer, 2
		of = func(n int) robots.Parameters {
			q := p
			q.Buffer = n
			return q
		}
	case sufficient: // the search begins with twice as many robots as keep the server busy, and K
		flag, number, least = "buffer", p.Buffer, 2
		of = func(n int) robots.Parameters {
			q := p
			q.Buffer, q.Robots = n, int(min(2*p.ServiceRate/p.ArrivalRate+float64(n), math.MaxInt32))
			return q
		}
	}
	instead := ""
	if !sweeps && of(number).SolveBytes(true) <= ui.Memory(ctx) {
		instead = "--method " + ui.MethodValue
	}
	return ui.FitMemory(ctx, flag, number, least, func(n int) float64 { return of(n).SolveBytes(sweeps) }, instead)
}
