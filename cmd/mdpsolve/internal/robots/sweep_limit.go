// This file holds sweeps over a limit on losses or on starvation.

package robots

import (
	"math"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// limitAxis is a limit that may vary.
type limitAxis struct {
	of        func(value float64) robots.Limit
	greatest  float64 // value allowed
	least     string  // title
	measure   string  // label of the measure minimised
	minimised func(*robots.StaticMix) float64
}

var (
	leastStarvation = limitAxis{
		func(value float64) robots.Limit { return robots.Limit{LossRate: value} }, math.Inf(1),
		"Least starvation within a limit on losses", "S, share of time with an empty queue",
		func(mix *robots.StaticMix) float64 { return mix.Starvation },
	}
	leastLosses = limitAxis{
		func(value float64) robots.Limit { return robots.Limit{Starvation: value} }, 1,
		"Least losses within a limit on starvation", "L, pages lost per unit of time",
		func(mix *robots.StaticMix) float64 { return mix.LossRate },
	}
)

// noWeight sets the weight of starvation, which is ignored, to a valid number.
func noWeight(p *robots.Parameters, _ float64) { p.StarvationWeight = 1 }

// check refuses flags of a sweep that cannot be combined with a limit.
func (x *limitAxis) check(a *ui.Arguments, s sweep) {
	words := "--over " + s.axis.flag
	refuseBeside(a, words, besideLimit...)
	if s.sufficient {
		a.Fault("robots", "%s is not valid with %s: %s", ui.Automatic, words, useNumber)
	}
	if last := s.values[len(s.values)-1]; last > x.greatest {
		a.Fault("to", "%s is not valid: use a share of time up to %s", ui.ExactText(last), ui.ExactText(x.greatest))
	}
}
