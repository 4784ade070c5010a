package evaluate

import (
	"context"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Ordered are totals of chains that are too large for elimination as a whole. A
// policy connects fewer states than all actions do, so its chain falls into strongly
// connected components, often small ones. They are solved one after the other, each
// after those that it leads to.
type Ordered struct {
	team    *parallel.Team
	workers int
	chain   *Chain
	parts   []chainPart
	place   []int32 // of a state in its part, from 1; 0 outside of the part at hand
}

// chainPart is a component of a chain.
type chainPart struct {
	states []int32
	totals Totals // nil for a single state
}

// NewOrdered returns totals for chains of n states.
func NewOrdered(team *parallel.Team, workers, n int) *Ordered {
	return &Ordered{team: team, workers: workers, place: make([]int32, n)}
}

// Prepare implements Totals.
func (t *Ordered) Prepare(ctx context.Context, chain *Chain) error {
	t.chain, t.parts = chain, t.parts[:0]
	end := int32(chain.NumStates() - 1)
	count, component := chain.Components()
	for _, states := range graph.Members(component, count) {
		if states[0] == end {
			continue
		}
		part := chainPart{states: states}
		if len(states) > 1 {
			cut := t.cut(states)
			part.totals = newTotals(ctx, t.team, t.workers, cut)
			if err := part.totals.Prepare(ctx, cut); err != nil {
				return err
			}
		}
		t.parts = append(t.parts, part)
	}
	return nil
}

// cut returns the chain of a part, with an end where it is left.
func (t *Ordered) cut(states []int32) *Chain {
	for i, s := range states {
		t.place[s] = int32(i) + 1
	}
	end := int32(len(states))
	cut := &Chain{Chain: *graph.NewChain(len(states) + 1), Costs: make([]float64, end+1)}
	for _, s := range states {
		exit := 0.0
		columns, probabilities := t.chain.Row(s)
		for i, j := range columns {
			if t.place[j] == 0 {
				exit += probabilities[i]
				continue
			}
			cut.Add(t.place[j]-1, probabilities[i])
		}
		if exit > 0 {
			cut.Add(end, exit)
		}
		cut.EndState()
	}
	cut.EndState()
	for _, s := range states {
		t.place[s] = 0
	}
	return cut
}

// Solve implements Totals.
func (t *Ordered) Solve(costs []float64) ([]float64, error) {
	x := make([]float64, len(costs))
	for _, part := range t.parts {
		right := make([]float64, len(part.states)+1)
		for i, s := range part.states {
			t.place[s] = 1
			right[i] = costs[s]
		}
		for i, s := range part.states {
			leave := 0.0
			columns, probabilities := t.chain.Row(s)
			for k, j := range columns {
				leave += probabilities[k]
				if t.place[j] == 0 {
					right[i] += float64(probabilities[k] * x[j])
				}
			}
			if part.totals == nil {
				x[s] = right[i] / leave
			}
		}
		for _, s := range part.states {
			t.place[s] = 0
		}
		if part.totals == nil {
			continue
		}
		y, err := part.totals.Solve(right)
		if err != nil {
			return nil, err
		}
		vector.Scatter(x, y[:len(part.states)], part.states)
	}
	return x, nil
}

// IsIterative implements Totals.
func (*Ordered) IsIterative() bool { return true }
