package robots_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// TestSolveAgainstExactArithmetic takes the optimal policy that Solve finds,
// evaluates it in 400-bit arithmetic for the parameters as rational numbers,
// and proves it optimal there. The gain must agree to 1e-12, and the bounds
// contain the exact one.
func TestSolveAgainstExactArithmetic(t *testing.T) {
	for _, test := range []struct {
		robots, buffer     int
		lambda, mu, weight string
	}{
		{1, 2, "1/10", "1", "7/5"},
		{1, 9, "3", "1/2", "1/10"},
		{2, 2, "7/3", "5/11", "1000"},
		{3, 4, "1/7", "1/2", "1/1000"},
		{16, 5, "1/10", "1", "1"},
		{16, 5, "1/10", "1", "2"},
		{12, 10, "33/10", "17", "17/15"},
		{9, 15, "1/10", "1", "2/5"},
		{40, 7, "1/30", "3/2", "20"},
		{20, 30, "1/10", "1", "7/5"},
		{20, 60, "1/10", "1", "7/5"},
		{26, 45, "1/10", "1", "1/1000000"},
		{5, 60, "1/2", "1", "1000000"},
	} {
		name := fmt.Sprintf("N=%d,K=%d,lambda=%s,mu=%s,gamma=%s", test.robots, test.buffer, test.lambda, test.mu, test.weight)
		t.Run(name, func(t *testing.T) {
			e := exactProcess{
				robots: test.robots, buffer: test.buffer,
				lambda: exactFloat(t, test.lambda), mu: exactFloat(t, test.mu), weight: exactFloat(t, test.weight),
			}
			p := robots.Parameters{Robots: test.robots, Buffer: test.buffer}
			p.ArrivalRate, _ = e.lambda.Float64()
			p.ServiceRate, _ = e.mu.Float64()
			p.StarvationWeight, _ = e.weight.Float64()
			s, err := robots.Solve(context.Background(), p, mdp.Settings{})
			require.NoError(t, err)
			require.Equal(t, mdp.Converged, s.Status)

			root := likelyPair(t, s.Policy)
			gain, values := e.evaluate(s.Policy, root.Queue, root.Active)
			tiny := number(0).Mul(gain, number(0x1p-200))
			require.LessOrEqual(t, e.excess(gain, values).Cmp(tiny), 0, "a better decision exists")

			exact, _ := gain.Float64()
			assert.InEpsilon(t, exact, s.Gain, 1e-12)
			assert.InEpsilon(t, exact, s.Measures.Gain, 1e-12)
			assert.LessOrEqual(t, number(s.Lower).Cmp(gain), 0, "lower %v, exact %v", s.Lower, gain)
			assert.GreaterOrEqual(t, number(s.Upper).Cmp(gain), 0, "upper %v, exact %v", s.Upper, gain)
		})
	}
}

// likelyPair returns a pair of the closed class of the policy.
func likelyPair(t *testing.T, policy *robots.Policy) Pair {
	t.Helper()
	m, err := robots.NewModel(policy.Parameters())
	require.NoError(t, err)
	evaluation, err := mdp.LongRun(context.Background(), m, mdp.Policy{Actions: policy.Actions(m)})
	require.NoError(t, err)
	require.Len(t, evaluation.Classes, 1)
	class := evaluation.Classes[0]
	return pairOf(m, class.States[floats.MaxIdx(class.Stationary)])
}

// TestTinyGain checks the gain that was computed with 113-bit floats, where
// plain float64 policy iteration with LU solves is 12% off.
func TestTinyGain(t *testing.T) {
	if testing.Short() {
		t.Skip("20,000 pairs, and a band of 100")
	}
	p := robots.Parameters{Robots: 200, Buffer: 100, ArrivalRate: 0.01, ServiceRate: 1, StarvationWeight: 1.4}
	s, err := robots.Solve(context.Background(), p, mdp.Settings{})
	require.NoError(t, err)
	assert.InEpsilon(t, 1.30628183642534e-11, s.Gain, 1e-13)
	assert.Less(t, s.Lower, 1.306281836425345e-11)
	assert.Greater(t, s.Upper, 1.306281836425335e-11)
	assert.Less(t, (s.Upper-s.Lower)/s.Upper, 1e-9)
}

// TestPolicyEnumeration solves tiny processes by trying every policy in exact
// rational arithmetic: every way to choose from the pairs' decisions.
func TestPolicyEnumeration(t *testing.T) {
	for _, test := range []struct {
		robots, buffer     int
		lambda, mu, weight string
	}{
		{1, 2, "1/3", "1", "7/5"},
		{1, 2, "5", "1/2", "1/7"},
		{1, 3, "2/3", "3/4", "9"},
		{2, 2, "1/4", "1", "2"},
	} {
		p := robots.Parameters{Robots: test.robots, Buffer: test.buffer}
		lambda, mu, weight := rational(t, test.lambda), rational(t, test.mu), rational(t, test.weight)
		p.ArrivalRate, _ = lambda.Float64()
		p.ServiceRate, _ = mu.Float64()
		p.StarvationWeight, _ = weight.Float64()
		best := enumerate(t, p, lambda, mu, weight)
		exact, _ := best.Float64()
		s, err := robots.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		assert.InEpsilon(t, exact, s.Gain, 1e-14)
		assert.LessOrEqual(t, new(big.Rat).SetFloat64(s.Lower).Cmp(best), 0)
		assert.GreaterOrEqual(t, new(big.Rat).SetFloat64(s.Upper).Cmp(best), 0)
	}
}

func rational(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	return r
}

