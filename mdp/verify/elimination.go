package verify

import (
	"errors"
	"slices"
)

// elimination solves the equations of a policy on a system in float64,
//
//	leave(i)·x(i) + Σ_e rate(e)·(x(i) − x(columns[e])) = right(i),
//
// by eliminating node after node: what leads to the node is led on to where the
// node leads. No subtraction occurs, so that all coefficients keep their
// relative accuracy (Grassmann, Taksar and Heyman 1985). Nodes with few
// neighbours go first (Markowitz 1957).
//
// Where the system is never left, one node of its closed class remains, the
// root, whose x is 0; right is then reduced by the gain, so that there is a
// solution.
type elimination struct {
	order []int32   // the nodes as they were eliminated, without the root
	exit  []float64 // by node: the rate at which it is left when it is its turn
	later edges     // by node: to those after it, rates
	above edges     // by node: to those after it, shares of their rates
	root  int32     // or outside
	time  []float64 // by node: right-hand sides 1 led on

	budget *budget
}

// edges are lists of weighted edges, by node.
type edges struct {
	start, end []int32
	node       []int32
	weight     []float64
}

// add appends an edge to the list at hand.
func (e *edges) add(node int32, weight float64) {
	e.node = append(e.node, node)
	e.weight = append(e.weight, weight)
}

var (
	errFill     = errors.New("elimination fills up")
	errSingular = errors.New("the equations of a policy have no solution in floating point")
)

// solve returns the gain, 0 for a system that is left, and the solution.
func (e *elimination) solve(right []float64) (gain float64, x []float64, err error) {
	x = append([]float64(nil), right...)
	for _, s := range e.order {
		for at := e.above.start[s]; at < e.above.end[s]; at++ {
			x[e.above.node[at]] += e.above.weight[at] * x[s]
		}
	}
	if e.root != outside {
		gain = x[e.root] / e.time[e.root]
		x[e.root] = 0
	}
	for _, s := range slices.Backward(e.order) {
		sum := x[s]
		if e.root != outside {
			sum -= gain * e.time[s]
		}
		for at := e.later.start[s]; at < e.later.end[s]; at++ {
			sum += e.later.weight[at] * x[e.later.node[at]]
		}
		x[s] = sum / e.exit[s]
	}
	return gain, x, e.budget.spend(2 * len(e.later.node))
}

// exact says that solutions are good to most digits of float64.
func (e *elimination) exact() bool { return true }

// likeliest returns the node of a closed system that is visited most, and how
// often it is for each visit of the root: what leads to a node when it is its
// turn leads there from nodes that are left.
func (e *elimination) likeliest() (node int32, visits float64) {
	share := make([]float64, len(e.exit))
	share[e.root] = 1
	node = e.root
	for _, s := range slices.Backward(e.order) {
		for at := e.above.start[s]; at < e.above.end[s]; at++ {
			share[s] += e.above.weight[at] * share[e.above.node[at]]
		}
		if share[s] > share[node] {
			node = s
		}
	}
	return node, share[node]
}
