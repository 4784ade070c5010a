package certificate

// This file holds backward induction, for a finite horizon.

import (
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// choices returns those that are allowed in a step, from 0; nil for all.
type choices func(step int) []bool

// induce returns bounds on the best total of all steps with the allowed choices: computed in integers
// if that does not take too long. Nothing is proved if the context has ended.
func (q *problem) induce(absolute bool, sense int, allowed choices) []proof {
	best, ok := q.induceExactly(absolute, sense, allowed)
	if !ok {
		q.reason = errors.New("the model is too large for an induction in exact numbers")
		best, ok = q.induceNearly(absolute, sense, allowed)
	}
	if !ok {
		return slices.Repeat([]proof{unproved}, q.rows.NumStates())
	}
	return best
}

// induceNearly is induce in double-double.
func (q *problem) induceNearly(absolute bool, sense int, allowed choices) (best []proof, ok bool) {
	n := q.rows.NumStates()
	best = make([]proof, n)
	value, next := &numbers{pairs: make([]pair, n)}, &numbers{pairs: make([]pair, n)}
	off, nextOff := make([]float64, n), make([]float64, n)
	for s, x := range q.terminal(absolute) {
		value.pairs[s] = doubledouble.FromRat(x)
		off[s] = math.Abs(value.pairs[s].Hi) * 0x1p-100
	}
	for step := q.result.Steps() - 1; step >= 0; step-- {
		q.discountNearly(value.pairs, off)
		x, open := &expression{rows: q.step(value, absolute, true), value: value, costs: true, absolute: absolute}, allowed(step)
		forStates(n, func(s int32) { next.pairs[s], nextOff[s] = x.backup(s, off, sense, open) })
		if q.ctx.Err() != nil {
			return nil, false
		}
		value, next, off, nextOff = next, value, nextOff, off
	}
	for s := range best {
		best[s] = around(value.pairs[s], off[s])
	}
	return best, true
}

// discountNearly multiplies values, and the bounds off on their errors, by the discount factor.
func (q *problem) discountNearly(values []pair, off []float64) {
	if q.shrink == nil {
		return
	}
	factor := doubledouble.FromRat(q.shrink)
	for s, x := range values {
		if x.Hi != 0 || off[s] != 0 {
			values[s] = x.Mul(factor)
			off[s] = off[s]*factor.Hi*(1+0x1p-50) + math.Abs(x.Hi)*0x1p-98 + 0x1p-1000
		}
	}
}

// step returns the rows that nature chooses before a step, given the values after it: in fractions or,
// with nearly, in double-double. For absolute costs it returns those of the least value, a lower bound.
func (q *problem) step(value *numbers, absolute, nearly bool) *rows {
	c := &choice{sign: q.nature, value: value}
	if absolute {
		c.sign = -1
	}
	if nearly {
		return q.rows.nearly(c)
	}
	return q.rows.after(c)
}

// terminal returns the terminal rewards, or their absolute values; nil for none.
func (q *problem) terminal(absolute bool) []*big.Rat {
	list := slices.Clone(q.ending)
	for s, x := range list {
		if absolute {
			list[s] = new(big.Rat).Abs(x)
		}
	}
	return list
}

// backup returns the best value of the choices in a state, and a bound on its error, given the values
// of the next states, whose errors are at most off.
func (x *expression) backup(s int32, off []float64, sense int, allowed []bool) (best pair, radius float64) {
	first, here := true, x.value.near(s)
	var beyond pair // the best that a choice may come to
	for k := x.StateStart[s]; k < x.StateStart[s+1]; k++ {
		if len(allowed) > 0 && !allowed[k] {
			continue
		}
		rest, unit, wrong := x.near(k)
		change := rest.Quo(unit)
		if wrong *= 1.01; change.Hi != 0 { // the unit is 1 up to 1e-9
			wrong += (math.Abs(change.Hi)+math.Abs(here.Hi))*0x1p-97 + 0x1p-1000
		}
		wrong += x.astray(k)
		y, own := here.Add(change), (x.inherited(k, off)+wrong)*(1+0x1p-50)
		if !(math.Abs(y.Hi)+own <= math.MaxFloat64) {
			return y, math.Inf(1)
		}
		if first || y.Sub(best).Hi*float64(sense) < 0 {
			best, radius = y, own
		}
		if own > 0 {
			y = y.AddFloat(-(own + math.Abs(y.Hi)*0x1p-97) * float64(sense))
		}
		if first || y.Sub(beyond).Hi*float64(sense) < 0 {
			beyond = y
		}
		first = false
	}
	return best, max(radius, math.Abs(best.Sub(beyond).Hi))
}

// inherited bounds the error of the expected next value if the errors of the values are at most off.
func (x *expression) inherited(k int32, off []float64) float64 {
	most, mean := 0.0, 0.0
	for e := x.RowStart[k]; e < x.RowStart[k+1]; e++ {
		wrong, p := off[x.Columns[e]], math.Abs(x.values.near(e).Hi)
		if x.rounded != nil {
			p = x.rounded.high.near(e).Hi + x.rounded.free.near(k).Hi
		}
		if most = max(most, wrong); wrong > 0 {
			mean += p*wrong*(1+0x1p-29) + 0x1p-1000 // the unit is 1 up to 1e-9
		}
	}
	return min(most, mean)
}

// around returns the proof of a number within radius of x.
func around(x pair, radius float64) proof {
	if !(radius+math.Abs(x.Hi) < math.MaxFloat64) {
		return unproved
	}
	if radius != 0 { // the sums are rounded
		radius += radius*0x1p-40 + math.Abs(x.Hi)*0x1p-100
	}
	return proof{bound{pair: x.AddFloat(-radius)}, bound{pair: x.AddFloat(radius)}}
}

// induceExactly is induce in integers. Costs are integers over a common denominator unit;
// probabilities, times the discount factor, over scale; and values after t steps over
// unit·scale^t. ok is false, too, if that would take too long.
func (q *problem) induceExactly(absolute bool, sense int, allowed choices) (best []proof, ok bool) {
	r, n, steps := q.rows, q.rows.NumStates(), q.result.Steps()
	most := 0x1p33 / (float64(r.NumTransitions()) * max(1, float64(steps))) // binary digits of a value
	switch {
	case most < 1:
		return nil, false
	case q.nature != 0:
		return q.induceInFractions(absolute, sense, allowed)
	}
	x := &expression{rows: r, value: &numbers{}, costs: true, absolute: absolute}
	rewards, probabilities := make([]*big.Rat, r.NumChoices()), make([]*big.Rat, r.NumTransitions())
	for k := range rewards {
		cost, sum := x.exactly(int32(k))
		rewards[k] = cost.Quo(cost, sum)
		for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
			if probabilities[e] = new(big.Rat).Quo(r.values.at(e).rational(), sum); q.shrink != nil {
				probabilities[e].Mul(probabilities[e], q.shrink)
			}
		}
	}
	costs, unit := over(slices.Concat(rewards, q.terminal(absolute)), most)
	weights, scale := over(probabilities, most/max(1, float64(steps)))
	if costs == nil || weights == nil {
		return nil, false
	}
	values, power, term := slices.Repeat([]*big.Int{new(big.Int)}, n), big.NewInt(1), new(big.Int)
	if len(costs) > r.NumChoices() {
		values, costs = costs[r.NumChoices():], costs[:r.NumChoices()]
	}
	for step := steps - 1; step >= 0; step-- {
		power.Mul(power, scale)
		next, open := make([]*big.Int, n), allowed(step)
		for k, cost := range costs {
			if len(open) > 0 && !open[k] {
				continue
			}
			s, y := r.stateOf[k], new(big.Int).Mul(cost, power)
			for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
				y.Add(y, term.Mul(weights[e], values[r.Columns[e]]))
			}
			if next[s] == nil || y.Cmp(next[s])*sense < 0 {
				next[s] = y
			}
		}
		if values = next; q.ctx.Err() != nil {
			return nil, false
		}
	}
	power.Mul(power, unit)
	for _, x := range values {
		b := exactBound(new(big.Rat).SetFrac(x, power))
		best = append(best, proof{b, b})
	}
	return best, true
}

