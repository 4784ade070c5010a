package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// BenchmarkUncertain measures the worst case of random models with 2 actions of 5 transitions,
// whose probabilities are known to 5 %, and that of the ordinary model for comparison. Bounds
// on the average are within 1e-6 of each other.
func BenchmarkUncertain(b *testing.B) {
	const actions, successors, tolerance = 2, 5, 1e-6
	sizes := []int{10_000, 100_000}
	if *long {
		sizes = append(sizes, 1_000_000)
	}
	for _, states := range sizes {
		table := garnet(b, states, actions, successors, 28)
		uncertain := widened(b, table, 0.05)
		settings := mdp.Settings{Tolerance: tolerance}
		name := fmt.Sprintf("model=garnet/states=%d/transitions=%d/", states, table.NumTransitions())
		b.Run(name+"case=nominal", func(b *testing.B) {
			for b.Loop() {
				result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, settings)
				require.NoError(b, err)
				b.ReportMetric(float64(result.Iterations), "iterations")
			}
		})
		for _, nature := range []mdp.Nature{mdp.Robust, mdp.Optimistic} {
			b.Run(name+"case="+nature.String(), func(b *testing.B) {
				for b.Loop() {
					result, err := mdp.Solve(context.Background(), uncertain.With(nature), mdp.LongRunAverage{}, settings)
					require.NoError(b, err)
					b.ReportMetric(float64(result.Iterations), "iterations")
				}
			})
		}
	}
}

// widened returns a table whose probabilities p may be from (1 − width)·p to (1 + width)·p.
func widened(b *testing.B, table *mdp.Table, width float64) *mdp.Uncertain {
	var builder mdp.TableBuilder
	var row []mdp.Entry
	for s := range table.NumStates() {
		builder.AddState()
		for a := range table.NumActions(s) {
			var cost float64
			row, cost = table.AppendRow(row[:0], s, a)
			builder.AddAction(cost)
			for _, e := range row {
				builder.AddInterval(int(e.State), e.Probability*(1-width), min(1, e.Probability*(1+width)), 0)
			}
		}
	}
	uncertain, err := builder.BuildUncertain()
	require.NoError(b, err)
	return uncertain
}
