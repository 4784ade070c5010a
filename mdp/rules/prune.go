// This file makes trees smaller.

package rules

import "slices"

// Prune returns a tree with at most the given number of leaves, one or more. Of all trees
// that arise by replacing branches with leaves, it is the one that loses least. lose adds
// to sums, by action, what each action loses in a state: finite numbers ≥ 0.
//
// Time grows with the product of the leaves before and after.
func (t *Tree) Prune(leaves int, values [][]int64, actions int, lose func(state int, sums []float64)) *Tree {
	lost := make(map[*Tree][]float64)
	for s := range values[0] {
		leaf := t.Leaf(values, s)
		if lost[leaf] == nil {
			lost[leaf] = make([]float64, actions)
		}
		lose(s, lost[leaf])
	}
	pruned, _ := t.prune(leaves, lost)
	return pruned[len(pruned)-1].tree
}

// option is a tree that may replace a branch, and what it loses.
type option struct {
	tree *Tree
	lost float64
}

// prune returns the best options with at most 1, 2, 3, … leaves, up to the given
// number, and what each action would lose in all states of the branch. lost holds the
// latter for each leaf.
func (t *Tree) prune(leaves int, lost map[*Tree][]float64) ([]option, []float64) {
	if t.Yes == nil {
		return []option{{t, lost[t][t.Action]}}, lost[t]
	}
	yes, sums := t.Yes.prune(leaves, lost)
	no, more := t.No.prune(leaves, lost)
	for action := range sums {
		sums[action] += more[action]
	}
	least := slices.Min(sums)
	best := slices.Repeat([]option{{&Tree{Action: int32(slices.Index(sums, least))}, least}}, min(leaves, len(yes)+len(no)))
	for i, y := range yes {
		for k, n := range no {
			if at := i + k + 1; at < len(best) && y.lost+n.lost < best[at].lost {
				best[at] = option{&Tree{Variable: t.Variable, Bound: t.Bound, Yes: y.tree, No: n.tree}, y.lost + n.lost}
			}
		}
	}
	for i := 1; i < len(best); i++ {
		if best[i-1].lost <= best[i].lost {
			best[i] = best[i-1]
		}
	}
	return best, sums
}
