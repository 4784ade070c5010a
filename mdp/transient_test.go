package mdp_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A machine fails at rate 1 and is repaired at rate 3.
func failingMachine(t testing.TB) *mdp.Table {
	table, err := mdp.NewTable(mdp.TableArrays{
		StateStart: []int32{0, 1, 2}, RowStart: []int32{0, 2, 4}, Columns: []int32{0, 1, 0, 1},
		Probabilities: []float64{0.75, 0.25, 0.75, 0.25}, Costs: []float64{0, 1}, Rate: 4,
	})
	require.NoError(t, err)
	return table
}

// The probability that the machine is down at time T is (1 − exp(−4T))/4 if it ran at first, and
// the time it is down up to T is T/4 − (1 − exp(−4T))/16.
func TestTimeHorizonsInClosedForm(t *testing.T) {
	table := failingMachine(t)
	free, err := mdp.NewTable(mdp.TableArrays{
		StateStart: []int32{0, 1, 2}, RowStart: []int32{0, 2, 4}, Columns: []int32{0, 1, 0, 1},
		Probabilities: []float64{0.75, 0.25, 0.75, 0.25}, Costs: []float64{0, 0}, Rate: 4,
	})
	require.NoError(t, err)
	for _, T := range []float64{0, 1e-6, 0.01, 0.5, 3, 40, 1e4} {
		faded := -math.Expm1(-4 * T)
		for _, test := range []struct {
			model    *mdp.Table
			terminal []float64
			want     float64
		}{{free, []float64{0, 1}, faded / 4}, {table, nil, T/4 - faded/16}, {table, []float64{0, 2}, T/4 - faded/16 + faded/2}} {
			result, err := mdp.Solve(context.Background(), test.model, mdp.TimeHorizon{Time: T, Terminal: test.terminal}, mdp.Settings{})
			require.NoError(t, err)
			slack := 1e-15 * (1 + T)
			assert.LessOrEqual(t, result.Lower, test.want+slack)
			assert.GreaterOrEqual(t, result.Upper, test.want-slack)
			assert.LessOrEqual(t, result.Upper-result.Lower, 1e-9*result.Upper+1e-300)
		}
	}
}

// In a chain of births, state 0 comes to state n in time with the probability of n events or
// more, however small.
func TestTimeHorizonsOfRareEvents(t *testing.T) {
	const n, T = 120, 0.25
	a := mdp.TableArrays{StateStart: []int32{0}, RowStart: []int32{0}, Rate: 1}
	terminal := make([]float64, n+1)
	terminal[n] = 1
	for s := range int32(n + 1) {
		a.Columns, a.Probabilities, a.Costs = append(a.Columns, min(s+1, n)), append(a.Probabilities, 1), append(a.Costs, 0)
		a.StateStart, a.RowStart = append(a.StateStart, s+1), append(a.RowStart, s+1)
	}
	table, err := mdp.NewTable(a)
	require.NoError(t, err)
	result, err := mdp.Solve(context.Background(), table, mdp.TimeHorizon{Time: T, Terminal: terminal}, mdp.Settings{})
	require.NoError(t, err)
	for s := range n + 1 {
		want, term := 0.0, math.Exp(-T)
		for k := 1; k < n-s+60; k++ {
			if k-1 >= n-s {
				want += term
			}
			term *= T / float64(k)
		}
		lower, upper := result.Bounds(s)
		assert.LessOrEqual(t, lower, want*(1+1e-12), s)
		assert.GreaterOrEqual(t, upper, want*(1-1e-12), s)
	}
}

// A state that the first jump leaves for ever is still there at time T with probability
// exp(−T): all of it is the term without a jump, whose weight is too small to be computed.
func TestTimeHorizonsOfTermsThatAreLeftOut(t *testing.T) {
	const T = 705
	table, err := mdp.NewTable(mdp.TableArrays{
		StateStart: []int32{0, 1, 2}, RowStart: []int32{0, 1, 2}, Columns: []int32{1, 1},
		Probabilities: []float64{1, 1}, Costs: []float64{0, 0}, Rate: 1,
	})
	require.NoError(t, err)
	result, err := mdp.Solve(context.Background(), table, mdp.TimeHorizon{Time: T, Terminal: []float64{1, 0}}, mdp.Settings{})
	require.NoError(t, err)
	assert.LessOrEqual(t, result.Lower, math.Exp(-T))
	assert.GreaterOrEqual(t, result.Upper, math.Exp(-T))
}

