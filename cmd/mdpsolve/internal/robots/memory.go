// This file refuses problems that need more memory than is available.

package robots

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// fitMemory refuses a process that has more states than its model can have, or whose solve needs
// more memory than ctx allows.
func fitMemory(ctx context.Context, m ui.Method, p robots.Parameters, sufficient bool) error {
	method := engineMethod(m)
	flag, number, least := "robots", p.Robots, 1
	change := func(q *robots.Parameters, n int) { q.Robots = n }
	switch {
	case p.Classes != nil:
		flag, number, least = "buffer", p.Buffer, 2
		change = func(q *robots.Parameters, n int) { q.Buffer = n }
	case sufficient: // the search begins with 2μ/λ + K robots
		robotsFor := func(buffer int) float64 { return 2*p.ServiceRate/p.ArrivalRate + float64(buffer) }
		if robotsFor(p.Buffer) > math.MaxInt32 {
			return nil // the search reports it
		}
		flag, number, least = "buffer", p.Buffer, 2
		change = func(q *robots.Parameters, n int) {
			q.Buffer, q.Robots = n, int(min(robotsFor(n), math.MaxInt32))
		}
	}
	forecast := func(n int, method mdp.Method) (float64, error) {
		q := p
		change(&q, n)
		return q.SolveBytes(method)
	}
	switch _, err := forecast(number, method); {
	case err != nil && sufficient:
		return nil // the search reports it
	case err != nil:
		return refusal(m, p, err)
	}
	instead := ""
	if bytes, _ := forecast(number, mdp.RelativeValueIteration); method != mdp.RelativeValueIteration && bytes <= ui.Memory(ctx) {
		instead = "--method " + ui.MethodValue
	}
	return ui.FitMemory(ctx, flag, number, least, func(n int) float64 {
		bytes, err := forecast(n, method)
		if err != nil {
			return math.Inf(1)
		}
		return bytes
	}, instead)
}

// engineMethod returns the engine's method that needs as much memory as m.
func engineMethod(m ui.Method) mdp.Method {
	if m.Name == ui.MethodPaper { // which sweeps, too
		return mdp.RelativeValueIteration
	}
	return m.Settings.Method
}
