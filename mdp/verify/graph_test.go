package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// randomRows returns the rows of a random model, and all that is known of it.
func randomRows(t *testing.T, random *rand.Rand) (*rows, *exactModel, *mdpio.Model) {
	t.Helper()
	style := randomStyle(random)
	style.kind = mdpio.MDP
	m := randomModel(t, random, style)
	rewards, err := m.ExpectedRewards("")
	require.NoError(t, err)
	return newRows(m, numbers{high: rewards.Float}), newExactModel(m, rewards), m
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
		g := newGraph(n, func(add func(from, to int32)) {
			for i := range edge {
				for j, is := range edge[i] {
					if is {
						add(int32(i), int32(j))
					}
				}
			}
		})
		count, component := g.components()
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
			assert.Less(t, int(component[i]), count)
			marked := make([]bool, n)
			marked[i] = true
			g.reach(marked)
			assert.Equal(t, edge[i], marked)
			for j := range n {
				assert.Equal(t, edge[i][j] && edge[j][i], component[i] == component[j])
				if edge[i][j] {
					assert.GreaterOrEqual(t, component[i], component[j], "successors have lower numbers")
				}
			}
		}
	})
}

// The end components are those of all policies together: two states are in one if
// and only if they are in the class of some policy, or in classes that overlap.
func TestEndComponents(t *testing.T) {
	trials(t, 300, func(t *testing.T, random *rand.Rand) {
		r, oracle, m := randomRows(t, random)
		ends := r.endComponents(r.all())
		n := r.numStates()
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
		for c := range int32(ends.count()) {
			states := ends.members.next(c)
			for _, s := range states { // from each there is a way to each other
				marked := make([]bool, n)
				marked[s] = true
				r.graph(ends.stays).reach(marked)
				for j := range n {
					assert.Equal(t, slices.Contains(states, int32(j)), marked[j])
				}
			}
		}
	})
}

func TestReaching(t *testing.T) {
	trials(t, 300, func(t *testing.T, random *rand.Rand) {
		r, oracle, m := randomRows(t, random)
		n := r.numStates()
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
		states, choices := r.surely(target, r.all())
		assert.Equal(t, some, states)
		for k, is := range choices {
			s := r.state[k]
			leads := slices.ContainsFunc(r.next(int32(k)), func(j int32) bool { return !some[j] })
			assert.Equal(t, some[s] && !target[s] && !leads, is)
		}
		avoids := r.mayAvoid(target, r.all())
		for s := range avoids {
			assert.Equal(t, !every[s], avoids[s])
		}
	})
}

// The classification is that of all policies together.
func TestClassification(t *testing.T) {
	trials(t, 400, func(t *testing.T, random *rand.Rand) {
		r, oracle, _ := randomRows(t, random)
		n := r.numStates()
		chains := true
		oracle.policies(func(policy []int32) {
			reach := oracle.reachability(policy, nil)
			first := make(map[int]bool) // the least states of the closed classes
			for s := range n {
				closed := true
				for j := range n {
					closed = closed && (!reach[s][j] || reach[j][s])
				}
				if closed {
					first[slices.Index(reach[s], true)] = true
				}
			}
			chains = chains && len(first) == 1
		})
		together := r.graph(r.all())
		connected := true
		for s := range n {
			marked := make([]bool, n)
			marked[s] = true
			together.reach(marked)
			connected = connected && all(marked)
		}
		got := r.classify(false)
		ends := r.endComponents(r.all()).count()
		want := multichain
		switch {
		case chains:
			want = unichain
		case ends == 1 && connected:
			want = communicating
		case ends == 1:
			want = weaklyCommunicating
		}
		if got.name == "" { // two end components that overlap, but no state in all
			assert.NotEqual(t, multichain, want)
			assert.Contains(t, []string{want, communicating, weaklyCommunicating}, got.atLeast)
			return
		}
		assert.Equal(t, want, got.name)
	})
}

func TestPeriod(t *testing.T) {
	for _, test := range []struct {
		next     [][]int32 // of each state, whose only choice it is
		periodic bool
	}{
		{[][]int32{{0}}, false},
		{[][]int32{{1}, {0}}, true},
		{[][]int32{{1}, {2}, {0}}, true},
		{[][]int32{{1}, {2}, {0, 1}}, false}, // cycles of 3 and 2
		{[][]int32{{1}, {0, 2}, {1}}, true},
		{[][]int32{{1}, {1}}, false},
		{[][]int32{{0}, {2}, {1}}, true}, // one of two components
		{[][]int32{{1}, {2}, {3}, {2, 3}}, false},
	} {
		m := &mdpio.Model{Kind: mdpio.DTMC, StateStart: []int32{0}, RowStart: []int32{0}, Initial: []int32{0}}
		for s, next := range test.next {
			for _, j := range next {
				m.Columns = append(m.Columns, j)
				m.Values.Float = append(m.Values.Float, 1/float64(len(next)))
			}
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
			m.StateStart = append(m.StateStart, int32(s+1))
		}
		r := newRows(m, numbers{high: make([]float64, len(test.next))})
		assert.Equal(t, test.periodic, r.classify(false).periodic, "%v", test.next)
		assert.False(t, r.classify(true).periodic, "%v", test.next)
	}
}
