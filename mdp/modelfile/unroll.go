// This file unrolls a model over the steps of a finite horizon.

package modelfile

import (
	"fmt"
	"math/big"
	"slices"
)

// mostUnrolled bounds the states of all steps together, and likewise the choices and the transitions.
const mostUnrolled = 2_000_000

// EndLabel is the label of the last state of [Model.Unrolled].
const EndLabel = "end"

// FitsSteps returns the error of [Model.Unrolled] for so many steps, before any work.
func (m *Model) FitsSteps(steps int) error {
	if m.Kind.IsContinuous() {
		return fmt.Errorf("modelfile: a %v has no steps", m.Kind)
	}
	if most := mostUnrolled / (max(m.NumStates(), m.NumChoices(), m.NumTransitions()) + 1); steps > most {
		return fmt.Errorf("modelfile: %d is too large here, where each step has states of its own: use at most %d", steps, most)
	}
	return nil
}

// Unrolled returns an MDP that has states for each step of a DTMC or MDP with n states: state t·n+s
// is state s after t steps. So a stationary policy of it is a policy for each step. After the last
// step, each state earns its element of ending in the reward model named reward, and leads to a last
// state, which has the label [EndLabel] and earns nothing. An empty ending stands for zeros. So a
// total until that label is the total of the steps, and a discounted total weighs what is earned
// after t steps by β^t.
//
// It fails in continuous time, which has no steps, and where the model would have more than about
// 2,000,000 states, choices or transitions (see [Model.FitsSteps]).
func (m *Model) Unrolled(steps int, reward string, ending Numbers) (*Model, error) {
	if err := m.FitsSteps(steps); err != nil {
		return nil, err
	}
	n := m.NumStates()
	u := &Model{Kind: MDP, StateStart: []int32{0}, RowStart: []int32{0}, Initial: m.Initial, ZeroWidth: m.ZeroWidth, Unread: m.Unread}
	for t := range steps {
		states, choices, transitions := int32((t+1)*n), int32(t*m.NumChoices()), int32(t*m.NumTransitions())
		u.StateStart = shifted(u.StateStart, m.StateStart[1:], choices)
		u.RowStart = shifted(u.RowStart, m.RowStart[1:], transitions)
		u.Columns = shifted(u.Columns, m.Columns, states)
		u.ActionNames = append(u.ActionNames, m.ActionNames...)
	}
	last := int32((steps + 1) * n)
	for range n + 1 { // each state after the last step, and the last state, lead to the last state
		u.Columns = append(u.Columns, last)
		u.RowStart = append(u.RowStart, int32(len(u.Columns)))
		u.StateStart = append(u.StateStart, int32(len(u.RowStart)-1))
	}
	if m.ActionNames != nil {
		u.ActionNames = append(u.ActionNames, make([]string, n+1)...)
	}
	ones := Numbers{Float: slices.Repeat([]float64{1}, n+1)}
	if m.IsExact() {
		ones.Exact = slices.Repeat([]*big.Rat{big.NewRat(1, 1)}, n+1)
	}
	u.Values = layered(m.Values, steps, m.NumTransitions(), ones, u.NumTransitions())
	if m.IsUncertain() {
		u.High = layered(m.High, steps, m.NumTransitions(), ones, u.NumTransitions())
		u.Distance = layered(m.Distance, steps, m.NumChoices(), Numbers{}, u.NumChoices())
	}
	for _, r := range m.Rewards {
		end := Numbers{}
		if r.Name == reward {
			end = ending
		}
		u.Rewards = append(u.Rewards, RewardModel{
			Name:       r.Name,
			State:      layered(r.State, steps, n, end, u.NumStates()),
			Action:     layered(r.Action, steps, m.NumChoices(), Numbers{}, u.NumChoices()),
			Transition: layered(r.Transition, steps, m.NumTransitions(), Numbers{}, u.NumTransitions()),
		})
	}
	u.Labels = map[string][]int32{EndLabel: {last}}
	return u, nil
}

// shifted appends numbers to a list, each with something added.
func shifted(list, more []int32, by int32) []int32 {
	for _, x := range more {
		list = append(list, x+by)
	}
	return list
}

// layered returns a list that consists of numbers, a list of the given length, several times, then
// another list, then zeros up to a total length. Empty lists stand for zeros.
func layered(numbers Numbers, times, length int, then Numbers, total int) (list Numbers) {
	if numbers.Len() == 0 && then.Len() == 0 {
		return Numbers{}
	}
	for t := range times {
		for i := range numbers.Len() {
			list.put(t*length+i, numbers.value(i))
		}
	}
	for i := range then.Len() {
		list.put(times*length+i, then.value(i))
	}
	list.complete(total)
	return list
}
