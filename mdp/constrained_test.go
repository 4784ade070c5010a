package mdp_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// twoActions is one state whose actions cost 0 … 3 and have the other costs 3, 1, 1/2, 0.
func twoActions(t *testing.T) (*mdp.Table, []float64) {
	t.Helper()
	return buildTable(t, func(b *mdp.TableBuilder) {
		b.AddState()
		for a := range 4 {
			b.AddAction(float64(a))
			b.AddTransition(0, 1)
		}
	}), []float64{3, 1, 0.5, 0}
}

func atMost(costs []float64, bound *big.Rat) mdp.Constraint {
	return mdp.Constraint{Costs: costs, Bound: bound}
}

// TestConstrainedByHand has one state: the optimum is read off the lower hull of the pairs
// (0,3), (1,1), (2,1/2), (3,0).
func TestConstrainedByHand(t *testing.T) {
	table, other := twoActions(t)
	for _, test := range []struct {
		bound      *big.Rat
		value      float64
		multiplier float64
		chances    int
	}{
		{big.NewRat(4, 1), 0, 0, 0},     // no limit
		{big.NewRat(2, 1), 0.5, 0.5, 1}, // half-way between the first two
		{big.NewRat(1, 4), 2.5, 2, 1},   // on the straight line through the last three
		{big.NewRat(0, 1), 3, 2, 0},     // the least there is
	} {
		found, err := mdp.SolveConstrained(context.Background(), table, mdp.LongRunAverage{}, 0, []mdp.Constraint{atMost(other, test.bound)}, mdp.Settings{})
		require.NoError(t, err, test.bound)
		assert.InDelta(t, test.value, found.Value, 1e-11, test.bound)
		assert.LessOrEqual(t, found.Limits[0], float(test.bound), test.bound)
		if test.bound.Sign() > 0 {
			assert.InDelta(t, test.multiplier, found.Multipliers[0], 1e-9, test.bound)
			require.Len(t, found.Mixture, 1)
			assert.Equal(t, test.chances == 0, deterministic(table, found.Mixture[0].Probabilities) != nil, test.bound)
		}
	}
	_, err := mdp.SolveConstrained(context.Background(), table, mdp.LongRunAverage{}, 0, []mdp.Constraint{atMost(other, big.NewRat(-1, 10))}, mdp.Settings{})
	fault, ok := errors.AsType[*mdp.InfeasibleError](err)
	require.True(t, ok, "%v", err)
	assert.InDelta(t, 0, fault.Least/fault.Prices[0], 1e-12)
}

// TestConstrainedMultichain starts in state 0, where a policy stays, at other costs of 1, or goes
// for ever to state 1, at costs of 1. A stationary policy that leaves state 0 with any probability
// leaves it in the end, so only a mixture of two policies is the optimum.
func TestConstrainedMultichain(t *testing.T) {
	table := buildTable(t, func(b *mdp.TableBuilder) {
		b.AddState()
		b.AddAction(0)
		b.AddTransition(0, 1) // stays, with the other costs
		b.AddAction(1)
		b.AddTransition(1, 1)
		b.AddState()
		b.AddAction(1)
		b.AddTransition(1, 1)
	})
	found, err := mdp.SolveConstrained(context.Background(), table, mdp.LongRunAverage{}, 0, []mdp.Constraint{atMost([]float64{1, 0, 0}, big.NewRat(1, 4))}, mdp.Settings{})
	require.NoError(t, err)
	assert.Equal(t, mdp.Converged, found.Status)
	assert.InDelta(t, 0.75, found.Value, 1e-11)
	require.Len(t, found.Mixture, 2, "any chance of leaving state 0 is taken in the end")
	assert.InDelta(t, 1, found.Mixture[0].Weight+found.Mixture[1].Weight, 1e-15)
}

// TestConstrainedToAnEquality has a limit from above and one from below with the same bound,
// and a third that does not matter.
func TestConstrainedToAnEquality(t *testing.T) {
	table, other := twoActions(t)
	bound := big.NewRat(3, 4)
	found, err := mdp.SolveConstrained(context.Background(), table, mdp.Discounted{Discount: 0.5}, 0, []mdp.Constraint{
		atMost(other, bound), {Costs: other, Bound: bound, AtLeast: true}, atMost([]float64{9, 9, 9, 9}, big.NewRat(100, 1)),
	}, mdp.Settings{})
	require.NoError(t, err)
	assert.InDelta(t, 4.5, found.Value, 1e-8) // 2·(3 − 2·3/8): on the line through the last three
	assert.InDelta(t, 0.75, found.Limits[0], 1e-11)
	assert.InDelta(t, 0.75, found.Limits[1], 1e-11)
	assert.Zero(t, found.Multipliers[2])
}

