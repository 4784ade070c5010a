package rows

import (
	"context"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// The graphs of rows.

// contextInterval is the number of states between two checks of the context.
const contextInterval = 1 << 12

// UnionGraph returns the graph of the transitions of all actions, or the cause of
// the end of ctx.
func UnionGraph(ctx context.Context, model Lister) (*graph.Graph, error) {
	n := model.NumStates()
	g := graph.New(n)
	var row []Entry
	lister := make([]int32, n) // one more than the last state that listed this one
	for s := range n {
		if s%contextInterval == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
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
	return g, nil
}

// Graph returns the graph of the allowed choices; nil allows all.
func (r *Rows) Graph(allowed []bool) *graph.Graph {
	n := r.NumStates()
	g := graph.New(n)
	for s := range int32(n) {
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			if allowed != nil && !allowed[k] { //nolint:gocritic // an empty allowed allows nothing
				continue
			}
			for _, j := range r.Next(k) {
				if j != s {
					g.Add(j)
				}
			}
		}
		g.EndState()
	}
	return g
}
