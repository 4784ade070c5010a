// This file refuses problems that take more memory than there is.

package robots

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// fitMemory refuses a solve that is too large: for the model, or for the memory that
// there is under ctx.
func fitMemory(ctx context.Context, m ui.Method, p robots.Parameters, sufficient bool) error {
	sweeps := sweepsOnly(m)
	flag, number, least := "robots", p.Robots, 1
	change := func(q *robots.Parameters, n int) { q.Robots = n }
	switch {
	case p.Classes != nil:
		flag, number, least = "buffer", p.Buffer, 2
		change = func(q *robots.Parameters, n int) { q.Buffer = n }
	case sufficient: // the search begins with twice as many robots as keep the server busy, and K
		robotsFor := func(buffer int) float64 { return 2*p.ServiceRate/p.ArrivalRate + float64(buffer) }
		if robotsFor(p.Buffer) > math.MaxInt32 {
			return nil // the search words it
		}
		flag, number, least = "buffer", p.Buffer, 2
		change = func(q *robots.Parameters, n int) {
			q.Buffer, q.Robots = n, int(min(robotsFor(n), math.MaxInt32))
		}
	}
	forecast := func(n int, sweeps bool) (float64, error) {
		q := p
		change(&q, n)
		return q.SolveBytes(sweeps)
	}
	switch _, err := forecast(number, sweeps); {
	case err != nil && sufficient:
		return nil // the search words it
	case err != nil:
		return refusal(m, p, err)
	}
	instead := ""
	if bytes, _ := forecast(number, true); !sweeps && bytes <= ui.Memory(ctx) {
		instead = "--method " + ui.MethodValue
	}
	return ui.FitMemory(ctx, flag, number, least, func(n int) float64 {
		bytes, err := forecast(n, sweeps)
		if err != nil {
			return math.Inf(1)
		}
		return bytes
	}, instead)
}

// sweepsOnly reports whether a method is known to make nothing but sweeps.
func sweepsOnly(m ui.Method) bool { return m.Name == ui.MethodValue || m.Name == ui.MethodPaper }
