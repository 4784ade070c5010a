package modelfile_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// randomPolicy draws a policy of a model, which is deterministic in half of the
// states or in all.
func randomPolicy(random *rand.Rand, m *modelfile.Model) mdp.Policy {
	p := mdp.Policy{Start: []int32{0}}
	pure := random.IntN(3) == 0
	for s := range m.NumStates() {
		actions := int(m.StateStart[s+1] - m.StateStart[s])
		taken := []int32{int32(random.IntN(actions))}
		if !pure && random.IntN(2) == 0 {
			taken = taken[:0]
			for a := range int32(actions) {
				taken = append(taken, a)
			}
		}
		weights, sum := make([]int64, len(taken)), int64(0)
		for i := range weights {
			weights[i] = 1 + random.Int64N(9)
			sum += weights[i]
		}
		for i, a := range taken {
			p.Actions = append(p.Actions, a)
			p.Probabilities = append(p.Probabilities, big.NewRat(weights[i], sum))
		}
		p.Start = append(p.Start, int32(len(p.Actions)))
	}
	if p.NumRandomized() == 0 {
		p.Probabilities = nil
	}
	return p
}

// What is expected of a step in the chain of a policy is the mean, over the
// actions that the policy takes, of what is expected in the model: next states,
// and rewards, of states, actions and transitions.
func TestUnderIsTheMeanOfActions(t *testing.T) {
	const seed = 11
	for i := range 300 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		exact := i%2 == 0
		m := randomModel(random, exact)
		for r := range m.Rewards {
			m.Rewards[r].Transition = numbers(rationals(random, m.NumTransitions()), exact)
		}
		require.NoError(t, m.Validate())
		p := randomPolicy(random, m)
		chain, err := m.Under(p)
		require.NoError(t, err, "seed %d, model %d", seed, i)
		require.NoError(t, chain.Validate(), "seed %d, model %d", seed, i)
		require.Equal(t, m.NumStates(), chain.NumChoices())
		require.Equal(t, exact, chain.IsExact())
		if m.Kind == modelfile.CTMC {
			assert.Same(t, m, chain)
			continue
		}
		assert.Equal(t, modelfile.DTMC, chain.Kind)
		more, own, err := m.With(p)
		require.NoError(t, err)
		require.NoError(t, more.Validate(), "seed %d, model %d", seed, i)
		assert.Equal(t, m.NumChoices()+p.NumRandomized(), more.NumChoices())
		same, err := more.Under(own)
		require.NoError(t, err)
		assert.Equal(t, plain(chain), plain(same), "seed %d, model %d", seed, i)
		share := func(i int) *big.Rat {
			if p.Probabilities == nil {
				return big.NewRat(1, 1)
			}
			return p.Probabilities[i]
		}
		for s := range m.NumStates() {
			want := make([]*big.Rat, m.NumStates())
			for j := range want {
				want[j] = new(big.Rat)
			}
			for i := int(p.Start[s]); i < int(p.Start[s+1]); i++ {
				k := m.StateStart[s] + p.Actions[i]
				for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
					want[m.Columns[e]].Add(want[m.Columns[e]], new(big.Rat).Mul(share(i), at(m.Values, int(e))))
				}
			}
			for e := chain.RowStart[s]; e < chain.RowStart[s+1]; e++ {
				assertNear(t, exact, want[chain.Columns[e]], at(chain.Values, int(e)))
				want[chain.Columns[e]] = new(big.Rat)
			}
			for _, left := range want {
				assert.Zero(t, left.Sign())
			}
		}
		for _, r := range m.Rewards {
			of, err := m.ExpectedRewards(r.Name)
			require.NoError(t, err)
			got, err := chain.ExpectedRewards(r.Name)
			require.NoError(t, err)
			for s := range m.NumStates() {
				want := new(big.Rat)
				for i := int(p.Start[s]); i < int(p.Start[s+1]); i++ {
					want.Add(want, new(big.Rat).Mul(share(i), at(of, int(m.StateStart[s]+p.Actions[i]))))
				}
				assertNear(t, exact, want, at(got, s))
			}
		}
	}
}

func at(n modelfile.Numbers, i int) *big.Rat {
	switch {
	case n.Len() == 0:
		return new(big.Rat)
	case n.Exact != nil:
		return n.Exact[i]
	}
	return new(big.Rat).SetFloat64(n.Float[i])
}

// assertNear wants equal numbers, or, of rewards up to 1e3, nearly equal ones.
func assertNear(t *testing.T, exact bool, want, got *big.Rat) {
	t.Helper()
	if exact {
		assert.Zero(t, want.Cmp(got), "%v, not %v", got, want)
		return
	}
	x, _ := want.Float64()
	y, _ := got.Float64()
	assert.InDelta(t, x, y, 1e-9)
}

// A choice that mixes others changes no optimum.
func TestWithKeepsTheOptimum(t *testing.T) {
	const seed = 12
	for i := range 100 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		m := randomModel(random, true)
		if m.Kind != modelfile.MDP || len(m.Rewards) == 0 {
			continue
		}
		more, _, err := m.With(randomPolicy(random, m))
		require.NoError(t, err)
		of := func(m *modelfile.Model) []exact.Value {
			model, err := m.Exact(m.Rewards[0].Name)
			require.NoError(t, err)
			answer, err := model.Average(t.Context(), mdp.Minimize)
			require.NoError(t, err)
			return answer.Values
		}
		want, got := of(m), of(more)
		for s := range want {
			assert.Equal(t, want[s].String(), got[s].String(), "seed %d, model %d", seed, i)
		}
	}
}

// Names of actions stay where a state takes one of them.
func TestUnderKeepsNames(t *testing.T) {
	m := readFile(t, "testdata/toymaker.json", modelfile.Options{Exact: true})
	chain, err := m.Under(mdp.Policy{Actions: []int32{1, 0}})
	require.NoError(t, err)
	assert.Equal(t, m.ActionName(0, 1), chain.ActionName(0, 0))
	assert.Equal(t, m.Labels, chain.Labels)
	for _, actions := range [][]int32{{0}, {0, 2}, {0, -1}} {
		_, err := m.Under(mdp.Policy{Actions: actions})
		require.ErrorContains(t, err, "policy")
	}
}
