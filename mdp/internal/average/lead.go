package average

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// How a policy whose chain has several closed classes is changed to lead to the best
// of them.

// sameGain is the relative difference up to which rounding may decide between gains: some
// units in the last place. Among such classes policy iteration would go in circles.
const sameGain = 0x1p-46

// evaluable factors the chain of the current policy, after leading all states to the best
// of its closed classes where there are several. The class of the last evaluation stays
// where none is better by more than rounding, and what does not reach it goes on as then.
func (it *Iteration) evaluable(ctx context.Context) (*evaluate.System, error) {
	chain := evaluate.NewChain(it.task.Sweeper.Team, it.model, it.current.Policy)
	system, err := evaluate.NewSystem(ctx, it.factors, chain, it.root)
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
		if it.best.Policy != nil && slices.Contains(class.States, it.root) {
			known, gain = i, g
		}
	}
	var before []int32
	if gain <= least+sameGain*math.Abs(least) {
		best, before = known, it.best.Policy
	}
	it.lead(chain, system.Classes[best].States, before)
	chain = evaluate.NewChain(it.task.Sweeper.Team, it.model, it.current.Policy)
	return evaluate.NewSystem(ctx, it.factors, chain, system.Classes[best].Root)
}

// lead changes the policy so that its chain reaches the target from every
// state, and no more than that needs: states that reach it as they are keep
// their actions. Others take those of the policy before, unless that is nil: it has to
// reach the target, too.
func (it *Iteration) lead(chain *evaluate.Chain, target, before []int32) {
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
		if before != nil {
			for s := range reached {
				if !reached[s] {
					it.current.Policy[s] = before[s]
				}
			}
			return
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
	panic(fmt.Sprintf("average: no action of state %d leads to state %d, though the graph says so", s, target))
}
