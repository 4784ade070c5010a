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
	chain := evaluate.NewChain(it.task.Sweeper.Team, it.task.Listed, it.policy)
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
		if it.answer.Policy != nil && slices.Contains(class.States, it.root) {
			known, gain = i, g
		}
	}
	var before []int32
	if gain <= least+sameGain*math.Abs(least) {
		best, before = known, it.answer.Policy
	}
	it.lead(chain, system.Classes[best].States, before)
	chain = evaluate.NewChain(it.task.Sweeper.Team, it.task.Listed, it.policy)
	return evaluate.NewSystem(ctx, it.factors, chain, system.Classes[best].Root)
}

// lead changes the policy so that its chain reaches the target from every state. States
// that reach it as they are keep their actions. Others take those of the policy before,
// unless that is nil: it has to reach the target, too.
func (it *Iteration) lead(chain *evaluate.Chain, target, before []int32) {
	reached := make([]bool, chain.NumStates())
	var found []int32
	reach := func(s int32) {
		if !reached[s] {
			reached[s] = true
			found = append(found, s)
		}
	}
	for _, s := range target {
		reach(s)
	}
	predecessors := chain.Reverse()
	for i := 0; i < len(found); i++ {
		for _, s := range predecessors.Next(found[i]) {
			reach(s)
		}
	}
	for s := range reached {
		if before != nil && !reached[s] {
			it.policy[s] = before[s]
		}
	}
	for i := 0; i < len(found) && before == nil; i++ {
		for _, s := range it.predecessors.Next(found[i]) {
			if !reached[s] {
				it.policy[s] = actionTowards(it.task.Listed, int(s), found[i])
				reach(s)
			}
		}
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
