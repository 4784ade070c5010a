package verify

// system is a part of a problem that is solved at once: the nodes of a strongly
// connected component, or the states of an end component, numbered from 0. With
// choice k, node i = node[k] has a value h(i) such that
//
//	0 = constant(k) − leave(k)·h(i) + Σ_e rate(entry[e])·(h(columns[e]) − h(i))
//
// where constant and leave hold what is known outside.
type system[V any] struct {
	start    []int32 // node i has the choices start[i] … start[i+1]−1
	node     []int32 // the node of each choice
	origin   []int32 // the choice of the model, or stopping
	constant []V
	leave    []V
	leaves   []bool  // by choice: leave is positive
	rowStart []int32 // choice k has the entries rowStart[k] … rowStart[k+1]−1
	columns  []int32
	entry    []int32 // the number of the rate in the rows
}

// stopping is the origin of the choice to take a node's value for stopping.
const stopping = -1

// numNodes returns the number of nodes.
func (s *system[V]) numNodes() int { return len(s.start) - 1 }

// next returns the nodes that choice k leads to.
func (s *system[V]) next(k int32) []int32 { return s.columns[s.rowStart[k]:s.rowStart[k+1]] }

// add completes a choice, whose entries are there.
func (s *system[V]) add(node, origin int32, constant, leave V, leaves bool) {
	s.node = append(s.node, node)
	s.origin = append(s.origin, origin)
	s.constant = append(s.constant, constant)
	s.leave = append(s.leave, leave)
	s.leaves = append(s.leaves, leaves)
	s.rowStart = append(s.rowStart, int32(len(s.columns)))
}

// graph returns the graph of a policy.
func (s *system[V]) graph(policy []int32) *graph {
	return newGraph(s.numNodes(), func(add func(from, to int32)) {
		for i, k := range policy {
			for _, j := range s.next(k) {
				add(int32(i), j)
			}
		}
	})
}

// leaving returns the nodes from which a policy leaves the system with
// probability 1: if that is all of them, the policy is proper.
func (s *system[V]) leaving(policy []int32) (nodes []bool, proper bool) {
	nodes = make([]bool, s.numNodes())
	for i, k := range policy {
		nodes[i] = s.leaves[k]
	}
	s.graph(policy).reverse().reach(nodes)
	return nodes, all(nodes)
}

func all(list []bool) bool {
	for _, is := range list {
		if !is {
			return false
		}
	}
	return true
}

// lead changes the policy of the nodes that are not marked so that from each a
// marked one is reached, or the system left; it marks those where that can be
// done.
func (s *system[V]) lead(policy []int32, marked []bool) {
	entering := newGraph(s.numNodes(), func(add func(from, to int32)) {
		for k := range int32(len(s.node)) {
			for _, j := range s.next(k) {
				add(j, k)
			}
		}
	})
	var queue []int32
	for k, leaves := range s.leaves {
		if i := s.node[k]; leaves && !marked[i] {
			policy[i] = int32(k)
			marked[i] = true
		}
	}
	for i, is := range marked {
		if is {
			queue = append(queue, int32(i))
		}
	}
	for head := 0; head < len(queue); head++ {
		for _, k := range entering.next(queue[head]) {
			if i := s.node[k]; !marked[i] {
				policy[i] = k
				marked[i] = true
				queue = append(queue, i)
			}
		}
	}
}
