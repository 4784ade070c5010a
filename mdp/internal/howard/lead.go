package howard

import (
	"context"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// How a policy whose chain has several closed classes is changed to lead to the best
// of them.

// evaluable factors the chain of the current policy, after leading all states
// to the best of its closed classes where there are several.
func (it *Iteration) evaluable(ctx context.Context) (*evaluate.System, error) {
	chain := evaluate.NewChain(it.task.Sweeper.Team, it.model, it.current.Policy)
	system, err := evaluate.NewSystem(ctx, it.factors, chain, it.root)
	if err != nil || len(system.Classes) == 1 {
		return system, err
	}
	best, least := 0, math.Inf(1)
	for i, class := range system.Classes {
		if g := system.Gain(class, chain.Costs); g < least {
			best, least = i, g
		}
	}
	it.lead(chain, system.Classes[best].States)
	chain = evaluate.NewChain(it.task.Sweeper.Team, it.model, it.current.Policy)
	return evaluate.NewSystem(ctx, it.factors, chain, system.Classes[best].Root)
}

// lead changes the policy so that its chain reaches the target from every
// state, and no more than that needs: states that reach it as they are keep
// their actions.
func (it *Iteration) lead(chain *evaluate.Chain, target []int32) {
	policyPredecessors := chain.Reverse()
	reached := make([]bool, chain.NumStates())
	// found holds what is reached; those before settled have had their
	// predecessors under the policy looked at, those before asked also the
	// predecessors under other actions.
	var found []int32
	settled, asked, place := 0, 0, 0 // place: of the predecessor of found[asked] to look at next
	reach := func(s int32) {
		if !reached[s] {
			reached[s] = true
			found = append(found, s)
		}
	}
	for _, s := range target {
		reach(s)
	}
	for asked < len(found) {
		for ; settled < len(found); settled++ {
			for _, s := range policyPredecessors.Next(found[settled]) {
				reach(s)
			}
		}
		predecessors := it.predecessors.Next(found[asked])
		for place < len(predecessors) && reached[predecessors[place]] {
			place++
		}
		if place == len(predecessors) {
			asked, place = asked+1, 0
			continue
		}
		s := predecessors[place]
		it.current.Policy[s] = actionTowards(it.model, int(s), found[asked])
		reach(s) // and whatever reaches s by the policy may keep its action
	}
}

// actionTowards returns the first action of s that can lead to the target in
// one step.
func actionTowards(model rows.Lister, s int, target int32) int32 {
	var row []rows.Entry
	for a := range model.NumActions(s) {
		row, _ = model.AppendRow(row[:0], s, a)
		for _, e := range row {
			if e.State == target && e.Probability > 0 {
				return int32(a)
			}
		}
	}
	panic(fmt.Sprintf("howard: no action of state %d leads to state %d, though the graph says so", s, target))
}
