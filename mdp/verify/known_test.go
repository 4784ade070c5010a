package verify

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// builder makes models choice by choice.
type builder struct{ *mdpio.Model }

func newBuilder(kind mdpio.Kind) *builder {
	return &builder{&mdpio.Model{
		Kind: kind, StateStart: []int32{0}, RowStart: []int32{0}, Initial: []int32{0},
		Rewards: []mdpio.RewardModel{{Name: "cost"}},
	}}
}

// to adds a transition to the choice at hand.
func (b *builder) to(j int, x float64) {
	b.Columns = append(b.Columns, int32(j))
	b.Values.Float = append(b.Values.Float, x)
}

// choice ends the choice at hand.
func (b *builder) choice(cost float64) {
	b.RowStart = append(b.RowStart, int32(len(b.Columns)))
	if b.Kind == mdpio.CTMC {
		b.Rewards[0].State.Float = append(b.Rewards[0].State.Float, cost)
	} else {
		b.Rewards[0].Action.Float = append(b.Rewards[0].Action.Float, cost)
	}
}

// state ends the state at hand.
func (b *builder) state() { b.StateStart = append(b.StateStart, int32(len(b.RowStart)-1)) }

// question returns a result that claims nothing, about the first actions.
func (b *builder) question(criterion string) *mdpio.Result {
	n := b.NumStates()
	r := &mdpio.Result{Criterion: criterion, Sense: "minimize", Status: "interrupted", Policy: make([]int32, n)}
	r.Values, r.Lower, r.Upper = make([]float64, n), make([]float64, n), make([]float64, n)
	for s := range n {
		r.Lower[s], r.Upper[s] = math.Inf(-1), math.Inf(1)
	}
	return r
}

// walk returns a birth-death process of rates λ up and μ down that pays its
// state: the queue M/M/1/n−1.
func walk(n int, lambda, mu float64) *builder {
	b := newBuilder(mdpio.CTMC)
	for s := range n {
		if s > 0 {
			b.to(s-1, mu)
		}
		if s < n-1 {
			b.to(s+1, lambda)
		}
		b.choice(float64(s))
		b.state()
	}
	return b
}

// longWalk returns a walk and a question about it.
func longWalk(t testing.TB, n int) (*mdpio.Model, *mdpio.Result) {
	t.Helper()
	b := walk(n, 1, 2)
	require.NoError(t, b.Validate())
	return b.Model, b.question("average")
}

// The mean queue of M/M/1/K is ρ/(1−ρ) − (K+1)ρ^(K+1)/(1−ρ^(K+1)).
func TestLongQueue(t *testing.T) {
	for _, n := range []int{2, 50, 200_000} {
		m, r := longWalk(t, n)
		report, err := Check(context.Background(), m, r, Options{})
		require.NoError(t, err)
		assert.NoError(t, report.Reason)
		last := math.Ldexp(1, -n)
		want := 1 - float64(n)*last/(1-last)
		for _, s := range []int{0, n / 2, n - 1} {
			assert.InEpsilon(t, want, report.Optimum[s].Lower, 1e-15)
			assert.LessOrEqual(t, report.Optimum[s].Upper-report.Optimum[s].Lower, 0x1p-51)
		}
	}
}

// A symmetric walk from s in 0 … n leaves at an end after s·(n−s) steps; what is
// exact in float64 is found exactly, at any size.
func TestGamblersRuin(t *testing.T) {
	const n = 20_001
	b := newBuilder(mdpio.DTMC)
	for s := range n {
		if s == 0 || s == n-1 {
			b.to(s, 1)
		} else {
			b.to(s-1, 0.5)
			b.to(s+1, 0.5)
		}
		b.choice(1)
		b.state()
	}
	b.Labels = map[string][]int32{"end": {0, n - 1}}
	r := b.question("total")
	r.Target = "end"
	report, err := Check(context.Background(), b.Model, r, Options{})
	require.NoError(t, err)
	require.NoError(t, report.Reason)
	for s, i := range report.Optimum {
		want := float64(s) * float64(n-1-s)
		require.Equal(t, Interval{want, want}, i)
	}
}

// Where nothing is paid for going round, a policy that does is worth nothing, and
// all the states of the round have one value.
func TestFreeRounds(t *testing.T) {
	b := newBuilder(mdpio.MDP)
	const n = 100
	for s := range n { // for 0 to the next state, for n − s + 1/3 out
		b.to((s+1)%n, 1)
		b.choice(0)
		b.to(n, 1)
		b.choice(float64(n-s) + 1.0/3)
		b.state()
	}
	b.to(n, 1)
	b.choice(0)
	b.state()
	b.Labels = map[string][]int32{"out": {n}}
	r := b.question("total")
	r.Target = "out"
	r.Policy[n-1] = 1
	report, err := Check(context.Background(), b.Model, r, Options{})
	require.NoError(t, err)
	for s := range n {
		assert.Equal(t, Interval{4.0 / 3, 4.0 / 3}, report.Optimum[s])
		assert.Equal(t, Interval{4.0 / 3, 4.0 / 3}, report.Achieved[s])
	}
	r.Policy[n-1] = 0
	report, err = Check(context.Background(), b.Model, r, Options{})
	require.NoError(t, err)
	assert.Equal(t, Interval{math.Inf(1), math.Inf(1)}, report.Achieved[0])
}

// A cycle that earns something, however little, is gone round for ever.
func TestEndlessCosts(t *testing.T) {
	b := newBuilder(mdpio.MDP)
	b.to(1, 1)
	b.choice(1)
	b.state()
	b.to(0, 1)
	b.choice(-1 - 0x1p-52)
	b.to(2, 1)
	b.choice(5)
	b.state()
	b.to(2, 1)
	b.choice(0)
	b.state()
	b.Labels = map[string][]int32{"out": {2}}
	r := b.question("total")
	r.Target = "out"
	r.Policy[1] = 1
	report, err := Check(context.Background(), b.Model, r, Options{})
	require.NoError(t, err)
	assert.Equal(t, Interval{math.Inf(-1), math.Inf(-1)}, report.Optimum[0])
	assert.Equal(t, Interval{6, 6}, report.Achieved[0])

	b.Rewards[0].Action.Float[1] = -1 // nothing is left of it
	report, err = Check(context.Background(), b.Model, r, Options{})
	require.NoError(t, err)
	assert.Equal(t, Interval{6, 6}, report.Optimum[0])
}
