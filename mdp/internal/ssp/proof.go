package ssp

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Margins are tried in this order, as multiples of the errors that they are to
// outweigh.
var marginFactors = []float64{2, 32, 1024}

// prove solves for the values of a bound until they satisfy the inequalities of
// [paths] in spite of rounding: for costs that are lower (higher) by a margin
// that is larger than what rounding does to a row. The values differ by what the
// margins sum up to.
func (c *component) prove(v vector.Vector, proved func() bool, direction float64, solve func(margins []float64) error) error {
	var unit []float64
	for i, factor := range append([]float64{0}, marginFactors...) {
		margins := make([]float64, len(c.choice)+1)
		if i > 0 {
			margins = vector.Scaled(unit, factor)
		}
		if err := solve(margins); err != nil {
			return err
		}
		c.put(v, c.values, 0)
		if i == 0 {
			unit = c.errors(v, c.values.Resolution, direction)
		} else if proved() {
			return nil
		}
	}
	return fmt.Errorf("mdp: values around state %d: %w", c.states[0], limit.ErrPrecisionLimit)
}

// errors returns what rounding does to the rows of the component, by choice of
// links, given the values of a bound: the error of a row as it is checked, that
// of a row as it is solved, in which what leads to settled states is put
// together, and what values of that resolution leave of it.
func (c *component) errors(v vector.Vector, resolution, direction float64) []float64 {
	unit := make([]float64, len(c.choice)+1)
	var row []rows.Entry
	for i, s := range c.states {
		for k := c.links.StateStart[i]; k < c.links.StateStart[i+1]; k++ {
			row = c.problem.Rows.AppendChoice(row[:0], c.choice[k])
			cost := c.problem.Rows.Costs[c.choice[k]]
			if direction > 0 {
				cost = c.problem.UpperCosts[c.choice[k]]
			}
			_, magnitude, err := v.Action(row, cost, int(s))
			unit[k] = err + c.problem.Inexact*magnitude + 4*resolution*v.Size(row, int(s))
			for _, e := range row {
				if c.problem.Settled[e.State] {
					unit[k] += 4 * rounding.Unit * e.Probability * (math.Abs(v.High[s]) + math.Abs(v.High[e.State]))
				}
			}
		}
	}
	return unit
}

// notBelow says whether h ≤ c_k + P_k·h for all allowed choices of the
// component, h being the values for the lower bound.
func (c *component) notBelow() bool {
	var row []rows.Entry
	for _, s := range c.states {
		for k := c.problem.Rows.StateStart[s]; k < c.problem.Rows.StateStart[s+1]; k++ {
			if !c.problem.Allowed[k] {
				continue
			}
			row = c.problem.Rows.AppendChoice(row[:0], k)
			excess, magnitude, err := c.problem.Lower.Action(row, c.problem.Rows.Costs[k], int(s))
			if !(excess.AddFloat(-(err + c.problem.Inexact*magnitude)).RoundDown() >= 0) {
				return false
			}
		}
	}
	return true
}

// notAbove says whether h ≥ c_π + P_π·h for the policy of the component, h being
// the values for the upper bound.
func (c *component) notAbove() bool {
	var row []rows.Entry
	for i, s := range c.states {
		k := c.choice[c.links.StateStart[i]+c.policy[i]]
		row = c.problem.Rows.AppendChoice(row[:0], k)
		excess, magnitude, err := c.problem.Upper.Action(row, c.problem.UpperCosts[k], int(s))
		if !(excess.AddFloat(err+c.problem.Inexact*magnitude).RoundUp() <= 0) {
			return false
		}
	}
	return true
}

// put writes values of the component, or one number, into those of all states.
func (c *component) put(v, x vector.Vector, otherwise float64) {
	for i, s := range c.states {
		if x.High == nil {
			v.High[s], v.Low[s] = otherwise, 0
			continue
		}
		v.High[s], v.Low[s] = x.High[i], x.Low[i]
	}
}

// moved returns costs + direction·margins, moved by one unit in the last place
// at least where there is a margin.
func moved(costs, margins []float64, direction float64) []float64 {
	x := make([]float64, len(costs))
	for k := range x {
		x[k] = costs[k] + direction*margins[k]
		if x[k] == costs[k] && margins[k] > 0 {
			x[k] = math.Nextafter(costs[k], math.Inf(int(direction)))
		}
	}
	return x
}
