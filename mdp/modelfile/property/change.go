package property

// Changed models: with absorbing states, or in the steps of the jumps of a CTMC.

import (
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// zero and one are shared: nobody changes them.
var zero, one = new(big.Rat), big.NewRat(1, 1)

// put appends a number to a list of a model.
func put(list *modelfile.Numbers, x *big.Rat, exact bool) {
	float, _ := x.Float64()
	if list.Float = append(list.Float, float); exact {
		list.Exact = append(list.Exact, x)
	}
}

// ones returns 1 for some states and 0 for others.
func ones(m *modelfile.Model, states []bool) (list modelfile.Numbers) {
	list.Float = make([]float64, len(states))
	for s, is := range states {
		x := zero
		if is {
			x, list.Float[s] = one, 1
		}
		if m.IsExact() {
			list.Exact = append(list.Exact, x)
		}
	}
	return list
}

// rebuilt returns a model of a kind with the states of m and those of its choices that are
// kept. A state that keeps none is never left.
func rebuilt(m *modelfile.Model, kind modelfile.Kind, keeps func(s int, k int32) bool) *modelfile.Model {
	to := new(*m)
	to.Kind, to.Labels, to.Rewards, to.Unread, to.ActionNames = kind, nil, nil, nil, nil
	to.StateStart, to.RowStart = make([]int32, 1, m.NumStates()+1), make([]int32, 1, m.NumChoices()+1)
	to.Columns, to.Values, to.High, to.Distance = make([]int32, 0, m.NumTransitions()), modelfile.Numbers{Float: make([]float64, 0, m.NumTransitions())}, modelfile.Numbers{}, modelfile.Numbers{}
	if m.IsExact() {
		to.Values.Exact = []*big.Rat{}
	}
	kept := func(to, from *modelfile.Numbers, lo, hi int32) { // an empty list stays empty
		if from.Len() > 0 {
			to.Float = append(to.Float, from.Float[lo:hi]...)
		}
		if from.Len() > 0 && from.Exact != nil {
			to.Exact = append(to.Exact, from.Exact[lo:hi]...)
		}
	}
	endChoice := func(s int, name string) {
		if last := to.RowStart[len(to.RowStart)-1]; int(last) == len(to.Columns) && kind != modelfile.CTMC && kind != modelfile.CTMDP { // it stays
			to.Columns = append(to.Columns, int32(s))
			to.Values.Float = append(to.Values.Float, 1)
			if m.IsExact() {
				to.Values.Exact = append(to.Values.Exact, one)
			}
			if m.IsUncertain() {
				put(&to.High, one, m.IsExact())
			}
		}
		if m.Distance.Len() > 0 && to.Distance.Len() < len(to.RowStart) {
			put(&to.Distance, zero, m.Distance.Exact != nil)
		}
		if to.RowStart = append(to.RowStart, int32(len(to.Columns))); m.ActionNames != nil {
			to.ActionNames = append(to.ActionNames, name)
		}
	}
	for s := range m.NumStates() {
		for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
			lo, hi := m.RowStart[k], m.RowStart[k+1]
			if !keeps(s, k) {
				continue
			}
			to.Columns = append(to.Columns, m.Columns[lo:hi]...)
			kept(&to.Values, &m.Values, lo, hi)
			kept(&to.High, &m.High, lo, hi)
			kept(&to.Distance, &m.Distance, k, k+1)
			name := ""
			if m.ActionNames != nil {
				name = m.ActionNames[k]
			}
			endChoice(s, name)
		}
		if len(to.RowStart)-1 == int(to.StateStart[s]) {
			endChoice(s, "")
		}
		to.StateStart = append(to.StateStart, int32(len(to.RowStart)-1))
	}
	return to
}

// absorbing returns the model in which some states are never left.
func absorbing(m *modelfile.Model, states []bool) *modelfile.Model {
	return rebuilt(m, m.Kind, func(s int, _ int32) bool { return !states[s] })
}

// jumps returns the model of the jumps of a model in continuous time, and any other model as it is.
func jumps(m *modelfile.Model) *modelfile.Model {
	if !m.Kind.IsContinuous() {
		return m
	}
	kind := modelfile.MDP
	if m.Kind == modelfile.CTMC {
		kind = modelfile.DTMC
	}
	to := rebuilt(m, kind, func(int, int32) bool { return true })
	rates := to.Values.Rationals()
	to.Values = modelfile.Numbers{}
	for k := range to.NumChoices() {
		row, sum := rates[to.RowStart[k]:to.RowStart[k+1]], new(big.Rat)
		for _, x := range row {
			sum.Add(sum, x)
		}
		for _, x := range row {
			put(&to.Values, new(big.Rat).Quo(x, sum), m.IsExact())
		}
	}
	return to
}

// paths returns the model whose policies make every path of m: each transition of m becomes an
// action that leads to its next state with probability 1.
func paths(m *modelfile.Model) *modelfile.Model {
	to := rebuilt(m, modelfile.MDP, func(int, int32) bool { return true })
	for s, k := range to.StateStart {
		to.StateStart[s] = to.RowStart[k]
	}
	to.ActionNames, to.RowStart, to.Values = nil, []int32{0}, ones(m, slices.Repeat([]bool{true}, len(to.Columns)))
	for e := range to.Columns {
		to.RowStart = append(to.RowStart, int32(e+1))
	}
	return to
}

// idle returns the states among which some policy goes around for ever by choices that pay
// nothing.
func idle(m *modelfile.Model, pays []bool) ([]bool, error) {
	states := make([]bool, m.NumStates())
	component, err := components(rebuilt(m, m.Kind, func(s int, k int32) bool {
		states[s] = states[s] || !pays[k]
		return !pays[k]
	}))
	for s := range states {
		states[s] = states[s] && err == nil && component[s] >= 0
	}
	return states, err
}

// components returns the end component of each state, −1 outside of them.
func components(m *modelfile.Model) ([]int, error) {
	graph, err := m.GraphTable()
	if err != nil {
		return nil, err
	}
	return mdp.Analyze(graph).Component, nil
}