// The bounds of a large chain take no longer than a few of its sweeps.
func TestTimeHorizonsOfLargeChains(t *testing.T) {
	const n = 200_000
	a := mdp.TableArrays{StateStart: make([]int32, n+1), Columns: make([]int32, n), Probabilities: make([]float64, n), Costs: make([]float64, n), Rate: 1}
	for s := range int32(n) {
		a.StateStart[s+1], a.Columns[s], a.Probabilities[s], a.Costs[s] = s+1, (s+1)%n, 1, float64(s%2)
	}
	a.RowStart = a.StateStart
	table, err := mdp.NewTable(a)
	require.NoError(t, err)
	begin := time.Now()
	_, err = mdp.Solve(context.Background(), table, mdp.TimeHorizon{Time: 1}, mdp.Settings{})
	require.NoError(t, err)
	assert.Less(t, time.Since(begin), 8*time.Second)
}

// A solve that ends early has bounds that hold.
func TestTimeHorizonsThatEndEarly(t *testing.T) {
	const T = 50
	want := T/4. - 1./16
	for _, iterations := range []int{1, 2, 5, 20, 100} {
		result, err := mdp.Solve(context.Background(), failingMachine(t), mdp.TimeHorizon{Time: T}, mdp.Settings{MaxIterations: iterations})
		require.NotNil(t, result, err)
		assert.LessOrEqual(t, result.Lower, want)
		assert.GreaterOrEqual(t, result.Upper, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	result, err := mdp.Solve(ctx, failingMachine(t), mdp.TimeHorizon{Time: T}, mdp.Settings{})
	require.ErrorIs(t, err, context.Canceled)
	assert.True(t, result.Lower <= want && want <= result.Upper && result.Upper <= 1.1*T)
}

func TestTimeHorizonsThatAreRefused(t *testing.T) {
	for want, h := range map[string]mdp.TimeHorizon{
		"TimeHorizon.Time":        {Time: -1},
		"TimeHorizon.Time: too":   {Time: 1e18},
		"TimeHorizon.Terminal of": {Terminal: []float64{1}},
		"a cost is below 0":       {Terminal: []float64{-1, 0}},
	} {
		_, err := mdp.Solve(context.Background(), failingMachine(t), h, mdp.Settings{})
		assert.ErrorContains(t, err, want)
	}
}

func ExampleTimeHorizon() {
	table, err := mdp.NewTable(mdp.TableArrays{ // a machine that fails at rate 1 and is repaired at rate 3
		StateStart: []int32{0, 1, 2}, RowStart: []int32{0, 2, 4}, Columns: []int32{0, 1, 0, 1},
		Probabilities: []float64{0.75, 0.25, 0.75, 0.25}, Costs: []float64{0, 1}, Rate: 4,
	})
	if err != nil {
		panic(err)
	}
	result, err := mdp.Solve(context.Background(), table, mdp.TimeHorizon{Time: 2}, mdp.Settings{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("down for %.6f of 2\n", result.Optimum(0))
	// Output: down for 0.437521 of 2
}

// A state that never pays is worth 0 exactly, beside others that pay; nothing is worth less.
func TestTimeHorizonsWithoutCosts(t *testing.T) {
	table, err := mdp.NewTable(mdp.TableArrays{ // 0 leads to 1, which pays, or to 2, which stays
		StateStart: []int32{0, 1, 2, 3}, RowStart: []int32{0, 3, 4, 5}, Columns: []int32{0, 1, 2, 0, 2},
		Probabilities: []float64{0.5, 0.25, 0.25, 1, 1}, Costs: []float64{0, 1, 0}, Rate: 2,
	})
	require.NoError(t, err)
	for _, T := range []float64{0, 0.1, 3, 100} {
		result, err := mdp.Solve(context.Background(), table, mdp.TimeHorizon{Time: T}, mdp.Settings{})
		require.NoError(t, err)
		for s := range 3 {
			lower, upper := result.Bounds(s)
			assert.GreaterOrEqual(t, lower, 0.0)
			assert.GreaterOrEqual(t, upper, lower)
			if s == 2 {
				assert.Zero(t, upper, "%v", T)
			}
		}
	}
}

// Random chains with absorbing states, states that never pay, and states that are left a
// thousand times more rarely than others, against the whole series in 300 bits. Bounds hold,
// those of solves that end early too.
func TestTimeHorizonsAgainstTheWholeSeries(t *testing.T) {
	trials(t, 300, func(t *testing.T, random *rand.Rand) {
		n := 2 + random.IntN(6)
		chain, terminal := chainThatStays(random, n)
		T := math.Ldexp(random.Float64(), random.IntN(12)-4)
		exact := wholeSeries(chain, terminal, T)
		table, err := mdp.NewTable(chain)
		require.NoError(t, err)
		for _, settings := range []mdp.Settings{{}, {Tolerance: 1e-10}, {Tolerance: 1e-3}, {MaxIterations: 1 + random.IntN(40)}} {
			result, err := mdp.Solve(context.Background(), table, mdp.TimeHorizon{Time: T, Terminal: terminal}, settings)
			if settings.MaxIterations == 0 {
				require.NoError(t, err)
			}
			for s := range n {
				lower, upper := result.Bounds(s)
				require.LessOrEqual(t, lower, exact[s]*(1+1e-15), "state %d of %+v, terminal %v, time %v, %+v", s, chain, terminal, T, settings)
				require.GreaterOrEqual(t, upper, exact[s]*(1-1e-15), "state %d of %+v, terminal %v, time %v, %+v", s, chain, terminal, T, settings)
			}
		}
	})
}

// chainThatStays returns a chain with a rate, and terminal costs; many of both costs are 0.
func chainThatStays(random *rand.Rand, n int) (a mdp.TableArrays, terminal []float64) {
	a, terminal = mdp.TableArrays{StateStart: []int32{0}, RowStart: []int32{0}, Rate: 1 + 3*random.Float64()}, make([]float64, n)
	cost := func() float64 { return random.Float64() * float64(random.IntN(2)) * float64(random.IntN(2)) }
	for s := range n {
		terminal[s] = cost()
		away := []float64{0, 1, 0x1p-10, 0.5}[random.IntN(4)] // the probability to leave
		if target := (s + 1 + random.IntN(n-1)) % n; away > 0 {
			a.Columns, a.Probabilities = append(a.Columns, int32(target)), append(a.Probabilities, away/2)
			if other := (target + 1) % n; other != s {
				a.Columns, a.Probabilities = append(a.Columns, int32(other)), append(a.Probabilities, away/2)
			} else {
				a.Probabilities[len(a.Probabilities)-1] = away
			}
		}
		if away < 1 {
			a.Columns, a.Probabilities = append(a.Columns, int32(s)), append(a.Probabilities, 1-away)
		}
		a.Costs, a.StateStart, a.RowStart = append(a.Costs, cost()), append(a.StateStart, int32(s+1)), append(a.RowStart, int32(len(a.Columns)))
	}
	return a, terminal
}

// wholeSeries returns Σ_k Pr(N = k)·P^k·terminal + Σ_k Pr(N > k)·P^k·costs/rate, for costs per unit
// of time, with all terms that count.
func wholeSeries(a mdp.TableArrays, terminal []float64, time float64) []float64 {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }
	n, mean := len(terminal), number(time)
	mean.Mul(mean, number(a.Rate))
	var weights []*big.Float // mean^k/k!
	sum := number(0)
	for k, w := 0, number(1); k < 40 || w.Cmp(number(1e-60)) > 0; k++ {
		weights, sum = append(weights, w), number(0).Add(sum, w)
		w = number(0).Quo(number(0).Mul(w, mean), number(float64(k+1)))
	}
	ends, pays, total, above := make([]*big.Float, n), make([]*big.Float, n), make([]*big.Float, n), number(0).Set(sum)
	for s := range n {
		ends[s], pays[s], total[s] = number(terminal[s]), number(a.Costs[s]), number(0)
	}
	step := func(x []*big.Float) (next []*big.Float) {
		for s := range n {
			y := number(0)
			for e := a.RowStart[s]; e < a.RowStart[s+1]; e++ {
				y.Add(y, number(0).Mul(number(a.Probabilities[e]), x[a.Columns[e]]))
			}
			next = append(next, y)
		}
		return next
	}
	for _, w := range weights {
		above.Sub(above, w)
		for s := range n {
			y := number(0).Quo(number(0).Mul(above, pays[s]), number(a.Rate))
			total[s].Add(total[s], y.Add(y, number(0).Mul(w, ends[s])))
		}
		ends, pays = step(ends), step(pays)
	}
	values := make([]float64, n)
	for s, x := range total {
		values[s], _ = x.Quo(x, sum).Float64()
	}
	return values
}
