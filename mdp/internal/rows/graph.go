package rows

import (
	"context"
	"slices"

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
	if table, ok := model.(interface{ NumTransitions() int }); ok {
		g.Columns = make([]int32, 0, table.NumTransitions()) // takes memory only as far as it is filled
	}
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

// Graph returns the graph of the allowed choices. Where all are allowed, it shares the
// memory of the rows, and has their edges from states to themselves.
func (r *Rows) Graph(allowed []bool) *graph.Graph {
	n := r.NumStates()
	if !slices.Contains(allowed, false) {
		g := &graph.Graph{Start: make([]int, n+1), Columns: r.Columns}
		for s, first := range r.StateStart {
			g.Start[s] = int(r.RowStart[first])
		}
		return g
	}
	g := graph.New(n)
	g.Columns = make([]int32, 0, len(r.Columns)) // takes memory only as far as it is filled
	for s := range n {
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			if allowed[k] {
				g.Columns = append(g.Columns, r.Next(k)...)
			}
		}
		g.EndState()
	}
	return g
}
