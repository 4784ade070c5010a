package verify

// This file holds backward induction, for a finite horizon.

import (
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// induce returns what the costs of all steps come to at best, and beside it the
// same with the choices of the policy, if any, in the first step. It is false where
// the context ended.
func (q *question) induce(absolute bool, sense int, policy []bool) (best, followed []proof, ok bool) {
	n := q.rows.NumStates()
	best, followed = make([]proof, n), make([]proof, n)
	room := func() (*numbers, []float64) {
		return &numbers{pairs: make([]doubledouble.Number, n)}, make([]float64, n)
	}
	value, off := room()
	next, nextOff := room()
	for t := range q.result.Horizon {
		x := &expression{rows: q.rows, value: value, costs: true, absolute: absolute}
		parallel(n, func(s int32) {
			v, radius := x.backup(s, off, sense, nil)
			next.pairs[s], nextOff[s] = v, radius
			if t == q.result.Horizon-1 {
				best[s] = around(v, radius)
				if followed[s] = best[s]; policy != nil {
					followed[s] = around(x.backup(s, off, sense, policy))
				}
			}
		})
		if q.ctx.Err() != nil {
			return nil, nil, false
		}
		value, next, off, nextOff = next, value, nextOff, off
	}
	return best, followed, true
}

// backup returns the best that a choice and what follows come to, where what
// follows may be off by as much as off says, and how far it may be off then.
func (x *expression) backup(s int32, off []float64, sense int, allowed []bool) (best doubledouble.Number, radius float64) {
	first := true
	here := x.value.near(s)
	for k := x.StateStart[s]; k < x.StateStart[s+1]; k++ {
		if allowed != nil && !allowed[k] {
			continue
		}
		change, unit, wrong := x.near(k)
		change = quotient(change, unit)
		y := here.Add(change)
		if wrong *= 1.01; change.Hi != 0 { // the unit is 1 up to 1e-9
			wrong += (math.Abs(change.Hi)+math.Abs(here.Hi))*0x1p-97 + 0x1p-1000
		}
		ahead := 0.0
		for _, j := range x.next(k) {
			ahead = max(ahead, off[j])
		}
		radius = max(radius, (ahead+wrong)*(1+0x1p-50))
		if first || y.Sub(best).Hi*float64(sense) < 0 {
			best, first = y, false
		}
	}
	return best, radius
}

// quotient returns x/y, off by less than 2⁻⁹⁹ of it.
func quotient(x, y doubledouble.Number) doubledouble.Number {
	q := doubledouble.FromFloat(x.Hi / y.Hi)
	for range 2 {
		q = q.AddFloat(x.Sub(y.Mul(q)).Hi / y.Hi)
	}
	return q
}

// around returns the proof of a number within radius of x.
func around(x doubledouble.Number, radius float64) proof {
	if !(radius < math.MaxFloat64) || !(math.Abs(x.Hi) < math.MaxFloat64) {
		return unproved
	}
	if radius != 0 {
		radius += radius*0x1p-40 + math.Abs(x.Hi)*0x1p-100
	}
	return proof{bound{Number: x.AddFloat(-radius)}, bound{Number: x.AddFloat(radius)}}
}

// Bounds on an induction in integers: of the binary digits of one, and of the words
// that are multiplied in all.
const (
	exactDigits = 1 << 24
	exactWork   = 1 << 30
)

// induceExactly is induce for the costs as they are, in integers over common
// denominators: those of costs over unit, of probabilities over scale, of values
// after t steps over unit·scale^t. It is false where that would take too long, or
// the context ended.
func (q *question) induceExactly(policy []bool) (best, followed []proof, ok bool) {
	r, n := q.rows, q.rows.NumStates()
	unit, scale := big.NewInt(1), big.NewInt(1)
	costs, weights := make([]*big.Rat, r.NumChoices()), make([]*big.Rat, r.NumTransitions())
	x := &expression{rows: r, value: &numbers{}, costs: true}
	steps := float64(q.result.Horizon)
	for k := range costs {
		cost, sum := x.exactly(int32(k))
		costs[k] = cost.Quo(cost, sum)
		multiple(unit, costs[k].Denom())
		for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
			weights[e] = new(big.Rat).Quo(r.values.at(e).rational(), sum)
			multiple(scale, weights[e].Denom())
		}
		digits := float64(unit.BitLen()) + float64(scale.BitLen())*steps
		if digits > exactDigits || (digits/64+8)*steps*float64(len(weights)) > exactWork || q.ctx.Err() != nil {
			return nil, nil, false
		}
	}
	over := func(list []*big.Rat, denominator *big.Int) []*big.Int {
		numerators := make([]*big.Int, len(list))
		for i, y := range list {
			numerators[i] = new(big.Int).Quo(denominator, y.Denom())
			numerators[i].Mul(numerators[i], y.Num())
		}
		return numerators
	}
	m := &integers{r, q.sense(), over(costs, unit), over(weights, scale), make([]*big.Int, n), big.NewInt(1)}
	for s := range m.values {
		m.values[s] = new(big.Int)
	}
	last := m.values
	for t := range q.result.Horizon {
		if q.ctx.Err() != nil {
			return nil, nil, false
		}
		next := m.step(scale, nil)
		if last = next; policy != nil && t == q.result.Horizon-1 {
			last = m.step(scale, policy)
		}
		m.values = next
		m.power.Mul(m.power, scale)
	}
	best, followed = make([]proof, n), make([]proof, n)
	denominator := new(big.Int).Mul(unit, m.power)
	for s := range best {
		b := exactBound(new(big.Rat).SetFrac(m.values[s], denominator))
		own := exactBound(new(big.Rat).SetFrac(last[s], denominator))
		best[s], followed[s] = proof{b, b}, proof{own, own}
	}
	return best, followed, true
}

// multiple sets x to the least common multiple of x and y.
func multiple(x, y *big.Int) {
	if y.IsInt64() && y.Int64() == 1 {
		return
	}
	divisor := new(big.Int).GCD(nil, nil, x, y)
	x.Mul(x, divisor.Quo(y, divisor))
}

// integers are a model, and values, over common denominators.
type integers struct {
	*rows
	sense          int
	costs, weights []*big.Int // by choice, by transition
	values         []*big.Int // by state, over power times the denominator of the costs
	power          *big.Int   // of the scale
}

// step returns the values one step earlier, over the next power of the scale.
func (m *integers) step(scale *big.Int, allowed []bool) []*big.Int {
	next := make([]*big.Int, len(m.values))
	term := new(big.Int)
	power := new(big.Int).Mul(m.power, scale)
	for k, cost := range m.costs {
		if allowed != nil && !allowed[k] {
			continue
		}
		sum := new(big.Int).Mul(cost, power)
		for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
			sum.Add(sum, term.Mul(m.weights[e], m.values[m.Columns[e]]))
		}
		if s := m.stateOf[k]; next[s] == nil || sum.Cmp(next[s])*m.sense < 0 {
			next[s] = sum
		}
	}
	return next
}
