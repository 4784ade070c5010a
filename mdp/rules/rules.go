// Package rules turns a policy into rules that a person can read: a decision tree over
// variables of the states.
//
// [Grow] makes a tree that decides as the policy does, [Tree.Prune] a smaller one that
// loses as little as possible, and [Tree.Write] prints it.
package rules

import (
	"cmp"
	"fmt"
	"slices"
)

// Tree is a decision tree, or a branch of one.
type Tree struct {
	// Yes is for states whose Variable is at most Bound, No for the others. Both
	// are nil in a leaf.
	Yes, No  *Tree
	Variable int
	Bound    int64

	// Action is what a leaf says: a number from 0.
	Action int32
}

// Leaves returns the number of leaves. Each is a rule.
func (t *Tree) Leaves() int {
	if t.Yes == nil {
		return 1
	}
	return t.Yes.Leaves() + t.No.Leaves()
}

// Leaf returns the leaf for a state; values holds those of each variable, by state.
func (t *Tree) Leaf(values [][]int64, state int) *Tree {
	for t.Yes != nil {
		if values[t.Variable][state] <= t.Bound {
			t = t.Yes
		} else {
			t = t.No
		}
	}
	return t
}

// Grow returns a tree that has the given action in each state; values holds those of each
// variable, by state. An action below 0 says that any will do, which makes trees
// smaller. It is an error if two states have the same values, but not the same action.
//
// Grow divides the states as CART does (Breiman, Friedman, Olshen and Stone 1984, chapter
// 4, by the index of Gini). That makes small trees, though not always the smallest.
func Grow(values [][]int64, actions []int32) (*Tree, error) {
	var states []int32
	last := int32(0)
	for s, action := range actions {
		if action >= 0 {
			states, last = append(states, int32(s)), max(last, action)
		}
	}
	if len(states) == 0 {
		return &Tree{}, nil
	}
	g := &grower{values: values, actions: actions, yes: make([]int, last+1), no: make([]int, last+1)}
	return g.grow(states, 0)
}

// grower grows a tree.
type grower struct {
	values  [][]int64
	actions []int32
	yes, no []int // how many states with each action are on either side
}

// question divides states.
type question struct {
	variable int
	bound    int64
	purity   float64 // sum over the states of the share of their own action among the states on their side
	smaller  int     // number of states on the smaller side; 0 for no question
}

// deep is the depth from which questions halve the states, whatever their actions: the
// purest question may split off a single state, and trees would grow too deep.
const deep = 64

func (g *grower) grow(states []int32, depth int) (*Tree, error) {
	first := states[0]
	other := slices.IndexFunc(states, func(s int32) bool { return g.actions[s] != g.actions[first] })
	if other < 0 {
		return &Tree{Action: g.actions[first]}, nil
	}
	best := question{}
	for v := range g.values {
		g.improve(&best, v, states, depth)
	}
	if best.smaller == 0 {
		return nil, fmt.Errorf("rules: states %d and %d have the same values, but not the same action", first, states[other])
	}
	var yes, no []int32
	for _, s := range states {
		if g.values[best.variable][s] <= best.bound {
			yes = append(yes, s)
		} else {
			no = append(no, s)
		}
	}
	t := &Tree{Variable: best.variable, Bound: best.bound}
	var err error
	if t.Yes, err = g.grow(yes, depth+1); err == nil {
		t.No, err = g.grow(no, depth+1)
	}
	return t, err
}

// improve replaces a question by the best one about a variable, if that is better.
func (g *grower) improve(best *question, variable int, states []int32, depth int) {
	values := g.values[variable]
	sorted := slices.SortedFunc(slices.Values(states), func(i, j int32) int { return cmp.Compare(values[i], values[j]) })
	clear(g.yes)
	clear(g.no)
	for _, s := range sorted {
		g.no[g.actions[s]]++
	}
	yesSquares, noSquares := 0, 0
	for _, n := range g.no {
		noSquares += n * n
	}
	for i, s := range sorted[:len(sorted)-1] {
		action, left, right := g.actions[s], i+1, len(sorted)-i-1
		yesSquares += 2*g.yes[action] + 1
		noSquares -= 2*g.no[action] - 1
		g.yes[action]++
		g.no[action]--
		if values[s] == values[sorted[i+1]] {
			continue
		}
		q := question{variable: variable, bound: values[s], smaller: min(left, right)}
		if depth < deep {
			q.purity = float64(yesSquares)/float64(left) + float64(noSquares)/float64(right)
		}
		if q.purity > best.purity || q.purity == best.purity && q.smaller > best.smaller {
			*best = q
		}
	}
}
