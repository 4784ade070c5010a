// Package bound turns sweeps over values into bounds that hold in spite of
// rounding: for any h,
//
//	min_s (T h − h)(s) ≤ optimal gain ≤ max_s (T h − h)(s).
package bound

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Gap holds bounds on T h − h in every state, and the policy that attains T h.
type Gap struct {
	Lower, Upper float64
	Policy       []int32
	Widening     float64 // by which float64 rounding widened each bound
}

// Lister is a model that lists its rows, with the relative error of its numbers. With
// a discount, T and the bounds are those of
//
//	c(s,a) + β·Σ_{j≠s} p(j|s,a)·(h(j) − h(s)) − (1−β)·h(s).
type Lister struct {
	rows.Lister
	RelativeError float64
	Discount      *vector.Discount // nil: 1
}

// Greedy is what a sweep over all actions finds besides the bounds.
type Greedy struct {
	Gap
	Cheapest float64 // the least cost of a step
	Changed  bool    // whether Policy differs from the one preferred
}

// Explicit sweeps in double-double arithmetic over differences of values, whose rounding
// error is some 2⁻¹⁰¹ of the terms of a row. It widens the bounds by that error, and rounds
// them outward. It writes to policy the actions that attain T h, but keeps
// those of prefer that no other beats by more than rounding. prefer may be nil, or policy
// itself.
func Explicit(model Lister, sweeper *sweep.Sweeper, values vector.Vector, prefer, policy []int32) Greedy {
	cheapest, changed := make([]float64, len(sweeper.Least)), make([]bool, len(sweeper.Least))
	sweeper.Blocks(func(block, lo, hi int) {
		least, greatest := math.Inf(1), math.Inf(-1)
		cheapest[block] = math.Inf(1)
		var row []rows.Entry
		for s := lo; s < hi; s++ {
			b := model.Best(values, prefer, s, &row)
			policy[s] = b.Action
			least, greatest = min(least, b.Floor), max(greatest, b.Ceiling)
			cheapest[block] = min(cheapest[block], b.leastCost)
			changed[block] = changed[block] || b.changed
		}
		sweeper.Least[block], sweeper.Most[block] = least, greatest
	})
	lower, upper := sweeper.Extremes()
	return Greedy{Gap{Lower: lower, Upper: upper, Policy: policy}, slices.Min(cheapest), slices.Contains(changed, true)}
}

// OfPolicy returns an upper bound on the gain of a policy, and so on the optimal gain:
// the greatest of T h − h with the policy's actions.
func OfPolicy(model Lister, sweeper *sweep.Sweeper, values vector.Vector, policy []int32) float64 {
	sweeper.Blocks(func(block, lo, hi int) {
		greatest := math.Inf(-1)
		var (
			row  []rows.Entry
			cost float64
		)
		for s := lo; s < hi; s++ {
			row, cost = model.AppendRow(row[:0], s, int(policy[s]))
			value, magnitude, err := values.Action(row, cost, s)
			greatest = max(greatest, value.AddFloat(err+model.RelativeError*magnitude).RoundUp())
		}
		sweeper.Most[block] = greatest
	})
	return slices.Max(sweeper.Most)
}

// Best is the minimum over the actions of one state, in double-double.
type Best struct {
	Action    int32
	Value     doubledouble.Number // (T h − h)(s) as computed
	Floor     float64             // not above the exact minimum, for the model before rounding
	Ceiling   float64             // not below the exact value of the action, for that model
	changed   bool                // whether Action is better than the preferred one by more than rounding
	leastCost float64             // of the actions, not above that of the model before rounding
}

// Best minimises over the actions of s. It keeps the action of the preferred policy if
// no other is better by more than rounding; without such a policy, the first action.
// It overwrites row, to reuse its memory.
func (m Lister) Best(values vector.Vector, prefer []int32, s int, row *[]rows.Entry) Best {
	preferred := 0
	if prefer != nil {
		preferred = int(prefer[s])
	}
	b := Best{Floor: math.Inf(1), leastCost: math.Inf(1)}
	var unresolved float64 // uncertainty of b.Value
	consider := func(a int) {
		entries, cost := m.AppendRow((*row)[:0], s, a)
		*row = entries
		b.leastCost = min(b.leastCost, rounding.LessBy(cost, m.RelativeError))
		if a != preferred && values.ActionFloor(entries, cost, s, m.Discount, m.RelativeError) >= b.Value.RoundUp() {
			return // it is worse, and changes no bound
		}
		value, magnitude, err := values.Action(entries, cost, s)
		if m.Discount != nil {
			value, magnitude, err = values.DiscountedAction(entries, cost, s, m.Discount)
		}
		hidden := err
		if values.Resolution > 0 {
			hidden += values.Resolution * values.Size(entries, s)
		}
		uncertainty := err + m.RelativeError*magnitude
		b.Floor = min(b.Floor, value.AddFloat(-uncertainty).RoundDown())
		if a == preferred || b.Value.Sub(value).Hi > unresolved+hidden {
			b.Action, b.Value, unresolved = int32(a), value, hidden
			b.changed = a != preferred
			b.Ceiling = value.AddFloat(uncertainty).RoundUp()
		}
	}
	consider(preferred)
	for a := range m.NumActions(s) {
		if a != preferred {
			consider(a)
		}
	}
	return b
}
