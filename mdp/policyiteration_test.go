package mdp_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Twenty places, in each of which a policy can stay for ever at some cost. Moving is so
// expensive that a short look ahead stays everywhere: a policy with twenty closed classes
// on the way to one.
func TestPolicyIterationLeadsToTheBestClass(t *testing.T) {
	const n, best = 20, 13
	var states [][]choice
	for s := range n {
		stay, left, right := make([]float64, n), make([]float64, n), make([]float64, n)
		stay[s], left[max(s-1, 0)], right[min(s+1, n-1)] = 1, 1, 1
		cost := 2 + 1e-4*float64(s)
		if s == best {
			cost = 2 - 1e-4
		}
		states = append(states, []choice{{stay, []float64{-cost}}, {left, []float64{-1e6}}, {right, []float64{-1e6}}})
	}
	table := textbook(t, states...)
	result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{Method: mdp.PolicyIteration})
	require.NoError(t, err)
	assert.InEpsilon(t, 2-1e-4, result.Gain, 1e-12)
	assert.Equal(t, int32(0), result.Policy[best])
	for s := range n {
		assert.InDelta(t, 1e6*abs(s-best)-1e6*best, result.Bias[s], 100)
	}
}

func abs(x int) float64 { return float64(max(x, -x)) }

// A corridor of transient states, each with a door to the end that costs more than
// going on, but by less than a look ahead of one step can see. First only its last state
// improves, then the one before it, while the gain does not fall.
func TestPolicyIterationOutlastsRoundsOfEqualGain(t *testing.T) {
	const n = 400
	var states [][]choice
	doors := make([]float64, n+1)
	to := func(j int, cost float64) choice {
		row := make([]float64, n+1)
		row[j] = 1
		return choice{row, []float64{-cost}}
	}
	for s := range n - 1 {
		doors[s] = float64(n-2-s)*(1-0x1p-10) + 1.5
		states = append(states, []choice{to(n-1, 1+doors[s]), to(s+1, 2)})
	}
	// The end: to and fro at 1 a step on average, or back to the start.
	states = append(states, []choice{to(n, 0)}, []choice{to(n-1, 2), to(0, 1e6)})
	doors[n] = 1
	table := textbook(t, states...)
	result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{},
		mdp.Settings{Method: mdp.PolicyIteration, Values: doors}) // the values of taking every door
	require.NoError(t, err)
	assert.Equal(t, 1.0, result.Gain)
	for s := range n - 1 {
		assert.Equal(t, int32(1), result.Policy[s], s)
	}
}

// A queue of at most 24 with slow or fast service, of which fast costs more,
// and a loss that is as rare as 1e-20: the gain has all its digits. The second
// model counts only the losses.
func TestPolicyIterationOnTinyGains(t *testing.T) {
	const k = 24
	for _, effort := range []float64{1e-25, 0} {
		var states [][]choice
		for n := range k + 1 {
			var choices []choice
			for _, fast := range []bool{false, true} {
				row := make([]float64, k+1)
				down, cost := 0.5, 0.0
				if fast {
					down, cost = 0.875, effort
				}
				up := 0.125
				if n == k {
					cost += up
				}
				row[min(n+1, k)] += up
				row[max(n-1, 0)] += down
				row[n] += 1 - up - down
				choices = append(choices, choice{row, []float64{-cost}})
			}
			states = append(states, choices)
		}
		table := textbook(t, states...)
		result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{Method: mdp.PolicyIteration})
		require.NoError(t, err)
		assert.Less(t, result.Gain, 1e-20)
		assert.Positive(t, result.Lower)
		assertGainOfPolicy(t, table, result, 1e-14)
		t.Logf("gain %v in [%v, %v]", result.Gain, result.Lower, result.Upper)
	}
}

// From each of many states one action leads to state 0 and another stays, and
// state 0 is the best to stay in: all the others are led to it.
func TestPolicyIterationOnAStar(t *testing.T) {
	const n = 30_000
	var b mdp.TableBuilder
	add := func(cost float64, next int) {
		b.AddAction(cost)
		b.AddTransition(next, 1)
	}
	for s := range n {
		b.AddState()
		add(2+float64(s)/n, s)
		if s == 0 { // a long path leads to all other states
			add(1e6, 1)
		} else {
			add(1e6, 0)
			add(1e6, min(s+1, n-1))
		}
	}
	table, err := b.Build()
	require.NoError(t, err)
	result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{Method: mdp.PolicyIteration})
	require.NoError(t, err)
	assert.Equal(t, 2.0, result.Gain)
}
