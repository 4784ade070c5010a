package robots_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/queue"
)

// The mean is (1−S)/ρ, with the rate ρ at which robots deliver to an empty queue.
func TestStarvationFreeBalance(t *testing.T) {
	ctx := context.Background()
	for _, p := range testParameters() {
		solution, err := robots.Solve(ctx, p, mdp.Settings{})
		require.NoError(t, err)
		d, err := solution.Policy.StarvationFree(ctx, []float64{0, 10}, mdp.Settings{Tolerance: 1e-12})
		require.NoError(t, err)
		begin := 0.0
		for r, shares := range solution.Measures.Distribution {
			begin += float64(r) * p.ArrivalRate * shares[0]
		}
		want := (1 - solution.Measures.Starvation) / begin
		assert.LessOrEqual(t, d.Mean.Lower, want*(1+1e-12))
		assert.GreaterOrEqual(t, d.Mean.Upper, want*(1-1e-12))
		assert.LessOrEqual(t, d.Mean.Upper-d.Mean.Lower, 1e-11*want)
		assert.InDelta(t, 1, d.Above[0].Lower, 1e-9)
		assert.Less(t, d.Above[1].Upper, 1.)
	}
}

// The times of a simulation of the process, which knows nothing of chains and their laws.
func TestStarvationFreeSimulated(t *testing.T) {
	const n = 100_000
	p := process(4, 3, 0.3, 1, 1.4)
	solution, err := robots.Solve(context.Background(), p, mdp.Settings{})
	require.NoError(t, err)
	times := []float64{0.5, 2, 8}
	d, err := solution.Policy.StarvationFree(context.Background(), times, mdp.Settings{})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 4))
	q, r, lasted, counts, sum, squares := 0, 1, 0.0, make([]float64, len(times)), 0.0, 0.0
	for spells := -1; spells < n; { // the first is left out
		serve := 0.0
		if q > 0 {
			serve = p.ServiceRate
		}
		rate := serve + float64(r)*p.ArrivalRate
		if q > 0 {
			lasted += rng.ExpFloat64() / rate
		}
		decided := solution.Policy.Decisions(robots.State{Queue: q, Active: []int{r}})
		if rng.Float64()*rate < serve {
			q--
			if decided.Activate != robots.NoClass {
				r++
			}
		} else {
			q = min(q+1, p.Buffer)
			if decided.Reactivate == 0 {
				r--
			}
		}
		if q > 0 || lasted == 0 {
			continue
		}
		if spells++; spells > 0 {
			sum, squares = sum+lasted, squares+lasted*lasted
			for i, x := range times {
				if lasted > x {
					counts[i]++
				}
			}
		}
		lasted = 0
	}
	mean := sum / n
	assert.InDelta(t, mean, d.Mean.Lower, 5*math.Sqrt((squares/n-mean*mean)/n))
	for i, count := range counts {
		share := d.Above[i].Lower
		assert.InDelta(t, share, count/n, 5*math.Sqrt(share*(1-share)/n))
	}
}

// With all robots of two classes active, or with services in phases, the mean is that of the
// queue.
func TestStarvationFreeOfVariants(t *testing.T) {
	ctx := context.Background()
	classes := robots.Parameters{Classes: []robots.Class{{Robots: 2, ArrivalRate: 0.1}, {Robots: 1, ArrivalRate: 0.4}}, Buffer: 4, ServiceRate: 1, StarvationWeight: 1}
	policy, err := robots.NewStaticPolicy(classes, 2, 1)
	require.NoError(t, err)
	d, err := policy.StarvationFree(ctx, []float64{1}, mdp.Settings{})
	require.NoError(t, err)
	q := queue.MM1K{ArrivalRate: 0.6, ServiceRate: 1, Buffer: 4}
	assert.InEpsilon(t, (1-q.Empty())/(0.6*q.Empty()), d.Mean.Lower, 1e-12)

	p := process(3, 4, 0.2, 1, 1)
	p.Service, err = queue.NewErlang(3, 1)
	require.NoError(t, err)
	policy, err = robots.NewStaticPolicy(p, 3)
	require.NoError(t, err)
	m := measure(t, policy)
	d, err = policy.StarvationFree(ctx, []float64{1}, mdp.Settings{})
	require.NoError(t, err)
	assert.InEpsilon(t, (1-m.Starvation)/(0.6*m.Starvation), d.Mean.Lower, 1e-12)
}

// A randomised decision counts: the mean is (1−S)/ρ.
func TestStarvationFreeWithChance(t *testing.T) {
	p := process(16, 5, 0.1, 1, 1)
	found, err := robots.SolveWithin(context.Background(), p, robots.Limit{LossShare: 0.01}, mdp.Settings{})
	require.NoError(t, err)
	chance, ok := found.Policy.Chance()
	require.True(t, ok)
	require.Zero(t, chance.State.Queue, "a case in which chance counts where such times begin")
	d, err := found.Policy.StarvationFree(context.Background(), []float64{1}, mdp.Settings{})
	require.NoError(t, err)
	begin := 0.0
	for r, shares := range found.Measures.Distribution {
		begin += float64(r) * p.ArrivalRate * shares[0]
	}
	want := (1 - found.Measures.Starvation) / begin
	assert.InEpsilon(t, want, d.Mean.Lower, 1e-11)
	assert.InEpsilon(t, want, d.Mean.Upper, 1e-11)
}

func TestStarvationFreeRefused(t *testing.T) {
	policy, err := robots.NewStaticPolicy(process(3, 4, 0.2, 1, 1), 3)
	require.NoError(t, err)
	_, err = policy.StarvationFree(context.Background(), []float64{1e99}, mdp.Settings{})
	require.ErrorIs(t, err, mdp.ErrTooLarge)
}

func ExamplePolicy_StarvationFree() {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	solution, err := robots.Solve(context.Background(), p, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := solution.Policy.StarvationFree(context.Background(), []float64{10}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f on average, more than 10 with probability %.3f\n", d.Mean.Lower, d.Above[0].Lower)
	// Output: 5.807 on average, more than 10 with probability 0.208
}
