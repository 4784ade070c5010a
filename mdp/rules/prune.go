// This file makes trees smaller.

package rules

import "slices"

// Prune returns a tree with at most so many leaves, one or more: the one that loses least
// of all that arise by putting leaves in the place of branches. lose adds what
// each of the actions loses in a state to sums: finite numbers, not negative.
//
// Time grows with the product of the leaves before and after.
func (t *Tree) Prune(leaves int, values [][]int64, actions int, lose func(state int, sums []float64)) *Tree {
	p := &pruner{most: leaves, lost: make(map[*Tree][]float64), cuts: make(map[*Tree]*cut)}
	for s := range values[0] {
		leaf := t.Leaf(values, s)
		if p.lost[leaf] == nil {
			p.lost[leaf] = make([]float64, actions)
		}
		lose(s, p.lost[leaf])
	}
	p.weigh(t)
	return p.cut(t, leaves)
}

// pruner finds out what branches lose.
type pruner struct {
	most int
	lost map[*Tree][]float64 // by action
	cuts map[*Tree]*cut
}

// cut is what becomes of a branch.
type cut struct {
	action int       // of a leaf in its place
	least  []float64 // what the branch loses with at most 1, 2, … leaves
}

// with returns what a branch loses with at most so many leaves.
func (c *cut) with(leaves int) float64 { return c.least[min(leaves, len(c.least))-1] }

// weigh finds out what a branch loses.
func (p *pruner) weigh(t *Tree) {
	own := &cut{}
	p.cuts[t] = own
	if !t.IsLeaf() {
		p.weigh(t.Yes)
		p.weigh(t.No)
		p.lost[t] = p.lost[t.Yes]
		for action, lost := range p.lost[t.No] {
			p.lost[t][action] += lost
		}
		delete(p.lost, t.No)
	}
	own.action = slices.Index(p.lost[t], slices.Min(p.lost[t]))
	own.least = []float64{p.lost[t][own.action]}
	if t.IsLeaf() {
		return
	}
	yes, no := p.cuts[t.Yes], p.cuts[t.No]
	for leaves := 2; leaves <= min(p.most, len(yes.least)+len(no.least)); leaves++ {
		least := own.with(leaves - 1)
		for k := max(1, leaves-len(no.least)); k <= min(leaves-1, len(yes.least)); k++ {
			least = min(least, yes.with(k)+no.with(leaves-k))
		}
		own.least = append(own.least, least)
	}
}

// cut returns what becomes of a branch with at most so many leaves.
func (p *pruner) cut(t *Tree, leaves int) *Tree {
	own := p.cuts[t]
	leaves = 1 + slices.Index(own.least, own.with(leaves)) // the fewest that lose no more
	if leaves == 1 {
		return &Tree{Action: int32(own.action)}
	}
	yes, no, k := p.cuts[t.Yes], p.cuts[t.No], 1
	for yes.with(k)+no.with(leaves-k) > own.with(leaves) {
		k++
	}
	return &Tree{Variable: t.Variable, Bound: t.Bound, Yes: p.cut(t.Yes, k), No: p.cut(t.No, leaves-k)}
}
