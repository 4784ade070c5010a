package mdp

import "github.com/mdpsolve/mdpsolve/internal/graph"

// unionGraph returns the graph of the transitions of all actions.
func unionGraph(model Explicit) *graph.Graph {
	n := model.NumStates()
	g := graph.New(n)
	var row []Entry
	lister := make([]int32, n) // one more than the last state that listed this one
	for s := range n {
		for a := range model.NumActions(s) {
			row, _ = model.AppendRow(row[:0], s, a)
			for _, e := range row {
				if int(e.State) != s && e.Probability > 0 && lister[e.State] != int32(s+1) {
					lister[e.State] = int32(s + 1)
					g.Add(e.State)
				}
			}
		}
		g.EndState()
	}
	return g
}
