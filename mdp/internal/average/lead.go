package average

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// How a policy with several closed classes is changed to lead to the best of them.

// sameGain is the relative difference of gains below which rounding decides: some
// units in the last place. Between such classes policy iteration would cycle.
const sameGain = 0x1p-46

// evaluable factors the chain of the current policy. If the chain has several closed
// classes, evaluable first changes the policy so that all states lead to the best class.
// But if the best class is better than that of the last evaluation by no more than rounding,
// they lead to the latter, by actions of the policy evaluated then.
func (it *Iteration) evaluable(ctx context.Context) (*evaluate.System, error) {
	chain := evaluate.NewChain(it.task.Listed, it.policy)
	system, err := evaluate.NewSystem(ctx, chain, it.root)
	if err != nil || len(system.Classes) == 1 {
		return system, err
	}
	best, least := 0, math.Inf(1)
	known, gain := -1, math.Inf(1)
	for i, class := range system.Classes {
		g := system.Gain(class, chain.Costs)
		if g < least {
			best, least = i, g
		}
		if it.answer.Policy != nil && slices.Contains(class.States, it.root) {
			known, gain = i, g
		}
	}
	var before []int32
	if gain <= least+sameGain*math.Abs(least) {
		best, before = known, it.answer.Policy
	}
	if err := it.lead(system.Classes[best].States, before); err != nil {
		return nil, err
	}
	chain = evaluate.NewChain(it.task.Listed, it.policy)
	return evaluate.NewSystem(ctx, chain, system.Classes[best].Root)
}

// lead changes the policy so that its chain reaches the target from every state. States
// that reach it already keep their actions. The others take those of before, a policy
// that reaches the target from every state; if before is nil, actions on shortest
// paths.
func (it *Iteration) lead(target, before []int32) (err error) {
	all := it.task.Rows
	if all == nil {
		if all, err = rows.Of(it.task.Listed); err != nil {
			return err
		}
	}
	reached, followed := make([]bool, len(it.policy)), make([]bool, all.NumChoices())
	for _, s := range target {
		reached[s] = true
	}
	for s, a := range it.policy {
		followed[all.StateStart[s]+a] = true
	}
	predecessors := endcomponents.NewPredecessors(all)
	predecessors.Towards(reached, followed, it.policy)
	if before == nil {
		predecessors.Towards(reached, nil, it.policy)
	}
	for s := range reached {
		if !reached[s] {
			it.policy[s] = before[s]
		}
	}
	return nil
}
