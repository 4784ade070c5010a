package mdptest

import (
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// objective is a criterion in exact numbers.
type objective struct {
	kind     kind
	sense    mdp.Sense
	discount *big.Rat   // of kind discounted
	target   []bool     // of kind total
	steps    int        // of kind finite
	terminal []*big.Rat // of kind finite, by state
}

type kind int

const (
	average kind = iota
	discounted
	total
	finite
)

func averageOf(sense mdp.Sense) objective { return objective{kind: average, sense: sense} }

func discountedBy(discount *big.Rat, sense mdp.Sense) objective {
	return objective{kind: discounted, sense: sense, discount: discount}
}

func totalOf(sense mdp.Sense) objective { return objective{kind: total, sense: sense} }

func finiteOf(steps int, sense mdp.Sense) objective {
	return objective{kind: finite, sense: sense, steps: steps}
}

// criterion returns the criterion of package mdp, for the same numbers or,
// where sign is −1, to minimise their negatives.
func (o objective) criterion(sign int) mdp.Criterion {
	sense := o.sense
	if sign < 0 {
		sense = mdp.Minimize
	}
	switch o.kind {
	case discounted:
		return mdp.Discounted{Discount: nearest(o.discount), Sense: sense}
	case total:
		var target []int32
		for s, is := range o.target {
			if is {
				target = append(target, int32(s))
			}
		}
		return mdp.TotalCost{Target: target, Sense: sense}
	case finite:
		terminal := make([]float64, len(o.terminal))
		for s, x := range o.terminal {
			terminal[s] = float64(sign) * nearest(x)
		}
		return mdp.FiniteHorizon{Steps: o.steps, Terminal: terminal, Sense: sense}
	default:
		return mdp.LongRunAverage{Sense: sense}
	}
}

// exactly says whether the criterion of package mdp has the same numbers.
func (o objective) exactly() bool {
	if o.kind == discounted {
		_, exact := o.discount.Float64()
		return exact
	}
	return true
}

// better says whether x is better than y; nil is +Inf.
func (o objective) better(x, y *big.Rat) bool {
	order := compare(x, y)
	return o.sense == mdp.Minimize && order < 0 || o.sense == mdp.Maximize && order > 0
}

// compare compares x with y, nil being +Inf.
func compare(x, y *big.Rat) int {
	switch {
	case x == nil && y == nil:
		return 0
	case x == nil:
		return 1
	case y == nil:
		return -1
	}
	return x.Cmp(y)
}

// evaluate returns what a policy achieves from each state, nil for +Inf: a
// total that may not end. For a finite horizon it is what the policy achieves
// in the first step, and the best there is after it.
func (o objective) evaluate(m *exactModel, policy []int32) []*big.Rat {
	value := make([]*big.Rat, m.numStates())
	switch o.kind {
	case finite:
		after := o.backward(m, o.steps-1)
		for s, a := range policy {
			c := m.states[s][a]
			value[s] = c.plus(c.cost, after)
		}
		return value
	case average:
		return m.gains(policy)
	default:
		q := newEquations(m.numStates(), 1)
		for s, a := range policy {
			if o.kind == total && o.target[s] {
				value[s] = zero
				continue
			}
			c := m.states[s][a]
			q.right[s][0].Quo(c.cost, m.rate)
			for _, e := range c.row {
				p := e.probability
				if o.kind == discounted {
					p = mul(o.discount, p)
				}
				q.enter(s, e.state, p)
			}
		}
		for s := range slices.Backward(policy) {
			if value[s] == nil {
				q.eliminate(s)
			}
		}
		q.substitute(value)
		return value
	}
}

// backward returns the best of some steps from each state.
func (o objective) backward(m *exactModel, steps int) []*big.Rat {
	v := o.terminal
	for range steps {
		next := make([]*big.Rat, len(v))
		for s, choices := range m.states {
			for a, c := range choices {
				if x := c.plus(c.cost, v); a == 0 || o.better(x, next[s]) {
					next[s] = x
				}
			}
		}
		v = next
	}
	return v
}

// gains returns the long-run average cost of a policy from each state.
//
// When the states are eliminated one after the other, the last one of a closed
// class is left with itself alone, and with the mean cost and the mean time
// from one visit to the next: their ratio is the gain of the class. That of
// another state is a mean over the classes it can end up in.
func (m *exactModel) gains(policy []int32) []*big.Rat {
	const cost, time = 0, 1
	n := len(policy)
	gains := make([]*big.Rat, n)
	q := newEquations(n, 2)
	for s, a := range policy {
		c := m.states[s][a]
		q.right[s][cost].Set(c.cost)
		q.right[s][time].Set(one)
		for _, e := range c.row {
			q.enter(s, e.state, e.probability)
		}
	}
	for s := range slices.Backward(policy) {
		if !q.eliminate(s) {
			gains[s] = quo(q.right[s][cost], q.right[s][time])
		}
	}
	for _, s := range q.order {
		q.right[s][cost].SetInt64(0)
	}
	q.substitute(gains)
	return gains
}