// induceInFractions is induceExactly for a model with intervals, in which what nature
// chooses changes from step to step.
func (q *problem) induceInFractions(absolute bool, sense int, allowed choices) (best []proof, ok bool) {
	const most, least = 0x1p23, 64 // binary digits of all sums, and of each
	n, steps, spent := q.rows.NumStates(), q.result.Steps(), 0.0
	if least*float64(q.rows.NumTransitions())*float64(steps) > most {
		return nil, false
	}
	values := slices.Repeat([]*big.Rat{new(big.Rat)}, n)
	copy(values, q.terminal(absolute))
	for step := steps - 1; step >= 0; step-- {
		for s, x := range values {
			if q.shrink != nil {
				values[s] = new(big.Rat).Mul(x, q.shrink)
			}
		}
		value, open := fromRationals(slices.Clone(values)...), allowed(step)
		x := &expression{rows: q.step(value, absolute, false), value: value, costs: true, absolute: absolute}
		forStates(n, func(s int32) { values[s] = x.backupExactly(s, sense, open) })
		digits := 0
		for _, x := range values {
			digits += x.Num().BitLen() + x.Denom().BitLen()
		}
		if spent += float64(q.rows.NumTransitions()) * (least + float64(digits)/float64(n)); spent > most || q.ctx.Err() != nil {
			return nil, false
		}
	}
	for _, x := range values {
		b := exactBound(x)
		best = append(best, proof{b, b})
	}
	return best, true
}