func TestConstrainedRefuses(t *testing.T) {
	table, other := twoActions(t)
	ctx, limit := context.Background(), []mdp.Constraint{atMost(other, big.NewRat(1, 1))}
	for _, test := range []struct {
		criterion   mdp.Criterion
		state       int
		constraints []mdp.Constraint
		want        string
	}{
		{nil, 0, limit, "criterion is nil"},
		{mdp.FiniteHorizon{Steps: 3}, 0, limit, "use a Table, and LongRunAverage, Discounted or TotalCost"},
		{mdp.LongRunAverage{}, 1, limit, "state 1 is not valid: use 0 … 0"},
		{mdp.LongRunAverage{}, 0, []mdp.Constraint{atMost(other[1:], big.NewRat(1, 1))}, "constraint 0 has 3 costs"},
		{mdp.LongRunAverage{}, 0, []mdp.Constraint{atMost(other, nil)}, "no Bound"},
		{mdp.LongRunAverage{}, 0, []mdp.Constraint{atMost([]float64{0, 1, math.NaN(), 2}, big.NewRat(1, 1))}, "constraint 0: "},
		{mdp.TotalCost{Target: []int32{}}, 0, limit, "no policy reaches the target from state 0"},
	} {
		found, err := mdp.SolveConstrained(ctx, table, test.criterion, test.state, test.constraints, mdp.Settings{})
		assert.Nil(t, found)
		assert.ErrorContains(t, err, test.want)
	}
	_, err := mdp.SolveConstrained(ctx, table, mdp.LongRunAverage{}, 0, limit, mdp.Settings{Tolerance: -1})
	assert.ErrorContains(t, err, "Settings.Tolerance")
	_, err = mdp.ParetoFront(ctx, table, mdp.LongRunAverage{}, 0, nil, false, mdp.Settings{})
	assert.ErrorContains(t, err, "0 costs")
}

// TestConstrainedEndsEarly ends in every iteration: what there is has
// bounds that hold.
func TestConstrainedEndsEarly(t *testing.T) {
	table, other := twoActions(t)
	limits := []mdp.Constraint{atMost(other, big.NewRat(2, 1))}
	for last := 1; last < 12; last++ {
		ctx, cancel := context.WithCancel(context.Background())
		count := 0
		found, err := mdp.SolveConstrained(ctx, table, mdp.LongRunAverage{}, 0, limits, mdp.Settings{Record: func(mdp.Progress) error {
			if count++; count == last {
				cancel()
			}
			return nil
		}})
		cancel()
		if found == nil {
			require.ErrorIs(t, err, context.Canceled)
			continue
		}
		assert.LessOrEqual(t, found.Lower, 0.5)
		assert.GreaterOrEqual(t, found.Upper, 0.5-1e-9)
	}
}

// TestConstrainedEndsInTheFirstSolve has an answer by then if the policy so far is within the
// limits, and one point of a front.
func TestConstrainedEndsInTheFirstSolve(t *testing.T) {
	table, other := twoActions(t)
	for _, discount := range []float64{0.9, 1 - 1e-9} {
		criterion := mdp.Discounted{Discount: discount}
		best, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{})
		require.NoError(t, err)
		stopped := errors.New("stopped")
		settings := mdp.Settings{Method: mdp.ValueIteration, Record: func(mdp.Progress) error { return stopped }}
		limits := []mdp.Constraint{atMost(other, big.NewRat(1e12, 1))} // every policy is within it
		found, err := mdp.SolveConstrained(context.Background(), table, criterion, 0, limits, settings)
		require.ErrorIs(t, err, stopped)
		require.NotNil(t, found)
		assert.Equal(t, mdp.Interrupted, found.Status)
		assert.LessOrEqual(t, found.Lower, best.Upper)
		assert.GreaterOrEqual(t, found.Upper, best.Lower)
		assert.Less(t, found.Upper, 1e12)
		front, err := mdp.ParetoFront(context.Background(), table, criterion, 0, other, false, settings)
		require.ErrorIs(t, err, stopped)
		require.Len(t, front.Points, 1)
	}
}

