package graph

// Chain is a Markov chain: the off-diagonal part of its transition matrix.
type Chain struct {
	Graph
	Probabilities []float64 // of the edges
}

// NewChain returns a chain without states, with capacity for n of two transitions.
func NewChain(n int) *Chain {
	c := &Chain{Graph: *New(n), Probabilities: make([]float64, 0, 2*n)}
	c.Columns = make([]int32, 0, 2*n)
	return c
}

// Add adds a transition from the current state. [Graph.EndState] ends that state.
func (c *Chain) Add(to int32, probability float64) {
	c.Graph.Add(to)
	c.Probabilities = append(c.Probabilities, probability)
}

// Row returns the successors of s other than s itself, with their probabilities.
func (c *Chain) Row(s int32) ([]int32, []float64) {
	lo, hi := c.Start[s], c.Start[s+1]
	return c.Columns[lo:hi], c.Probabilities[lo:hi]
}

// Entering returns the chain with every transition reversed, each with its
// probability: the rows are the columns of this one.
func (c *Chain) Entering() *Chain {
	n, start := c.NumStates(), c.entries()
	e := &Chain{Graph: Graph{Start: start[:n+1], Columns: make([]int32, len(c.Columns))}, Probabilities: make([]float64, len(c.Columns))}
	for s := range int32(n) {
		columns, probabilities := c.Row(s)
		for i, j := range columns {
			e.Columns[start[j+1]], e.Probabilities[start[j+1]] = s, probabilities[i]
			start[j+1]++
		}
	}
	return e
}