// backupExactly is backup in fractions, of rows that sum to 1.
func (x *expression) backupExactly(s int32, sense int, allowed []bool) (best *big.Rat) {
	for k := x.StateStart[s]; k < x.StateStart[s+1]; k++ {
		if len(allowed) > 0 && !allowed[k] {
			continue
		}
		y, _ := x.exactly(k)
		if y.Add(y, x.value.at(s).rational()); best == nil || y.Cmp(best)*sense < 0 {
			best = y
		}
	}
	return best
}

// over returns rationals over their least common denominator; nil if the denominator has
// more than most binary digits.
func over(list []*big.Rat, most float64) (numerators []*big.Int, denominator *big.Int) {
	denominator = big.NewInt(1)
	for _, y := range list {
		divisor := new(big.Int).GCD(nil, nil, denominator, y.Denom())
		if denominator.Mul(denominator, divisor.Quo(y.Denom(), divisor)); float64(denominator.BitLen()-1) > most {
			return nil, nil
		}
	}
	for _, y := range list {
		factor := new(big.Int).Quo(denominator, y.Denom())
		numerators = append(numerators, factor.Mul(factor, y.Num()))
	}
	return numerators, denominator
}

// nearEnds are the ends of intervals, and what may be added within distances, in double-double.
type nearEnds struct{ low, high, free *numbers }

// nearly returns the rows with the values that nature chooses, as after does, but in
// double-double. astray bounds the error that this adds to a sum.
func (r *rows) nearly(c *choice) *rows {
	if r.high == nil {
		return r
	}
	if r.rounded == nil {
		r.rounded = &nearEnds{tinyOrNear(r.low), tinyOrNear(r.high), tinyOrNear(r.free)}
	}
	next := *r
	p := make([]pair, len(r.low))
	next.values, next.edges = &numbers{pairs: p}, make([]float64, r.NumChoices())
	forStates(r.NumStates(), func(s int32) {
		var order []nearChoice
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			order, next.edges[k] = r.chooseNearly(p, order[:0], c, k)
		}
	})
	return &next
}

// tinyOrNear returns numbers in double-double. Those too small for its second part keep the
// first: what they lose does not count beside 1.
func tinyOrNear(list []*big.Rat) *numbers {
	n := fromRationals(list...)
	for i, x := range n.pairs {
		if math.IsNaN(x.Hi) || math.IsNaN(x.Lo) {
			tiny, _ := list[i].Float64()
			n.pairs[i] = pair{Hi: tiny}
		}
	}
	return n
}

// nearChoice is a transition that nature may choose more of.
type nearChoice struct {
	e          int32
	key, width pair
}

// chooseNearly sets the values of a choice, and returns the greatest magnitude of a key where
// rounding may decide how much is chosen: of the last to take some, of the next, and of the
// first within a distance. It overwrites order, to reuse its memory.
func (r *rows) chooseNearly(p []pair, order []nearChoice, c *choice, k int32) (taken []nearChoice, edge float64) {
	left, free := pair{Hi: 1}, r.rounded.free.near(k)
	for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
		p[e] = r.rounded.low.near(e)
		left = left.Sub(p[e])
		if width := r.rounded.high.near(e).Sub(p[e]); width.Hi > 0 || free.Hi > 0 {
			order = append(order, nearChoice{e, c.value.near(r.Columns[e]).Add(r.transition.near(e)), width})
		}
	}
	slices.SortFunc(order, func(x, y nearChoice) int { return c.sign * y.key.Cmp(x.key) })
	added := 0.0
	for i, x := range order {
		size, more := math.Abs(x.key.Hi), x.width
		if i == 0 && free.Hi > 0 {
			more, added = more.Add(free), size
		}
		if left.Hi <= 0 {
			edge = max(edge, size)
			break
		}
		if edge = size; left.Less(more) {
			more = left
		}
		p[x.e], left = p[x.e].Add(more), left.Sub(more)
	}
	return order, max(edge, added)
}

// astray bounds the difference between an expression with the values of nearly and the one with
// nature's exact extreme choice: from rounding the values, and from rounding the keys that order them.
func (x *expression) astray(k int32) float64 {
	if x.edges == nil {
		return 0
	}
	lo, hi, size := x.RowStart[k], x.RowStart[k+1], x.edges[k]+math.Abs(x.action.near(k).Hi)+math.Abs(x.value.near(x.stateOf[k]).Hi)
	for e := lo; e < hi; e++ {
		size += math.Abs(x.values.near(e).Hi) * (math.Abs(x.value.near(x.Columns[e]).Hi) + math.Abs(x.transition.near(e).Hi))
	}
	return float64(hi-lo+8) * 0x1p-98 * size
}