// TestParetoFrontAtATimeLimit has one limit for all solves together.
func TestParetoFrontAtATimeLimit(t *testing.T) {
	table, other := twoActions(t)
	settings := mdp.Settings{TimeLimit: 10 * time.Millisecond, Record: func(mdp.Progress) error {
		time.Sleep(15 * time.Millisecond)
		return nil
	}}
	_, err := mdp.ParetoFront(context.Background(), table, mdp.LongRunAverage{}, 0, other, false, settings)
	require.ErrorIs(t, err, mdp.ErrTimeLimit)
}

// TestConstrainedAtAnyNumberOfWorkers finds the same bits.
func TestConstrainedAtAnyNumberOfWorkers(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	table := randomTable(t, random, communicating, plain)
	limits := []mdp.Constraint{atMost(costsOf(table, random.Float64), big.NewRat(1, 2))}
	var answers []*mdp.Constrained
	for _, workers := range []int{1, 2, 7} {
		found, err := mdp.SolveConstrained(context.Background(), table, mdp.LongRunAverage{}, 0, limits, mdp.Settings{Workers: workers})
		require.NoError(t, err)
		found.Elapsed = 0
		for _, part := range found.Mixture {
			for _, result := range part.Results {
				result.Elapsed = 0
			}
		}
		answers = append(answers, found)
	}
	assert.Equal(t, answers[0], answers[1])
	assert.Equal(t, answers[0], answers[2])
}

// TestParetoFrontByHand is the hull of twoActions, whose last three points lie on a line.
func TestParetoFrontByHand(t *testing.T) {
	table, other := twoActions(t)
	front, err := mdp.ParetoFront(context.Background(), table, mdp.LongRunAverage{}, 0, other, false, mdp.Settings{})
	require.NoError(t, err)
	assert.Less(t, front.Gap, 1e-11)
	first, last := front.Points[0], front.Points[len(front.Points)-1]
	assert.Equal(t, [3]float64{0, 3, 0}, [3]float64{first.Value, first.Other, first.From})
	assert.InDelta(t, 0.5, first.To, 1e-12)
	assert.Equal(t, [2]float64{3, 0}, [2]float64{last.Value, last.Other})
	assert.InDelta(t, 2, last.From, 1e-12)
	assert.True(t, math.IsInf(last.To, 1))
}

// Staying in state 0 costs −c, and d of another cost, which is limited to b. So it pays to
// stay as often as the limit allows, b/d times. If no limit bounds the number, there is no
// answer.
func TestConstrainedCycles(t *testing.T) {
	for _, test := range []struct{ c, d, b float64 }{{1, 1, 10}, {2, 3, 7}, {0.1, 0.7, 1000}, {5, 1e-3, 1}, {1e-4, 2, 1}} {
		table, other := buildTable(t, func(b *mdp.TableBuilder) {
			for range 2 { // 1 leads to 0, where one may go round
				b.AddState()
				b.AddAction(-test.c)
				b.AddTransition(0, 1)
				b.AddAction(0)
				b.AddTransition(2, 1)
			}
			b.AddState()
			b.AddAction(0)
			b.AddTransition(2, 1)
		}), []float64{test.d, 0, 0, 0, 0}
		limit, _ := new(big.Rat).SetString(big.NewFloat(test.b).Text('g', -1))
		total := mdp.TotalCost{Target: []int32{2}}
		found, err := mdp.SolveConstrained(context.Background(), table, total, 0, []mdp.Constraint{atMost(other, limit)}, mdp.Settings{})
		require.NoError(t, err, test)
		assert.InEpsilon(t, -test.c*test.b/test.d, found.Value, 1e-9, test)
		assert.LessOrEqual(t, found.Lower, -test.c*test.b/test.d*(1-1e-14), test)
		assert.LessOrEqual(t, found.Limits[0], test.b*(1+1e-9), test)
		assert.InEpsilon(t, test.c/test.d, found.Multipliers[0], 1e-9, test)
		require.Len(t, found.Mixture, 1)
		assert.InEpsilon(t, test.b/test.d, found.Mixture[0].Probabilities[0]/found.Mixture[0].Probabilities[1], 1e-6, test)
		_, err = mdp.SolveConstrained(context.Background(), table, total, 0, []mdp.Constraint{atMost(make([]float64, 5), limit)}, mdp.Settings{})
		require.ErrorIs(t, err, mdp.ErrUnsupported, test)
	}
}
