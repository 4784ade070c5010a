package rules_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/rules"
)

// grid returns the values of variables of states that are a grid of some sizes.
func grid(sizes ...int) [][]int64 {
	values, states := make([][]int64, len(sizes)), 1
	for _, n := range sizes {
		states *= n
	}
	for s := range states {
		rest := s
		for v, n := range sizes {
			values[v] = append(values[v], int64(rest%n)-1) // also negative
			rest /= n
		}
	}
	return values
}

func randomActions(random *rand.Rand, states, actions int) []int32 {
	list := make([]int32, states)
	for s := range list {
		list[s] = random.Int32N(int32(actions)+1) - 1
	}
	return list
}

func TestTreesDecideAsToldInEveryState(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		values := grid(1+random.IntN(5), 1+random.IntN(5), 1+random.IntN(5))
		actions := randomActions(random, len(values[0]), 1+random.IntN(4))
		tree, err := rules.Grow(values, actions)
		require.NoError(t, err)
		told := 0
		for s, action := range actions {
			if action >= 0 {
				told++
				assert.Equal(t, action, tree.Leaf(values, s).Action)
			}
		}
		assert.LessOrEqual(t, tree.Leaves(), max(told, 1))
	}
}

// A threshold takes two rules, a corner three, and a chess board one for each square;
// states of which nothing is told take none.
func TestSizesOfTrees(t *testing.T) {
	values := grid(8, 8)
	leaves := func(action func(x, y int64) int32) int {
		actions := make([]int32, len(values[0]))
		for s := range actions {
			actions[s] = action(values[0][s], values[1][s])
		}
		tree, err := rules.Grow(values, actions)
		require.NoError(t, err)
		return tree.Leaves()
	}
	is := func(yes bool) int32 {
		if yes {
			return 3
		}
		return 1
	}
	assert.Equal(t, 1, leaves(func(int64, int64) int32 { return 2 }))
	assert.Equal(t, 1, leaves(func(int64, int64) int32 { return -1 }))
	assert.Equal(t, 2, leaves(func(x, _ int64) int32 { return is(x > 2) }))
	assert.Equal(t, 3, leaves(func(x, y int64) int32 { return is(x > 2 && y <= 4) }))
	assert.Equal(t, 64, leaves(func(x, y int64) int32 { return is((x+y)%2 == 0) }))
	assert.Equal(t, 2, leaves(func(x, y int64) int32 {
		if y > 0 {
			return -1
		}
		return is(x > 2 || y > 0)
	}))
}

func TestValuesThatDoNotTellActions(t *testing.T) {
	_, err := rules.Grow([][]int64{{1, 1, 2, 1}, {0, 5, 5, 5}}, []int32{0, 1, 1, 0})
	require.EqualError(t, err, "rules: states 1 and 3 have the same values, but not the same action")
	tree, err := rules.Grow([][]int64{{1, 1, 2, 1}, {0, 5, 5, 5}}, []int32{0, 1, 1, -1})
	require.NoError(t, err)
	assert.Equal(t, 2, tree.Leaves())
}

// Actions that take turns would make a tree as deep as there are states, in the square of
// the time, if each question took off one of them.
func TestLargeTreesGrowInTime(t *testing.T) {
	const n = 50_000
	values, actions := [][]int64{make([]int64, n)}, make([]int32, n)
	for s := range actions {
		values[0][s], actions[s] = math.MaxInt64-int64(s), int32(s%2)
	}
	begin := time.Now()
	tree, err := rules.Grow(values, actions)
	require.NoError(t, err)
	assert.Equal(t, n, tree.Leaves())
	assert.Less(t, time.Since(begin), 30*time.Second)
}

// prunings returns all trees that arise by putting leaves in the place of branches.
func prunings(t *rules.Tree, actions int) (all []*rules.Tree) {
	if t.Yes == nil {
		return []*rules.Tree{t}
	}
	for action := range actions {
		all = append(all, &rules.Tree{Action: int32(action)})
	}
	for _, yes := range prunings(t.Yes, actions) {
		for _, no := range prunings(t.No, actions) {
			all = append(all, &rules.Tree{Variable: t.Variable, Bound: t.Bound, Yes: yes, No: no})
		}
	}
	return all
}

func TestPruningLosesLeast(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	compared := 0
	for range 200 {
		const actions = 3
		values := grid(2+random.IntN(3), 2+random.IntN(2))
		chosen := randomActions(random, len(values[0]), actions)
		tree, err := rules.Grow(values, chosen)
		require.NoError(t, err)
		if tree.Leaves() > 6 {
			continue
		}
		losses := make([][]float64, len(chosen))
		for s := range losses {
			for range actions {
				losses[s] = append(losses[s], float64(random.IntN(5)))
			}
			if chosen[s] >= 0 {
				losses[s][chosen[s]] = 0
			}
		}
		lost := func(tree *rules.Tree) (sum float64) {
			for s := range losses {
				sum += losses[s][tree.Leaf(values, s).Action]
			}
			return sum
		}
		all := prunings(tree, actions)
		for leaves := 1; leaves <= tree.Leaves()+1; leaves++ {
			least := math.Inf(1)
			for _, other := range all {
				if other.Leaves() <= leaves {
					least = min(least, lost(other))
				}
			}
			pruned := tree.Prune(leaves, values, actions, func(state int, sums []float64) {
				for action := range sums {
					sums[action] += losses[state][action]
				}
			})
			compared++
			assert.LessOrEqual(t, pruned.Leaves(), leaves)
			assert.Equal(t, least, lost(pruned))
		}
	}
	assert.Greater(t, compared, 200)
}

func TestText(t *testing.T) {
	leaf := func(action int32) *rules.Tree { return &rules.Tree{Action: action} }
	branch := func(variable int, bound int64, yes, no *rules.Tree) *rules.Tree {
		return &rules.Tree{Variable: variable, Bound: bound, Yes: yes, No: no}
	}
	for _, test := range []struct {
		tree *rules.Tree
		want string
	}{
		{leaf(7), "7\n"},
		{branch(0, -3, leaf(1), leaf(0)), "if 0 <= -3: 1\nelse: 0\n"},
		{branch(0, 5, branch(1, 2, leaf(0), leaf(1)), leaf(2)), "if 0 > 5: 2\nelse if 1 <= 2: 0\nelse: 1\n"},
		{
			branch(0, 5, branch(1, 2, leaf(0), leaf(1)), branch(1, 4, leaf(0), leaf(1))),
			"if 0 <= 5:\n  if 1 <= 2: 0\n  else: 1\nelse if 1 <= 4: 0\nelse: 1\n",
		},
	} {
		var out bytes.Buffer
		require.NoError(t, test.tree.Write(&out, func(variable int, bound int64, above bool) string {
			if above {
				return fmt.Sprintf("%d > %d", variable, bound)
			}
			return fmt.Sprintf("%d <= %d", variable, bound)
		}, func(action int32) string { return fmt.Sprint(action) }))
		assert.Equal(t, test.want, out.String())
	}
}
