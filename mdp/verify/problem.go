package verify

import "errors"

// problem is to leave a set of nodes at the least expected cost: by choices,
// from node to node, until one stops at a node where that is allowed, at the
// value it has there. A node is one state of the rows or several between which
// one can move at no cost. Some policy stops with probability 1, and all that do
// not cost more than any amount.
type problem[V any] struct {
	*solver[V]
	node    []int32 // of each state, or outside: no choice leads there
	choices *graph  // from nodes to their choices
	stops   []bool  // by node: one can stop there
	stop    []V     // by node: at this value
	free    bool    // choices cost nothing
	values  []V     // by node, as far as they are known
	inside  []int32 // by node: its place in the component at hand, from 1
}

// newProblem returns the problem of the choices that are included, at which
// nothing stops yet.
func newProblem[V any](s *solver[V], node []int32, count int, included []bool) *problem[V] {
	p := &problem[V]{
		solver: s, node: node,
		stops: make([]bool, count), stop: make([]V, count), values: make([]V, count), inside: make([]int32, count),
	}
	p.choices = newGraph(count, func(add func(from, to int32)) {
		for k, is := range included {
			if is {
				add(node[s.state[k]], int32(k))
			}
		}
	})
	return p
}

// solve finds the values of all nodes, one strongly connected component after
// the other, each after all that it leads to.
func (p *problem[V]) solve() {
	count, component := p.graph().components()
	parts := members(count, component)
	for c := range int32(count) {
		nodes := parts.next(c)
		if len(nodes) == 1 {
			p.values[nodes[0]] = p.single(nodes[0])
			continue
		}
		p.solveComponent(nodes)
	}
}

// graph returns the graph of the nodes.
func (p *problem[V]) graph() *graph {
	return newGraph(len(p.stop), func(add func(from, to int32)) {
		for i := range int32(len(p.stop)) {
			for _, k := range p.choices.next(i) {
				for _, j := range p.next(k) {
					if to := p.node[j]; to != i {
						add(i, to)
					}
				}
			}
		}
	})
}

// single returns the value of a node that one does not come back to.
func (p *problem[V]) single(i int32) V {
	var candidates []V
	if p.stops[i] {
		candidates = append(candidates, p.stop[i])
	}
	for _, k := range p.choices.next(i) {
		if p.budget.spend(len(p.next(k))+1) != nil {
			return p.unknown()
		}
		switch constant, leave, leaves := p.known(k, i, nil); {
		case leaves:
			candidates = append(candidates, p.quotient(constant, leave))
		case p.earns(k):
			p.fail(errImproper)
			return p.unknown()
		}
	}
	if len(candidates) == 0 {
		return p.unknown()
	}
	return p.least(candidates)
}

// earns reports whether a choice that stays at its node for ever has a negative
// cost: one that has none is never better than the others, but one that has was
// not found to make costs endless for want of digits.
func (p *problem[V]) earns(k int32) bool { return !p.free && p.costs.high[k] < 0 }

// known returns what a choice of node i costs and at which rate it leaves the
// component at hand; leaves is false where it stays for ever. The entries that
// stay go to the system.
func (p *problem[V]) known(k, i int32, sys *system[V]) (constant, leave V, leaves bool) {
	constant, leave, leaves = p.integer(0), p.kill(), p.ends
	if !p.free {
		constant = p.cost(k)
	}
	for e := p.start[k]; e < p.start[k+1]; e++ {
		switch j := p.node[p.columns[e]]; {
		case j == i:
		case sys != nil && p.inside[j] > 0:
			sys.columns = append(sys.columns, p.inside[j]-1)
			sys.entry = append(sys.entry, e)
		default:
			constant = p.plusRated(constant, e, p.values[j])
			leave = p.plusRate(leave, e)
			leaves = true
		}
	}
	return constant, leave, leaves
}

// solveComponent finds the values of the nodes of a component.
func (p *problem[V]) solveComponent(nodes []int32) {
	values, err := p.solveSystem(nodes)
	for at, i := range nodes {
		if err != nil {
			p.values[i] = p.unknown()
		} else {
			p.values[i] = values[at]
		}
	}
	p.fail(err)
}

func (p *problem[V]) solveSystem(nodes []int32) ([]V, error) {
	sys, err := p.system(nodes)
	if err == nil {
		err = p.budget.spend(len(sys.columns))
	}
	if err != nil {
		return nil, err
	}
	policy := p.prefer(sys)
	if proper, is := sys.leaving(policy); !is {
		sys.lead(policy, proper)
		if !all(proper) {
			return nil, errImproper
		}
	}
	values, err := p.arithmetic.values(sys, policy)
	if err == nil {
		p.remember(sys, policy)
	}
	return values, err
}

// errImproper is where no policy stops, or the best one found does not.
var errImproper = errors.New("a set of states in which one can stay for ever at a cost that cannot be told from 0")

// system returns the system of some nodes.
func (p *problem[V]) system(nodes []int32) (*system[V], error) {
	for at, i := range nodes {
		p.inside[i] = int32(at) + 1
	}
	var err error
	sys := &system[V]{start: []int32{0}, rowStart: []int32{0}}
	for at, i := range nodes {
		if p.stops[i] {
			sys.add(int32(at), stopping, p.stop[i], p.integer(1), true)
		}
		for _, k := range p.choices.next(i) {
			constant, leave, leaves := p.known(k, i, sys)
			switch {
			case leaves || len(sys.columns) > int(sys.rowStart[len(sys.node)]):
				sys.add(int32(at), k, constant, leave, leaves)
			case p.earns(k):
				err = errImproper
			}
		}
		sys.start = append(sys.start, int32(len(sys.node)))
	}
	for _, i := range nodes {
		p.inside[i] = 0
	}
	return sys, err
}
