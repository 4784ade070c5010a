package mdp

import (
	"fmt"
	"math"
)

// Margins are tried in this order, as multiples of the errors that they are to
// outweigh.
var marginFactors = []float64{2, 32, 1024}

// prove solves for the values of a bound until they satisfy the inequalities of
// [paths] in spite of rounding: for costs that are lower (higher) by a margin
// that is larger than what rounding does to a row. The values differ by what the
// margins sum up to.
func (c *component) prove(v values, proved func() bool, direction float64, solve func(margins []float64) error) error {
	var unit []float64
	for i, factor := range append([]float64{0}, marginFactors...) {
		margins := make([]float64, len(c.choice)+1)
		if i > 0 {
			margins = scaled(unit, factor)
		}
		if err := solve(margins); err != nil {
			return err
		}
		c.put(v, c.values, 0)
		if i == 0 {
			unit = c.errors(v, c.values.resolution, direction)
		} else if proved() {
			return nil
		}
	}
	return fmt.Errorf("mdp: values around state %d: %w", c.states[0], ErrPrecisionLimit)
}

// errors returns what rounding does to the rows of the component, by choice of
// links, given the values of a bound: the error of a row as it is checked, that
// of a row as it is solved, in which what leads to settled states is put
// together, and what values of that resolution leave of it.
func (c *component) errors(v values, resolution, direction float64) []float64 {
	unit := make([]float64, len(c.choice)+1)
	var row []Entry
	for i, s := range c.states {
		for k := c.links.stateStart[i]; k < c.links.stateStart[i+1]; k++ {
			row = c.entries(row[:0], c.choice[k])
			cost := c.costs[c.choice[k]]
			if direction > 0 {
				cost = c.dear[c.choice[k]]
			}
			_, magnitude, err := v.action(row, cost, int(s))
			unit[k] = err + c.inexact*magnitude + 4*resolution*v.size(row, int(s))
			for _, e := range row {
				if c.settled[e.State] {
					unit[k] += 4 * unitRoundoff * e.Probability * (math.Abs(v.high[s]) + math.Abs(v.high[e.State]))
				}
			}
		}
	}
	return unit
}

// entries appends the transitions of a choice.
func (t *Table) entries(dst []Entry, k int32) []Entry {
	for e := t.rowStart[k]; e < t.rowStart[k+1]; e++ {
		dst = append(dst, Entry{State: t.columns[e], Probability: t.probabilities[e]})
	}
	return dst
}

// notBelow says whether h ≤ c_k + P_k·h for all allowed choices of the
// component, h being the values for the lower bound.
func (c *component) notBelow() bool {
	var row []Entry
	for _, s := range c.states {
		for k := c.stateStart[s]; k < c.stateStart[s+1]; k++ {
			if !c.allowed[k] {
				continue
			}
			row = c.entries(row[:0], k)
			excess, magnitude, err := c.lower.action(row, c.costs[k], int(s))
			if !(excess.AddFloat(-(err + c.inexact*magnitude)).RoundDown() >= 0) {
				return false
			}
		}
	}
	return true
}

// notAbove says whether h ≥ c_π + P_π·h for the policy of the component, h being
// the values for the upper bound.
func (c *component) notAbove() bool {
	var row []Entry
	for i, s := range c.states {
		k := c.choice[c.links.stateStart[i]+c.policy[i]]
		row = c.entries(row[:0], k)
		excess, magnitude, err := c.upper.action(row, c.dear[k], int(s))
		if !(excess.AddFloat(err+c.inexact*magnitude).RoundUp() <= 0) {
			return false
		}
	}
	return true
}

// put writes values of the component, or one number, into those of all states.
func (c *component) put(v, x values, otherwise float64) {
	for i, s := range c.states {
		if x.high == nil {
			v.high[s], v.low[s] = otherwise, 0
			continue
		}
		v.high[s], v.low[s] = x.high[i], x.low[i]
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
