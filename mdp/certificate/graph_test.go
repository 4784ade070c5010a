package certificate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// randomRows returns the rows of a random model, and all that is known of it.
func randomRows(t *testing.T, random *rand.Rand) (*rows, *exactModel, *modelfile.Model) {
	t.Helper()
	style := randomStyle(random)
	style.kind = modelfile.MDP
	m := randomModel(t, random, style)
	r, err := newRows(m, &modelfile.RewardModel{}), error(nil)
	require.NoError(t, err)
	return r, newExactModel(m), m
}

func TestComponents(t *testing.T) {
	trials(t, 200, func(t *testing.T, random *rand.Rand) {
		n := 1 + random.IntN(8)
		edge := make([][]bool, n)
		for i := range edge {
			edge[i] = make([]bool, n)
			for j := range edge[i] {
				edge[i][j] = random.IntN(n+1) == 0
			}
		}
		m := &modelfile.Model{StateStart: []int32{0}, RowStart: []int32{0}}
		for i := range edge { // two choices, of which only the first is allowed
			for j, is := range edge[i] {
				if is {
					m.Columns = append(m.Columns, int32(j))
				}
			}
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
			m.Columns = append(m.Columns, int32(random.IntN(n)))
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
			m.StateStart = append(m.StateStart, int32(2*i+2))
		}
		r := &rows{Model: m}
		allowed := slices.Repeat([]bool{true, false}, n)
		component := r.components(allowed)
		for i := range edge {
			edge[i][i] = true
		}
		for k := range n {
			for i := range n {
				for j := range n {
					edge[i][j] = edge[i][j] || edge[i][k] && edge[k][j]
				}
			}
		}
		for i := range n {
			marked := make([]bool, n)
			marked[i] = true
			follow(r, allowed, marked)
			assert.Equal(t, edge[i], marked)
			for j := range n {
				assert.Equal(t, edge[i][j] && edge[j][i], component[i] == component[j])
			}
		}
	})
}

// The end components are those of all policies together: two states are in one if
// and only if they are in the class of some policy, or in classes that overlap.
func TestEndComponents(t *testing.T) {
	trials(t, 300, func(t *testing.T, random *rand.Rand) {
		r, oracle, m := randomRows(t, random)
		ends := r.endComponents(all(r))
		n := r.NumStates()
		recurrent := make([]bool, n)
		oracle.policies(func(policy []int32) {
			reach := oracle.reachability(policy, nil)
			for s := range n {
				class := true
				for j := range n {
					class = class && (!reach[s][j] || reach[j][s])
				}
				if !class {
					continue
				}
				recurrent[s] = true
				for j := range n {
					if reach[s][j] {
						assert.Equal(t, ends.component[s], ends.component[j])
						assert.True(t, ends.stays[m.StateStart[j]+policy[j]])
					}
				}
			}
		})
		for s, is := range recurrent {
			assert.Equal(t, is, ends.component[s] != outside, "state %d", s)
		}
		for s, c := range ends.component {
			if c == outside {
				continue
			}
			marked := make([]bool, n)
			marked[s] = true
			follow(r, ends.stays, marked)
			for j := range n { // from each there is a way to each other
				assert.Equal(t, ends.component[j] == c, marked[j])
			}
		}
	})
}

// follow marks what can be reached from the states that are marked.
func follow(r *rows, allowed, marked []bool) {
	for again := true; again; {
		again = false
		for s := range marked {
			for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
				for _, j := range r.next(k) {
					if allowed[k] && marked[s] && !marked[j] {
						marked[j], again = true, true
					}
				}
			}
		}
	}
}

func TestReaching(t *testing.T) {
	trials(t, 300, func(t *testing.T, random *rand.Rand) {
		r, oracle, m := randomRows(t, random)
		n := r.NumStates()
		target := make([]bool, n)
		for _, s := range m.Labels["goal"] {
			target[s] = true
		}
		some, every := make([]bool, n), slices.Repeat([]bool{true}, n)
		oracle.policies(func(policy []int32) {
			for s, is := range oracle.reaching(policy, target) {
				some[s] = some[s] || is
				every[s] = every[s] && is
			}
		})
		assert.Equal(t, some, r.surely(target, all(r)))
		assert.Equal(t, every, r.unavoidable(target, all(r)))
	})
}

func all(r *rows) []bool { return slices.Repeat([]bool{true}, r.NumChoices()) }
