package property

// Totals of all steps in models with intervals, as totals until states where nothing is earned.

import (
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// endless states R [C] about a model with intervals, with rewards from 0.
//
// Some states are worth 0: those where whoever wants the least total, of controller and nature, can
// stay without rewards for ever, whatever the other does. The total of all steps is the total until these
// states, provided that nobody can stay without rewards for ever elsewhere: then a run that never comes
// to them earns without end, and a total until a target, too, counts it as infinite. Otherwise the
// question is refused: staying elsewhere earns 0, but counts as infinite in a total until these states,
// so that whoever wants the greatest total would stay there.
func (q *question) endless(r modelfile.RewardModel) (*Question, error) {
	m := q.from
	pays, isPositive := paying(m, &r)
	owner := newStateGraph(m).owner
	minimizes := (q.nature == mdp.Optimistic) == (q.sense == mdp.Minimize)
	free, always := stays(m, owner, pays, true, true), stays(m, owner, pays, q.sense == mdp.Minimize, minimizes)
	switch {
	case !isPositive:
		return nil, q.refuse("R [C] with rewards below 0 in a model with intervals", "R [F φ]")
	case m.Distance.Len() > 0 || m.Kind.IsContinuous() && r.Action.Len()+r.Transition.Len() > 0:
		return nil, q.refuse("R [C] in a model with an L1 distance, or with rewards of jumps whose rates are intervals", "R [F φ]")
	case !slices.Equal(free, always):
		at := 0
		for free[at] == always[at] {
			at++
		}
		return nil, q.refuse("R [C] where some choices of policy and nature stay without rewards, and others do not: in state "+m.StateName(at), "R [F φ]")
	}
	return q.total(r, always), nil
}

// paying marks the choices with a reward above 0, and reports whether none is below 0.
func paying(m *modelfile.Model, r *modelfile.RewardModel) (pays []bool, isPositive bool) {
	pays, isPositive = make([]bool, m.NumChoices()), true
	for k, s := range newStateGraph(m).owner {
		add := func(list modelfile.Numbers, i int32) {
			if list.Len() > 0 {
				sign := signOf(list, int(i))
				pays[k], isPositive = pays[k] || sign > 0, isPositive && sign >= 0
			}
		}
		add(r.State, s)
		add(r.Action, int32(k))
		for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
			add(r.Transition, e)
		}
	}
	return pays, isPositive
}

// stays returns the states where a run can be kept without rewards for ever. controller and nature say
// who wants that; the others try to prevent it.
func stays(m *modelfile.Model, owner []int32, pays []bool, controller, nature bool) []bool {
	states := negated(make([]bool, m.NumStates()))
	for again := true; again; {
		next := make([]bool, len(states))
		for s := range next {
			next[s] = states[s] && !controller
		}
		for k, s := range owner {
			if can := states[s] && !pays[k] && keeps(m, int32(k), states, nature); can == controller {
				next[s] = can
			}
		}
		again, states = !slices.Equal(next, states), next
	}
	return states
}

// keeps reports whether a choice leads to some states only: for some probabilities in the intervals, or
// for all.
func keeps(m *modelfile.Model, k int32, states []bool, some bool) bool {
	most := new(big.Rat) // of the probability of those states
	leaves := false
	for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
		switch high := m.High.Float[e]; {
		case states[m.Columns[e]]:
			most.Add(most, new(big.Rat).SetFloat64(high))
		case high > 0 && (!some || m.Values.Float[e] > 0):
			return false
		case high > 0:
			leaves = true
		}
	}
	return !leaves || m.Kind.IsContinuous() || most.Cmp(one) >= 0
}
