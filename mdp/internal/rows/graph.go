package mdp

import (
	"context"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// interruptible is the number of states after which it is looked whether the
// context has ended.
const interruptible = 1 << 12

// rows are the rows of a model, or of a part of it: see [Explicit].
type rows interface {
	NumStates() int
	NumActions(s int) int
	AppendRow(dst []Entry, s, a int) ([]Entry, float64)
}

// unionGraph returns the graph of the transitions of all actions, or the cause of
// the end of ctx.
func unionGraph(ctx context.Context, model rows) (*graph.Graph, error) {
	n := model.NumStates()
	g := graph.New(n)
	var row []Entry
	lister := make([]int32, n) // one more than the last state that listed this one
	for s := range n {
		if s%interruptible == 0 && ctx.Err() != nil {
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
