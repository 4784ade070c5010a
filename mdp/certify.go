package mdp

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// assumedTerms is how many terms a backup of a model that does not list its
// rows is taken to add up, where its rounding is bounded.
const assumedTerms = 64

// certify makes one fresh sweep over the values that a method ended with.
func certify(task *task, answer answer) (Certificate, gainBounds, error) {
	var c Certificate
	b := gainBounds{below: answer.values, above: answer.values}
	if explicit, ok := task.model.(Explicit); ok {
		if answer.below.High != nil {
			b.below, b.above = answer.below, answer.above
		}
		var cheapest float64
		c, cheapest = certifyExplicit(explicit, task.sweeper, answer)
		if cheapest > c.Lower {
			// No policy costs less than the cheapest step: the bound of h = 0.
			c.Lower, b.below = cheapest, vector.Vector{}
		}
	} else {
		v := answer.values.High
		c = backupBounds(task.model, task.sweeper, make([]float64, len(v)), v, v)
	}
	if math.IsNaN(c.Lower) || math.IsNaN(c.Upper) {
		return c, b, errNaN
	}
	b.lower, b.upper = c.Lower, c.Upper
	return c, b, nil
}

// certifyExplicit sweeps in double-double arithmetic over differences of
// values, so that what rounding does is some 2⁻¹⁰¹ of the terms of a row; the
// bounds are widened by it and rounded outward. cheapest is the least cost of a
// step.
func certifyExplicit(model Explicit, sweeper *sweeper, answer answer) (c Certificate, cheapest float64) {
	if answer.below.High == nil {
		return explicitBounds(model, sweeper, answer)
	}
	below, above := answer, answer
	below.values, above.values = answer.below, answer.above
	c, cheapest = explicitBounds(model, sweeper, below)
	c.Upper, c.Policy = policyBound(model, sweeper, above), slices.Clone(answer.policy)
	return c, cheapest
}

// policyBound returns a bound on the gain of the policy of the answer, and so
// on the optimum: the greatest of T h − h with its actions.
func policyBound(model Explicit, sweeper *sweeper, answer answer) float64 {
	inexact := relativeError(model)
	sweeper.blocks(func(block, lo, hi int) {
		greatest := math.Inf(-1)
		var (
			row  []Entry
			cost float64
		)
		for s := lo; s < hi; s++ {
			row, cost = model.AppendRow(row[:0], s, int(answer.policy[s]))
			value, magnitude, err := answer.values.Action(row, cost, s)
			greatest = max(greatest, value.AddFloat(err+inexact*magnitude).RoundUp())
		}
		sweeper.most[block] = greatest
	})
	return slices.Max(sweeper.most)
}

// explicitBounds is one sweep of certifyExplicit.
func explicitBounds(model Explicit, sweeper *sweeper, answer answer) (c Certificate, cheapest float64) {
	policy := make([]int32, model.NumStates())
	cheapestOf := make([]float64, len(sweeper.least))
	inexact := relativeError(model)
	sweeper.blocks(func(block, lo, hi int) {
		least, greatest := math.Inf(1), math.Inf(-1)
		cheapestOf[block] = math.Inf(1)
		var row []Entry
		for s := lo; s < hi; s++ {
			b := bestAction(model, inexact, answer, s, &row)
			policy[s] = b.action
			least, greatest = min(least, b.floor), max(greatest, b.ceiling)
			cheapestOf[block] = min(cheapestOf[block], b.leastCost)
		}
		sweeper.least[block], sweeper.most[block] = least, greatest
	})
	lower, upper := sweeper.extremes()
	return Certificate{Lower: lower, Upper: upper, Policy: policy}, slices.Min(cheapestOf)
}

// relativeError returns the error that the model admits.
func relativeError(model Model) float64 {
	if inexact, ok := model.(Inexact); ok {
		return inexact.RelativeError()
	}
	return 0
}