// enumerate returns the least gain over all policies and starting pairs. A
// closed class is found by walking long enough, and its stationary
// distribution by solving the balance equations with rationals.
func enumerate(t *testing.T, p robots.Parameters, lambda, mu, weight *big.Rat) *big.Rat {
	t.Helper()
	var choices []moment
	for _, s := range moments(p) {
		if free(p, s) {
			choices = append(choices, s)
		}
	}
	require.LessOrEqual(t, len(choices), 12)
	var best *big.Rat
	for mask := range 1 << len(choices) {
		policy, err := plainPolicy(p, func(s moment) bool {
			for i, c := range choices {
				if c == s {
					return mask>>i&1 == 1
				}
			}
			return false
		})
		require.NoError(t, err)
		for q := range p.Buffer + 1 {
			for r := range p.Robots + 1 {
				if q+r == 0 {
					continue
				}
				g := rationalGain(p, policy, lambda, mu, weight, Pair{q, r})
				if g != nil && (best == nil || g.Cmp(best) < 0) {
					best = g
				}
			}
		}
	}
	return best
}

// rationalGain returns the gain of the closed class that the pair is in, nil if
// it is in none.
func rationalGain(p robots.Parameters, policy *robots.Policy, lambda, mu, weight *big.Rat, start Pair) *big.Rat {
	next := func(x Pair) map[Pair]*big.Rat {
		rates := map[Pair]*big.Rat{}
		add := func(y Pair, rate *big.Rat) {
			if rates[y] == nil {
				rates[y] = new(big.Rat)
			}
			rates[y].Add(rates[y], rate)
		}
		if x.Queue > 0 {
			y := Pair{x.Queue - 1, x.Active}
			if activates(policy, moment{x.Queue, x.Active, robots.Departure}) && x.Active < p.Robots {
				y.Active++
			}
			add(y, mu)
		}
		if x.Active > 0 {
			y := Pair{min(x.Queue+1, p.Buffer), x.Active}
			if !activates(policy, moment{x.Queue, x.Active, robots.Arrival}) {
				y.Active--
			}
			add(y, new(big.Rat).Mul(lambda, big.NewRat(int64(x.Active), 1)))
		}
		return rates
	}
	reach := func(x Pair) map[Pair]bool {
		seen, queue := map[Pair]bool{x: true}, []Pair{x}
		for len(queue) > 0 {
			for y := range next(queue[0]) {
				if !seen[y] {
					seen[y] = true
					queue = append(queue, y)
				}
			}
			queue = queue[1:]
		}
		return seen
	}
	class := reach(start)
	var members []Pair
	for x := range class {
		if !reach(x)[start] {
			return nil
		}
		members = append(members, x)
	}
	place := map[Pair]int{}
	for i, x := range members {
		place[x] = i
	}
	// Balance equations for all but the last member, whose row says Σ π = 1.
	n := len(members)
	a := make([][]*big.Rat, n)
	for i := range a {
		a[i] = make([]*big.Rat, n+1)
		for j := range a[i] {
			a[i][j] = new(big.Rat)
		}
	}
	for j, x := range members {
		for y, rate := range next(x) {
			a[place[y]][j].Add(a[place[y]][j], rate)
			a[j][j].Sub(a[j][j], rate)
		}
	}
	for j := range n + 1 {
		a[n-1][j].SetInt64(1)
	}
	for k := range n {
		pivot := k
		for a[pivot][k].Sign() == 0 {
			pivot++
		}
		a[k], a[pivot] = a[pivot], a[k]
		for i := range n {
			if i == k || a[i][k].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Quo(a[i][k], a[k][k])
			for j := k; j <= n; j++ {
				a[i][j].Sub(a[i][j], new(big.Rat).Mul(f, a[k][j]))
			}
		}
	}
	gain := new(big.Rat)
	for i, x := range members {
		share := new(big.Rat).Quo(a[i][n], a[i][i])
		if x.Queue == 0 {
			gain.Add(gain, new(big.Rat).Mul(share, weight))
		}
		if x.Queue == p.Buffer {
			loss := new(big.Rat).Mul(lambda, big.NewRat(int64(x.Active), 1))
			gain.Add(gain, loss.Mul(loss, share))
		}
	}
	return gain
}

func fraction(t *testing.T, text string) float64 {
	t.Helper()
	x, _ := rational(t, text).Float64()
	require.False(t, math.IsNaN(x))
	return x
}

// TestSolveWhereFixedNumbersTie has weights at which one robot for ever and two for ever cost
// the same, up to rounding, and nothing costs less.
func TestSolveWhereFixedNumbersTie(t *testing.T) {
	p := robots.Parameters{
		Robots: 4, ArrivalRate: 0.07773191007135064, Buffer: 3, ServiceRate: 2.203850718198477, StarvationWeight: 1,
		Service: mustLaw(t, "erlang:5", 2.203850718198477), RobotCost: 0.04380795466778538, ActivationCost: 0.23911847278430653,
	}
	one, err := p.EvaluateStatic(1)
	require.NoError(t, err)
	two, err := p.EvaluateStatic(2)
	require.NoError(t, err)
	tie := 1 + (two.Cost-one.Cost)/(one.Starvation-two.Starvation)
	for i := -5; i <= 5; i++ {
		p.StarvationWeight = tie * (1 + 1e-14*float64(i))
		solution, err := robots.Solve(context.Background(), p, mdp.Settings{Method: mdp.PolicyIteration})
		require.NoError(t, err)
		assert.Equal(t, mdp.Converged, solution.Status)
		one, err = p.EvaluateStatic(1)
		require.NoError(t, err)
		assert.InEpsilon(t, one.Cost, solution.Gain, 1e-12)
	}
}
