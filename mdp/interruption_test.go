package mdp_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/countdown"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// walks are walks on squares, in which each place is left to the four around it,
// one of them the more likely by choice. A walk starts again in its first corner
// from the middle. Before them comes a state from which each may be chosen.
func walks(t *testing.T, count, side int) *mdp.Table {
	t.Helper()
	var b mdp.TableBuilder
	b.AddState()
	for i := range count {
		b.AddAction(float64(i))
		b.AddTransition(1+i*side*side, 1)
	}
	for i := range count {
		place := func(x, y int) int { return 1 + i*side*side + min(max(x, 0), side-1)*side + min(max(y, 0), side-1) }
		for x := range side {
			for y := range side {
				b.AddState()
				for _, drift := range []float64{0.1, 0.3} {
					b.AddAction(float64((x*7+y*3)%5) + drift + 1)
					b.AddTransition(place(x+1, y), drift)
					b.AddTransition(place(x-1, y), 0.5-drift)
					b.AddTransition(place(x, y+1), 0.25)
					if x == side/2 && y == side/2 {
						b.AddTransition(place(0, 0), 0.25)
					} else {
						b.AddTransition(place(x, y-1), 0.25)
					}
				}
			}
		}
	}
	table, err := b.Build()
	require.NoError(t, err)
	return table
}

// Wherever the context ends, Solve returns the best so far, with bounds that hold.
func TestInterruptedAnywhere(t *testing.T) {
	side, times := 36, 3
	if *long {
		side, times = 66, 12
	}
	for count := range 3 {
		model := walks(t, count+1, side/(count+1))
		middle := int32(1 + side/(count+1)/2)
		for _, criterion := range []mdp.Criterion{
			mdp.LongRunAverage{}, mdp.Discounted{Discount: 0.99}, mdp.TotalCost{Target: []int32{middle}},
		} {
			for _, method := range []mdp.Method{
				0, mdp.RelativeValueIteration, mdp.ValueIteration, mdp.ModifiedPolicyIteration, mdp.InexactPolicyIteration, mdp.PolicyIteration,
			} {
				t.Run(fmt.Sprintf("%d/%T/%v", count+1, criterion, method), func(t *testing.T) {
					settings := mdp.Settings{Method: method, Workers: 2, MaxIterations: 3000}
					full := countdown.Endless()
					best, err := mdp.Solve(full, model, criterion, settings)
					if best == nil {
						t.Skip(err) // not for this criterion
					}
					for i := range times {
						after := full.Looks() * i / times
						result, err := mdp.Solve(countdown.New(after), model, criterion, settings)
						require.NotNil(t, result, "%v, after %d of %d", err, after, full.Looks())
						require.ErrorIs(t, err, context.Canceled)
						assert.Equal(t, mdp.Interrupted, result.Status)
						assert.LessOrEqual(t, result.Lower, best.Upper)
						assert.GreaterOrEqual(t, result.Upper, best.Lower)
						assert.Len(t, result.Policy, model.NumStates())
					}
				})
			}
		}
	}
}

// Values that fall by a thousand from state to state need exact evaluation after the sweeps, as too many
// states have costs to sweep from these. If the context ends during the evaluation, the bounds of the sweeps
// remain.
func TestInterruptedAfterSweeps(t *testing.T) {
	const n, costly = 80, 10
	var b mdp.TableBuilder
	for s := range n {
		cost := 0.0
		if s < costly {
			cost = 1
		}
		b.AddState()
		for _, p := range []float64{1e-3, 2e-3} {
			b.AddAction(cost)
			b.AddTransition((s+n-1)%n, p)
			b.AddTransition(s, 1-p)
		}
	}
	model, err := b.Build()
	require.NoError(t, err)
	solve := func(ctx context.Context) *mdp.Result {
		result, _ := mdp.Solve(ctx, model, mdp.Discounted{Discount: 0.9}, mdp.Settings{})
		require.NotNil(t, result)
		return result
	}
	full := countdown.Endless()
	best := solve(full)
	require.Equal(t, mdp.Converged, best.Status)
	require.Equal(t, "policy iteration", best.Method)
	swept := false
	for after := range full.Looks() {
		result := solve(countdown.New(after))
		lower, upper := result.Bounds(n - 1)
		swept = swept || result.Method != best.Method && result.Iterations > 11
		if swept {
			assert.Less(t, upper, 1e-6, "after %d of %d", after, full.Looks())
		}
		assert.True(t, lower <= best.Value[n-1] && best.Value[n-1] <= upper)
	}
	assert.True(t, swept)
}