// best is the minimum of one state in extended precision.
type best struct {
	action      int32
	value       doubledouble.Number // (T h − h)(s) as computed
	floor       float64             // not above the exact minimum, for the model that was meant
	ceiling     float64             // not below the exact value of the action, for that model
	uncertainty float64             // how far the exact value of the action, for that model, may be from value
	change      bool                // whether action is better than the preferred one by more than rounding
	leastCost   float64             // of the actions, not above that of the model that was meant
}

// bestAction minimises over the actions of s. The preferred policy of the
// answer keeps its action where no other is better by more than rounding;
// without one, the first action has that right.
func bestAction(model Explicit, inexact float64, answer answer, s int, row *[]Entry) best {
	preferred := 0
	if answer.policy != nil {
		preferred = int(answer.policy[s])
	}
	b := best{floor: math.Inf(1), leastCost: math.Inf(1)}
	var unresolved float64 // uncertainty of b.value
	consider := func(a int) {
		entries, cost := model.AppendRow((*row)[:0], s, a)
		*row = entries
		value, magnitude, err := answer.values.Action(entries, cost, s)
		hidden := err
		if resolution := answer.values.Resolution; resolution > 0 {
			hidden += resolution * answer.values.Size(entries, s)
		}
		uncertainty := err + inexact*magnitude
		b.floor = min(b.floor, value.AddFloat(-uncertainty).RoundDown())
		b.leastCost = min(b.leastCost, rounding.LessBy(cost, inexact))
		if a == preferred || b.value.Sub(value).Hi > unresolved+hidden {
			b.action, b.value, unresolved = int32(a), value, hidden
			b.change = a != preferred
			b.ceiling = value.AddFloat(uncertainty).RoundUp()
			b.uncertainty = uncertainty
		}
	}
	consider(preferred)
	for a := range model.NumActions(s) {
		if a != preferred {
			consider(a)
		}
	}
	return b
}

// backupBounds sweeps by Backup, in float64, to dst, and returns bounds on
// T x − v, widened by what rounding can do and what the model admits; x is v, or
// v discounted. The error of the costs that a model admits is at most
//
//	ε·|c| ≤ ε·(|T x| + |x|) ≤ ε·(|T x − v| + 2·|v|).
func backupBounds(model Model, sweeper *sweeper, dst, x, v []float64) Certificate {
	policy := make([]int32, len(v))
	sweeper.blocks(func(block, lo, hi int) {
		model.Backup(dst, policy, x, lo, hi)
		least, greatest := math.Inf(1), math.Inf(-1)
		for s := lo; s < hi; s++ {
			least, greatest = min(least, dst[s]-v[s]), max(greatest, dst[s]-v[s])
		}
		sweeper.least[block], sweeper.most[block] = least, greatest
	})
	lower, upper := sweeper.extremes()
	inexact := relativeError(model)
	rounding := (backupError(model)+2*inexact)*vector.LargestMagnitude(v) +
		(4*rounding.Unit+inexact)*max(math.Abs(lower), math.Abs(upper))
	if rounding > 0 || vector.LargestMagnitude(v) > 0 {
		rounding += underflowed
	}
	return Certificate{Lower: lower - rounding, Upper: upper + rounding, Policy: policy}
}

// backupRounding bounds what float64 rounding can do to T v − v: a backup adds
// up at most assumedTerms products whose magnitudes sum to at most max|v|, the
// cost, which is part of the result, and −v.
func backupRounding(v []float64) float64 {
	return (assumedTerms + 4) * rounding.Unit * 2 * vector.LargestMagnitude(v)
}

// backupError bounds the error of a backup in float64 relative to the largest
// magnitude of a value before and after: the rounding of its sums, that of the
// probabilities, which sum to 1 only up to twice as much, and what the model
// admits.
func backupError(model Model) float64 {
	terms := assumedTerms
	if table, ok := tableOf(model); ok {
		terms = table.rows.Longest()
	}
	return float64(3*terms+4)*rounding.Unit + 2*relativeError(model)
}
