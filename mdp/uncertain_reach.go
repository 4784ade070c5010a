package mdp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/uncertain"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Totals where nature may choose what can be reached. The total of a path that does not reach the
// target is infinite, so either player may want to keep away from the target. A game decides where
// the total is finite. It also gives a first choice of nature, with which the total of the ordinary
// model is finite in the same states. Improvements of that choice do not change these states.

// reach says what the graph of such a model decides: from where the target can be reached or avoided.
type reach struct {
	rows       *uncertain.Rows
	target     []bool
	controller bool // the controller wants to reach the target
	nature     bool // so does nature
	finite     []bool

	// order has a value for each state. Nature's choice for these values reaches the target, or keeps
	// away from it: see [uncertain.Rows.Reaching].
	order []float64

	actions []int32 // of a policy that avoids the target wherever it can
}

func newReach(g *withNature, t TotalCost) *reach {
	r := &reach{rows: g.uncertain.rows, target: make([]bool, g.uncertain.NumStates()), controller: t.Sense == Minimize}
	r.nature = r.controller == (g.sign < 0)
	for _, s := range t.Target {
		r.target[s] = true
	}
	var order []int32
	r.finite, order, r.actions = r.rows.Reaching(r.target, nil, r.controller, r.nature)
	for _, place := range order {
		if x := float64(place); r.controller {
			r.order = append(r.order, x)
		} else {
			r.order = append(r.order, -x) // costs are negative rewards
		}
	}
	return r
}

// isTrapping reports whether nature may want to keep from the target a policy that wants to reach it.
func (r *reach) isTrapping() bool { return r != nil && r.controller && !r.nature }

// trapped returns values that are infinite where nature keeps a policy from the target.
func (r *reach) trapped(values Vector, policy []int32) Vector {
	v := values.inner()
	surely, _, _ := r.rows.Reaching(r.target, policy, r.controller, r.nature)
	for s, is := range surely {
		if !is {
			v.High[s] = math.Inf(1)
			v.Low[s] = 0
		}
	}
	return vectorOf(v)
}

// avoiding returns a policy that avoids the target where its total is to be infinite: the optimal one of
// an ordinary model may do so only as long as nature keeps to its choice.
func (r *reach) avoiding(policy []int32) []int32 {
	if r == nil || r.controller {
		return policy
	}
	policy = slices.Clone(policy)
	for s, is := range r.finite {
		if !is {
			policy[s] = r.actions[s]
		}
	}
	return policy
}

// open gives up one bound in two cases. In the first, the game says that the total is finite, but
// nature's choice makes it infinite: nature gains on a cycle, and cannot stay there for ever. In the
// second, the total is to be infinite, but the policy of the result reaches the target.
func (r *reach) open(p *Proof, policy []int32) {
	if r == nil {
		return
	}
	finite := r.finite
	if !r.controller {
		finite, _, _ = r.rows.Reaching(r.target, policy, r.controller, r.nature)
	}
	for s, is := range finite {
		if is && r.controller && math.IsInf(p.Lower.Value.High[s], 1) {
			p.Lower.Value.High[s] = math.Inf(-1)
		}
		if is && !r.controller && math.IsInf(p.Upper.Value.High[s], -1) {
			p.Upper.Value.High[s] = math.Inf(1)
		}
	}
}

// delay is a cost of each step, relative to the largest cost. The solves that find policies and nature's
// choice add it where nature may keep a policy from the target: a policy that nature can keep from
// the target at no cost then has an infinite value.
const delay = 0x1p-40

// round solves the ordinary model of nature's present choice. It starts from *start, the result of the
// round before, and leaves there the result from which the next round starts.
func (g *withNature) round(ctx context.Context, all *rows.Rows, start **Result) (found *Result, err error) {
	if !g.reach.isTrapping() {
		if *start, err = g.ordinary(ctx, g.table(all), *start); err != nil {
			return nil, err
		}
		copied := **start
		return &copied, nil
	}
	delayed := *all
	step := delay * cmp.Or(vector.LargestMagnitude(all.Costs), 1)
	delayed.Costs = slices.Clone(all.Costs)
	for k := range delayed.Costs {
		delayed.Costs[k] += step
	}
	if *start, err = g.ordinary(ctx, g.table(&delayed), *start); err != nil {
		return nil, err
	}
	if found, err = g.ordinary(ctx, g.table(all), nil); err != nil {
		return nil, err
	}
	chain, err := Under(g.table(all), Policy{Actions: (*start).Policy})
	if err != nil {
		return nil, err
	}
	own, err := g.ordinary(ctx, chain, &Result{Policy: make([]int32, g.uncertain.NumStates())})
	if err != nil {
		return nil, err
	}
	found.Policy, found.proof.Upper = (*start).Policy, own.proof.Upper
	return found, nil
}
