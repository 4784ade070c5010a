package total

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// How the bounds of a component are proved: by values for costs moved by margins.

// prove solves for the values of a bound until they satisfy the inequalities of
// [Problem] in spite of rounding. It moves the costs down for the lower bound, and up for
// the upper one, by a margin that exceeds the rounding error of a row. The values then move by
// the expected sum of the margins.
func (c *component) prove(of side, solve func(margins []float64) error) error {
	unit := make([]float64, len(c.choice)+1)
	for i, factor := range []float64{0, 2, 32, 1024} { // multiples of the errors to be outweighed
		if err := solve(vector.Scaled(unit, factor)); err != nil {
			return err
		}
		c.put(of)
		if i > 0 && c.isProved(of, nil) {
			return nil
		}
		unit = c.errors(of, c.values.Resolution) // anew: the values before may have been exact by chance
	}
	return fmt.Errorf("mdp: the bounds of state %d cannot be proved: %w", c.states[0], limit.ErrPrecisionLimit)
}

// multiply looks for a multiple h = v/φ of values v, φ > 0, that is proved to be a lower bound, and
// reports whether it found one. c are the costs of links, with the values of settled states added.
//
//	(φ − 1)·c + (c + P·v − v) ≥ 0   ⇒   h ≤ c + P·h.
//
// So φ ≥ 1 − (c + P·v − v)/c for each choice with c > 0, and φ ≤ the same for each with c < 0. If
// all costs have one sign, φ is as close to its limit as rounding allows.
func (c *component) multiply(of side, costs, values []float64) bool {
	const extreme = 0x1p20
	v := vector.Of(append(vector.Gather(values, c.states), 0))
	least, most := 1/extreme, extreme
	var row []rows.Entry
	for i := range c.states {
		for k := c.start[i]; k < c.start[i+1]; k++ {
			row = c.links.AppendChoice(row[:0], k)
			excess, _, err := v.Action(row, costs[k], i)
			switch factor := 1 - excess.Hi/costs[k]; {
			case costs[k] > 0:
				least = max(least, factor)
			case costs[k] < 0:
				most = min(most, factor)
			case excess.Hi < -err:
				return false
			}
		}
	}
	c.values = vector.New(len(v.High))
	for _, margin := range []float64{0x1p-45, 0x1p-35, 0x1p-25} {
		low, high := least*(1+margin), most*(1-margin)
		factor := min(max(1, low), high)
		if most == extreme {
			factor = low
		} else if least == 1/extreme {
			factor = high
		}
		if !(low <= factor && factor <= high) {
			return false
		}
		for s := range v.High {
			c.values.Set(s, v.AtOrZero(s).Quo(doubledouble.FromFloat(factor)))
		}
		if c.put(of); c.isProved(of, nil) {
			return true
		}
	}
	return false
}

// errors bounds the errors of the component's rows for the values of a bound, by choice of links.
// Each is the sum of three: rounding when the row is checked; rounding when it is solved, where
// transitions to settled states are added up; and the residual of values of that resolution.
func (c *component) errors(of side, resolution float64) []float64 {
	p, v, unit := c.problem, of.values, make([]float64, len(c.choice)+1)
	var row []rows.Entry
	for i, s := range c.states {
		for k := c.start[i]; k < c.start[i+1]; k++ {
			_, magnitude, err := p.exactExcess(of, int(s), c.choice[k], &row)
			unit[k] = err + p.RelativeError*magnitude + 4*resolution*v.Size(row, int(s)) + (4*resolution+4*rounding.Unit)*p.ends*math.Abs(v.High[s])
			for _, e := range row {
				if p.Settled[e.State] {
					unit[k] += 4 * rounding.Unit * e.Probability * (math.Abs(v.High[s]) + math.Abs(v.High[e.State]))
				}
			}
		}
	}
	return unit
}

