package average

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// How a policy with several closed classes is changed to lead to the best of them.

// evaluable factors the chain of the current policy. If the chain has several closed
// classes, evaluable first changes the policy so that all states lead to the best class.
func (it *Iteration) evaluable(ctx context.Context) (*evaluate.System, error) {
	chain := evaluate.NewChain(it.task.Listed, it.policy)
	system, err := evaluate.NewSystem(ctx, chain, it.root)
	if err != nil || len(system.Classes) == 1 {
		return system, err
	}
	best, least := 0, math.Inf(1)
	for i, class := range system.Classes {
		if g := system.Gain(class, chain.Costs); g < least {
			best, least = i, g
		}
	}
	if err := it.lead(system.Classes[best].States); err != nil {
		return nil, err
	}
	chain = evaluate.NewChain(it.task.Listed, it.policy)
	return evaluate.NewSystem(ctx, chain, system.Classes[best].Root)
}

// lead changes the policy so that its chain reaches the target from every state. States
// that reach it already keep their actions. The others take actions on shortest paths.
func (it *Iteration) lead(target []int32) (err error) {
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
	predecessors.Towards(reached, nil, it.policy)
	return nil
}
