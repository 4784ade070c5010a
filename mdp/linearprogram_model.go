package mdp

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// programModel is a small model by its choices, in dense rows.
type programModel struct {
	n     int
	state []int       // by choice
	first []int       // by state: its first choice, and the number of choices
	moves [][]float64 // by choice and state: probabilities of moving there
	leave []float64   // by choice: their sum
	costs []float64   // by choice, of magnitude up to 1
	scale float64     // what costs are multiples of
}

func newProgramModel(model Explicit) *programModel {
	m := &programModel{n: model.NumStates(), first: []int{0}, scale: 1}
	var row []Entry
	for s := range m.n {
		for a := range model.NumActions(s) {
			var cost float64
			row, cost = model.AppendRow(row[:0], s, a)
			moves := make([]float64, m.n)
			for _, e := range row {
				if int(e.State) != s {
					moves[e.State] += e.Probability
				}
			}
			m.state, m.moves, m.costs = append(m.state, s), append(m.moves, moves), append(m.costs, cost)
			m.leave = append(m.leave, floats.Sum(moves))
		}
		m.first = append(m.first, len(m.state))
	}
	if largest := largestMagnitude(m.costs); largest > 0 {
		m.scale = largest
		floats.Scale(1/largest, m.costs)
	}
	return m
}

// discounted returns the values and the policy of the least discounted cost.
func (m *programModel) discounted(ctx context.Context, discount float64) (v []float64, policy []int32, err error) {
	y, err := m.minimize(ctx, m.costs, slices.Repeat([]float64{1}, m.n), m.first[:m.n], m.flow(discount, nowhere))
	if err != nil {
		return nil, nil, err
	}
	chosen := m.most(y)
	matrix, right := mat.NewDense(m.n, m.n, nil), make([]float64, m.n)
	for s, k := range chosen {
		m.flow(discount, nowhere)(k, matrix.RawRowView(s))
		right[s] = m.scale * m.costs[k]
	}
	v, err = solveDense(matrix, right)
	return v, m.actions(chosen), err
}

// disturbance is what flows into each state from outside, beside shares of time
// that sum to 1, so that no vertex of the program of the average is degenerate:
// the simplex method of gonum often fails at those. A basis that is optimal with
// it has no reduced cost below 0, so it is optimal without it.
const disturbance = 1e-8

// average returns gain and relative values of a policy of the least average.
func (m *programModel) average(ctx context.Context) (gain float64, h []float64, policy []int32, err error) {
	sink, start, err := m.sink()
	if err != nil {
		return 0, nil, nil, err
	}
	right := slices.Repeat([]float64{disturbance}, m.n)
	right[sink] = 1
	x, err := m.minimize(ctx, m.costs, right, start, m.balance(sink))
	if err != nil {
		return 0, nil, nil, err
	}
	basis := make([]int, len(x))
	for k := range basis {
		basis[k] = k
	}
	slices.SortStableFunc(basis, func(k, l int) int { return cmp.Compare(x[l], x[k]) })
	basis = basis[:m.n]
	clear(right)
	right[sink] = 1
	shares, err := m.vertex(basis, right, m.balance(sink))
	if err != nil {
		return 0, nil, nil, err
	}
	most := 0
	for i, k := range basis {
		gain += m.costs[k] * shares[i]
		if shares[i] > shares[most] {
			most = i
		}
	}
	return m.averageBy(ctx, basis[most], gain)
}

// averageBy returns gain and relative values of a policy that leads from
// everywhere to the state of a choice, at the least cost above the gain, and
// takes that choice there.
func (m *programModel) averageBy(ctx context.Context, choice int, gain float64) (float64, []float64, []int32, error) {
	target := m.state[choice]
	start, everywhere := m.attract(target)
	if !everywhere {
		return 0, nil, nil, fmt.Errorf("%w: the states of least average cost cannot be reached from everywhere", ErrUnsupported)
	}
	above := make([]float64, len(m.costs))
	for k, c := range m.costs {
		if m.state[k] != target {
			above[k] = c - gain
		}
	}
	y, err := m.minimize(ctx, above, slices.Repeat([]float64{1}, m.n), start, m.flow(1, target))
	if err != nil {
		return 0, nil, nil, err
	}
	chosen := m.most(y)
	chosen[target] = choice
	// The values solve g + h = c + P·h; g takes the place of h(target) = 0.
	matrix, right := mat.NewDense(m.n, m.n, nil), make([]float64, m.n)
	for s, k := range chosen {
		row := matrix.RawRowView(s)
		floats.SubTo(row, row, m.moves[k])
		row[s] = m.leave[k]
		row[target] = 1
		right[s] = m.scale * m.costs[k]
	}
	h, err := solveDense(matrix, right)
	if err != nil {
		return 0, nil, nil, err
	}
	gain, h[target] = h[target], 0
	return gain, h, m.actions(chosen), nil
}

// nowhere is the target of a flow without one.
const nowhere = -1

// flow returns what a choice adds to the equations Σ_a y(j,a) − β·Σ p·y = 1. What
// flows into the target is lost there.
func (m *programModel) flow(discount float64, target int) func(k int, column []float64) {
	return func(k int, column []float64) {
		s := m.state[k]
		if s == target {
			column[s] = 1
			return
		}
		floats.AddScaled(column, -discount, m.moves[k])
		if target != nowhere {
			column[target] = 0
		}
		column[s] = 1 - discount + discount*m.leave[k]
	}
}

// balance returns what a choice adds to the equations Σ_a x(j,a) − Σ p·x = 0, of
// which that of the sink follows from the others and makes room for Σ x = 1.
func (m *programModel) balance(sink int) func(k int, column []float64) {
	return func(k int, column []float64) {
		floats.Sub(column, m.moves[k])
		column[m.state[k]] = m.leave[k]
		column[sink] = 1
	}
}

// most returns, for each state, the choice of which there is most.
func (m *programModel) most(y []float64) []int {
	chosen := slices.Clone(m.first[:m.n])
	for k, s := range m.state {
		if y[k] > y[chosen[s]] {
			chosen[s] = k
		}
	}
	return chosen
}

// actions returns the policy of chosen choices.
func (m *programModel) actions(chosen []int) []int32 {
	policy := make([]int32, m.n)
	for s, k := range chosen {
		policy[s] = int32(k - m.first[s])
	}
	return policy
}

// sink returns a state that can be reached from everywhere, with choices that
// lead there.
func (m *programModel) sink() (sink int, chosen []int, err error) {
	for s := range m.n {
		if chosen, everywhere := m.attract(s); everywhere {
			return s, chosen, nil
		}
	}
	return 0, nil, fmt.Errorf("%w: no state can be reached from everywhere", ErrUnsupported)
}

// attract returns choices that lead to a state from all states, or from as many
// as can reach it.
func (m *programModel) attract(target int) (chosen []int, everywhere bool) {
	chosen = slices.Clone(m.first[:m.n])
	reached := make([]bool, m.n)
	reached[target] = true
	found := []int{target}
	for i := 0; i < len(found); i++ {
		for k, s := range m.state {
			if !reached[s] && m.moves[k][found[i]] > 0 {
				reached[s], chosen[s] = true, k
				found = append(found, s)
			}
		}
	}
	return chosen, len(found) == m.n
}