// isProved reports whether h ≤ c_k + P_k·h for all allowed choices of the component, h
// being the values for the lower bound; for the upper bound, whether h ≥ c_π + P_π·h
// for the policy. States that are sure, if any are given, need no check.
func (c *component) isProved(of side, isSure []bool) bool {
	var isOpen atomic.Bool
	c.sweeper.Blocks(func(_, lo, hi int) {
		if hi = min(hi, len(c.states)); !isOpen.Load() && !c.isProvedFor(of, isSure, lo, hi) {
			isOpen.Store(true)
		}
	})
	return !isOpen.Load()
}

// isProvedFor is isProved for some states.
func (c *component) isProvedFor(of side, isSure []bool, lo, hi int) bool {
	p := c.problem
	var row []rows.Entry
	for at := lo; at < hi; at++ {
		i := at
		if c.natural != nil {
			i = int(c.natural[at])
		}
		if len(isSure) > 0 && isSure[i] {
			continue
		}
		s := c.states[i]
		first, end := p.Rows.Choices(int(s))
		if of.direction > 0 {
			first = c.choice[c.start[i]+c.policy[i]]
			end = first + 1
		}
		for k := first; k < end; k++ {
			if p.Allowed[k] && !p.proves(of, int(s), k, &row) {
				return false
			}
		}
	}
	return true
}

// proves reports whether the values of a bound satisfy the inequality of a choice, in float64 or in
// double-double. It overwrites row, to reuse its memory.
func (p *Problem) proves(of side, s int, k int32, row *[]rows.Entry) bool {
	if plain, err, _ := p.excess(of, s, k); math.Abs(plain) > err {
		return plain*-of.direction > 0
	}
	excess, magnitude, err := p.exactExcess(of, s, k, row)
	excess = excess.AddFloat(of.direction * (err + p.RelativeError*magnitude))
	return of.direction < 0 && excess.RoundDown() >= 0 || of.direction > 0 && excess.RoundUp() <= 0
}

// exactExcess returns c_k + P_k·h − h(s) in double-double, the sum of the magnitudes of its terms, and a
// bound on its error. It leaves the choice in row.
func (p *Problem) exactExcess(of side, s int, k int32, row *[]rows.Entry) (excess doubledouble.Number, magnitude, err float64) {
	*row = p.Rows.AppendChoice((*row)[:0], k)
	if p.Discount != nil {
		return of.values.DiscountedAction(*row, of.costs[k], s, p.Discount)
	}
	return of.values.Action(*row, of.costs[k], s)
}

// excess returns c_k + P_k·h − h(s) in float64 with a bound on its error, and the probability of
// leaving s.
func (p *Problem) excess(of side, s int, k int32) (excess, err, leave float64) {
	h := of.values.High
	at, there := h[s], 0.0 // there is the sum of magnitudes of values after a step
	excess = of.costs[k]
	first, end := p.Rows.RowStart[k], p.Rows.RowStart[k+1]
	probabilities := p.Rows.Probabilities[first:end]
	for e, j := range p.Rows.Columns[first:end] {
		if int(j) == s {
			continue
		}
		q, x := p.goesOn*probabilities[e], h[j]
		leave += q
		excess += float64(q * (x - at))
		there += float64(q * math.Abs(x))
	}
	leave, excess = leave+p.ends, excess-float64(p.ends*at)
	terms := len(probabilities) + 9
	magnitude := math.Abs(of.costs[k]) + there + float64(leave*math.Abs(at))
	return excess, (float64(terms)*rounding.Unit+p.RelativeError)*magnitude + rounding.Underflow(terms), leave
}

// put writes the values of the component into those of all states.
func (c *component) put(of side) {
	for i, s := range c.states {
		if of.values.High[s] = c.values.High[i]; c.values.Low != nil { // otherwise it is 0 there, too
			of.values.Low[s] = c.values.Low[i]
		}
	}
}

// fill writes one number into the values of the component's states.
func (c *component) fill(of side, x float64) {
	for _, s := range c.states {
		of.values.Set(int(s), doubledouble.FromFloat(x))
	}
	c.problem.isOpen = true
}

// moved returns costs + direction·margins, moved by at least one unit in the last place
// if there is a margin.
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
