package mdp_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// costChain is a random chain of n states with probabilities k/64 and whole costs, often 0.
// The last state is the target.
func costChain(rng *rand.Rand, n int) *mdp.Table {
	a := mdp.TableArrays{StateStart: []int32{0}, RowStart: []int32{0}}
	for s := range n {
		left := 64
		for _, j := range rng.Perm(n) {
			p := min(left, 1+rng.IntN(64))
			if rng.IntN(3) == 0 {
				p = left
			}
			if p > 0 {
				a.Columns, a.Probabilities = append(a.Columns, int32(j)), append(a.Probabilities, float64(p)/64)
			}
			left -= p
		}
		a.Probabilities[len(a.Probabilities)-1] += float64(left) / 64
		a.Costs = append(a.Costs, float64(max(0, rng.IntN(6)-2)))
		a.StateStart, a.RowStart = append(a.StateStart, int32(s+1)), append(a.RowStart, int32(len(a.Columns)))
	}
	table, err := mdp.NewTable(a)
	if err != nil {
		panic(err)
	}
	return table
}

func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// law returns, in rational numbers, Pr(T = b) for b = 0 … most of the total until the target: it
// follows the mass over states and totals, and eliminates the states that cost nothing.
func law(table *mdp.Table, start, target, most int) []*big.Rat {
	n := table.NumStates()
	// visits[s] at a total b solves v = in + v·P over the states that cost nothing.
	in := make([][]*big.Rat, most+10)
	for b := range in {
		in[b] = make([]*big.Rat, n)
		for s := range in[b] {
			in[b][s] = new(big.Rat)
		}
	}
	in[0][start].SetInt64(1)
	found := make([]*big.Rat, most+1)
	for b := range found {
		v := in[b]
		v = solveVisits(table, v, target)
		found[b] = v[target]
		for s := range n {
			row, cost := table.AppendRow(nil, s, 0)
			for _, e := range row {
				if to := b + int(cost); s != target && cost > 0 && to < len(in) {
					in[to][e.State].Add(in[to][e.State], new(big.Rat).Mul(v[s], rat(e.Probability)))
				}
			}
		}
	}
	return found
}

// solveVisits solves v(j) = in(j) + Σ_s v(s)·p(j|s) over the s that cost nothing, where that has a
// solution: states that never leave those keep nothing.
func solveVisits(table *mdp.Table, in []*big.Rat, target int) []*big.Rat {
	n := table.NumStates()
	v := make([]*big.Rat, n)
	for s := range v {
		v[s] = new(big.Rat).Set(in[s])
	}
	p := make([][]*big.Rat, n)
	for s := range p {
		p[s] = make([]*big.Rat, n)
		for j := range p[s] {
			p[s][j] = new(big.Rat)
		}
		if row, cost := table.AppendRow(nil, s, 0); s != target && cost == 0 {
			for _, e := range row {
				p[s][e.State] = rat(e.Probability)
			}
		}
	}
	one := big.NewRat(1, 1)
	var order []int
	for s := range n { // eliminate s: paths through it go on to others
		if _, cost := table.AppendRow(nil, s, 0); s == target || cost != 0 {
			continue
		}
		leave := new(big.Rat).Sub(one, p[s][s])
		order = append(order, s)
		for j := range n {
			switch {
			case j == s:
			case leave.Sign() == 0:
				p[s][j].SetInt64(0)
			default:
				p[s][j].Quo(p[s][j], leave)
			}
		}
		p[s][s].SetInt64(0)
		for i := range n {
			share := new(big.Rat).Set(p[i][s])
			if i == s || share.Sign() == 0 {
				continue
			}
			p[i][s].SetInt64(0)
			for j := range n {
				p[i][j].Add(p[i][j], new(big.Rat).Mul(share, p[s][j]))
			}
		}
	}
	for _, s := range order { // what starts in s goes on to states not eliminated yet
		for j := range n {
			v[j].Add(v[j], new(big.Rat).Mul(v[s], p[s][j]))
		}
	}
	return v
}

func assertInBounds(t *testing.T, want *big.Rat, got mdp.Bounds, closeness float64, words string) {
	t.Helper()
	w, _ := want.Float64()
	assert.False(t, want.Cmp(rat(got.Lower)) < 0 || want.Cmp(rat(got.Upper)) > 0, "%s: %v is not in %v", words, w, got)
	assert.LessOrEqual(t, got.Upper-got.Lower, closeness*w+1e-300, "%s: %v is loose for %v", words, got, w)
}

// exactly returns a chain in rational numbers with other costs, if these are not nil.
func exactly(t *testing.T, table *mdp.Table, costs []float64) *exact.Model {
	a := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}}
	for s := range table.NumStates() {
		row, cost := table.AppendRow(nil, s, 0)
		for _, e := range row {
			a.Columns, a.Probabilities = append(a.Columns, e.State), append(a.Probabilities, rat(e.Probability))
		}
		if costs != nil {
			cost = costs[s]
		}
		a.Costs = append(a.Costs, rat(cost))
		a.StateStart, a.RowStart = append(a.StateStart, int32(s+1)), append(a.RowStart, int32(len(a.Columns)))
	}
	model, err := exact.NewModel(a)
	require.NoError(t, err)
	return model
}

// The distributions of random chains are those of enumeration in rational numbers.
func TestTotalDistributionsAgainstEnumeration(t *testing.T) {
	const most = 12
	ctx, rng := context.Background(), rand.New(rand.NewPCG(1, 2))
	defective, finite := 0, 0
	for trial := range 300 {
		n := 2 + rng.IntN(5)
		table, start, target := costChain(rng, n), int32(rng.IntN(n)), []int32{int32(n - 1)}
		words := fmt.Sprint("trial ", trial)
		d, err := mdp.TotalDistribution(ctx, table, mdp.Policy{Actions: make([]int32, n)}, target, []mdp.Entry{{State: start, Probability: 1}}, most, mdp.Settings{})
		require.NoError(t, err, words)
		means, err := exactly(t, table, nil).Total(ctx, mdp.Minimize, target)
		require.NoError(t, err)
		left := means.Values[start].Rat() // E[(T−b)⁺]; nil if infinite
		pr, atMost := law(table, int(start), n-1, most), new(big.Rat)
		for b := range most + 1 {
			atMost.Add(atMost, pr[b])
			above := new(big.Rat).Sub(big.NewRat(1, 1), atMost)
			assertInBounds(t, atMost, d.AtMost[b], 1e-12, words)
			assertInBounds(t, above, d.Above[b], 1e-12, words)
			if left == nil {
				assert.Equal(t, mdp.Bounds{Lower: math.Inf(1), Upper: math.Inf(1)}, d.Excess[b], words)
				continue
			}
			assertInBounds(t, left, d.Excess[b], 1e-12, words)
			left = new(big.Rat).Sub(left, above)
		}
		if left != nil {
			finite++
			assertInBounds(t, means.Values[start].Rat(), d.Mean, 1e-12, words)
			assert.Zero(t, d.Never, words)
			continue
		}
		away := make([]float64, n)
		for s := range n - 1 {
			away[s] = 1
		}
		stopped := mdp.TableArrays{StateStart: []int32{0}, RowStart: []int32{0}}
		for s := range n {
			row := []mdp.Entry{{State: int32(s), Probability: 1}}
			if s < n-1 {
				row, _ = table.AppendRow(nil, s, 0)
			}
			for _, e := range row {
				stopped.Columns, stopped.Probabilities = append(stopped.Columns, e.State), append(stopped.Probabilities, e.Probability)
			}
			stopped.Costs = append(stopped.Costs, 0)
			stopped.StateStart, stopped.RowStart = append(stopped.StateStart, int32(s+1)), append(stopped.RowStart, int32(len(stopped.Columns)))
		}
		chain, err := mdp.NewTable(stopped)
		require.NoError(t, err)
		never, err := exactly(t, chain, away).Average(ctx, mdp.Minimize)
		require.NoError(t, err)
		assertInBounds(t, never.Values[start].Rat(), d.Never, 1e-9, words)
		if p := never.Values[start].Rat(); p.Sign() > 0 && p.Cmp(big.NewRat(1, 1)) < 0 {
			defective++
		}
	}
	assert.Greater(t, defective, 5)
	assert.Greater(t, finite, 100)
}

// chain is a table of one action in each state.
func chain(t testing.TB, costs []float64, rows ...[]mdp.Entry) *mdp.Table {
	var b mdp.TableBuilder
	for s, row := range rows {
		b.AddState()
		b.AddAction(costs[s])
		for _, e := range row {
			b.AddTransition(int(e.State), e.Probability)
		}
	}
	table, err := b.Build()
	require.NoError(t, err)
	return table
}

// encloses reports whether bounds hold for a number with some rounding of its own.
func encloses(t *testing.T, want float64, got mdp.Bounds, words ...any) {
	t.Helper()
	assert.LessOrEqual(t, got.Lower, want*(1+1e-12), words...)
	assert.GreaterOrEqual(t, got.Upper, want*(1-1e-12), words...)
	assert.LessOrEqual(t, got.Upper-got.Lower, 1e-9*want+1e-300, words...)
}

// A success of probability 1/4 ends a geometric number of steps: T > b with probability (3/4)^b,
// also where that is tiny, and the excess is 4·(3/4)^b.
func TestTotalDistributionsOfGeometricTimes(t *testing.T) {
	table := chain(t, []float64{1, 0}, []mdp.Entry{{State: 0, Probability: 0.75}, {State: 1, Probability: 0.25}}, []mdp.Entry{{State: 1, Probability: 1}})
	d, err := mdp.TotalDistribution(context.Background(), table, mdp.Policy{Actions: []int32{0, 0}}, []int32{1}, []mdp.Entry{{State: 0, Probability: 1}}, 2000, mdp.Settings{})
	require.NoError(t, err)
	for b := range 2001 {
		power := math.Pow(0.75, float64(b))
		encloses(t, power, d.Above[b], b)
		encloses(t, 4*power, d.Excess[b], b)
		encloses(t, -math.Expm1(float64(b)*math.Log(0.75)), d.AtMost[b], b)
	}
	for _, level := range []float64{0.5, 0.9, 0.99, 0.999999} {
		want := math.Ceil(math.Log1p(-level) / math.Log(0.75))
		assert.Equal(t, mdp.Bounds{Lower: want, Upper: want}, d.Quantile(level))
		encloses(t, want+4*math.Pow(0.75, want)/(1-level), d.CVaR(level), level)
	}
}

// A negative binomial number of failures, each of cost 3, before 5 successes that cost nothing.
func TestTotalDistributionsOfFailures(t *testing.T) {
	const successes, p = 5, 0.3
	costs, rows := []float64{0}, [][]mdp.Entry{}
	for s := range int32(successes) { // state 2s tries, and 2s+1 pays
		rows = append(rows, []mdp.Entry{{State: 2*s + 2, Probability: p}, {State: 2*s + 1, Probability: 1 - p}}, []mdp.Entry{{State: 2 * s, Probability: 1}})
		costs = append(costs, 3, 0)
	}
	rows = append(rows, []mdp.Entry{{State: 2 * successes, Probability: 1}})
	d, err := mdp.TotalDistribution(context.Background(), chain(t, costs, rows...), mdp.Policy{Actions: make([]int32, len(rows))}, []int32{2 * successes}, []mdp.Entry{{State: 0, Probability: 1}}, 90, mdp.Settings{})
	require.NoError(t, err)
	sum, term := 0.0, math.Pow(p, successes)
	for b := range 91 {
		if b%3 == 0 {
			sum += term
			term *= (1 - p) * float64(successes+b/3) / float64(b/3+1)
		}
		encloses(t, sum, d.AtMost[b], b)
	}
	encloses(t, 3*successes*(1-p)/p, d.Mean)
}

// A gambler with s of 10 stakes a unit at a time, and wins with probability 0.4. Of those who
// never win all, the total until then is infinite.
func TestTotalDistributionsOfRuin(t *testing.T) {
	const goal, win = 10, 0.4
	costs, rows := []float64{0}, [][]mdp.Entry{{{State: 0, Probability: 1}}} // ruined for ever, at no cost
	for s := int32(1); s < goal; s++ {
		costs, rows = append(costs, 1), append(rows, []mdp.Entry{{State: s + 1, Probability: win}, {State: s - 1, Probability: 1 - win}})
	}
	costs, rows = append(costs, 0), append(rows, []mdp.Entry{{State: goal, Probability: 1}})
	d, err := mdp.TotalDistribution(context.Background(), chain(t, costs, rows...), mdp.Policy{Actions: make([]int32, goal+1)}, []int32{goal}, []mdp.Entry{{State: 4, Probability: 1}}, 5000, mdp.Settings{})
	require.NoError(t, err)
	const odds = (1 - win) / win
	wins := (math.Pow(odds, 4) - 1) / (math.Pow(odds, goal) - 1)
	encloses(t, 1-wins, d.Never)
	encloses(t, wins, d.AtMost[5000])
	encloses(t, 1-wins, d.Above[5000])
	assert.Equal(t, mdp.Bounds{Lower: math.Inf(1), Upper: math.Inf(1)}, d.Quantile(0.5))
	assert.Equal(t, mdp.Bounds{Lower: math.Inf(1), Upper: math.Inf(1)}, d.CVaR(0.01))
	assert.False(t, math.IsInf(d.Quantile(wins/2).Upper, 1))
}

// The time of n jumps has Erlang's law.
func TestTimeDistributionsOfErlang(t *testing.T) {
	const n, rate = 4, 2
	b := mdp.TableBuilder{Rate: 8}
	for s := range n + 1 {
		b.AddState()
		b.AddAction(7) // which does not count
		b.AddTransition(min(s+1, n), 0.25)
		b.AddTransition(s, 0.75)
	}
	table, err := b.Build()
	require.NoError(t, err)
	x := []float64{0, 0.01, 0.5, 1, 3, 20, 100}
	d, err := mdp.TimeDistribution(context.Background(), table, mdp.Policy{Actions: make([]int32, n+1)}, []int32{n}, []mdp.Entry{{State: 0, Probability: 1}}, x, mdp.Settings{})
	require.NoError(t, err)
	encloses(t, n/2., d.Mean)
	above := func(k int, x float64) (sum float64) { // Pr(a sum of k times > x)
		term := math.Exp(-rate * x)
		for i := range k {
			sum += term
			term *= rate * x / float64(i+1)
		}
		return sum
	}
	for i, x := range x {
		encloses(t, above(n, x), d.Above[i], x)
		excess := 0.0 // ∫ Pr(T > u) du from x on: a sum of such probabilities, by parts
		for k := 1; k <= n; k++ {
			excess += above(k, x) / rate
		}
		encloses(t, excess, d.Excess[i], x)
		if x > 0.1 && x < 10 {
			encloses(t, 1-above(n, x), d.AtMost[i], x)
		}
	}
	q := d.Quantile(0.5) // Pr(T ≤ 1) = 0.14, Pr(T ≤ 3) = 0.85
	assert.Equal(t, mdp.Bounds{Lower: 1, Upper: 3}, q)
	c := d.CVaR(0.5)
	m := 1.836 // the median
	cvar := m + 2*(above(1, m)+above(2, m)+above(3, m)+above(4, m))/rate
	assert.True(t, c.Lower < cvar && cvar < c.Upper*1.0001, "%v %v", c, cvar)
}

// The time until a queue M/M/1/K is empty, from one customer: its Laplace transform φ_1(s) is a
// continued fraction, and ∫ e^{−su}·Pr(T > u) du = (1 − φ_1(s))/s.
func TestTimeDistributionsOfBusyPeriods(t *testing.T) {
	const room, arrive, serve = 6, 0.8, 1.
	b := mdp.TableBuilder{Rate: arrive + serve}
	for q := range room + 1 {
		b.AddState()
		b.AddAction(0)
		b.AddTransition(min(q+1, room), arrive/(arrive+serve))
		b.AddTransition(max(q-1, 0), serve/(arrive+serve))
	}
	table, err := b.Build()
	require.NoError(t, err)
	const step, s = 0.02, 0.5
	var x []float64
	for i := range 2001 {
		x = append(x, float64(i)*step)
	}
	d, err := mdp.TimeDistribution(context.Background(), table, mdp.Policy{Actions: make([]int32, room+1)}, []int32{0}, []mdp.Entry{{State: 1, Probability: 1}}, x, mdp.Settings{})
	require.NoError(t, err)
	phi := serve / (serve + s) // from q to q−1; first q = K
	for range room - 1 {
		phi = serve / (serve + arrive + s - arrive*phi)
	}
	integral := 0.0 // by Simpson's rule
	for i, x := range x {
		weight := []float64{2, 4}[i%2]
		if i == 0 || i == 2000 {
			weight = 1
		}
		integral += weight * step / 3 * math.Exp(-s*x) * (d.Above[i].Lower + d.Above[i].Upper) / 2
	}
	assert.InEpsilon(t, (1-phi)/s, integral, 1e-8)
}

// The bits are the same at any number of workers, in models that are swept in parallel.
func TestTotalDistributionsAtAnyNumberOfWorkers(t *testing.T) {
	const n = 20_000
	var b mdp.TableBuilder
	for s := range n + 1 {
		b.AddState()
		b.AddAction(float64(s * s % 3))
		b.AddTransition(min(s+1, n), 0.7)
		b.AddTransition(max(s-7, 0), 0.3)
	}
	table, err := b.Build()
	require.NoError(t, err)
	var first *mdp.Distribution
	for _, workers := range []int{1, 2, 5} {
		d, err := mdp.TotalDistribution(context.Background(), table, mdp.Policy{Actions: make([]int32, n+1)}, []int32{n}, []mdp.Entry{{State: n - 5, Probability: 1}}, 8, mdp.Settings{Workers: workers})
		require.NoError(t, err)
		if first == nil {
			first = d
		}
		assert.Equal(t, first, d)
	}
}

func TestDistributionsThatAreRefused(t *testing.T) {
	ctx, end := context.Background(), []mdp.Entry{{State: 1, Probability: 1}}
	go1 := []mdp.Entry{{State: 1, Probability: 0.5}, {State: 0, Probability: 0.5}}
	for want, test := range map[string]struct {
		cost   float64
		policy []int32
		target []int32
		most   int
	}{
		"state 0 costs 0.5":     {0.5, []int32{0, 0}, []int32{1}, 3},
		"state 0 costs -1":      {-1, []int32{0, 0}, []int32{1}, 3},
		"policy: action 1":      {1, []int32{1, 0}, []int32{1}, 3},
		"policy for 1 states":   {1, []int32{0}, []int32{1}, 3},
		"Target: state 2":       {1, []int32{0, 0}, []int32{2}, 3},
		"Target is missing":     {1, []int32{0, 0}, nil, 3},
		"too large":             {1, []int32{0, 0}, []int32{1}, 1 << 30},
		"-1 is not valid":       {1, []int32{0, 0}, []int32{1}, -1},
		"in 2 states take 1.07": {1e12, []int32{0, 0}, []int32{1}, 1 << 28},
	} {
		_, err := mdp.TotalDistribution(ctx, chain(t, []float64{test.cost, 0}, go1, end), mdp.Policy{Actions: test.policy}, test.target, []mdp.Entry{{State: 0, Probability: 1}}, test.most, mdp.Settings{})
		assert.ErrorContains(t, err, want)
	}
	_, err := mdp.TotalDistribution(ctx, nil, mdp.Policy{Actions: nil}, nil, []mdp.Entry{{State: 0, Probability: 1}}, 0, mdp.Settings{})
	assert.ErrorIs(t, err, mdp.ErrMissing)
	_, err = mdp.TimeDistribution(ctx, chain(t, []float64{1, 0}, go1, end), mdp.Policy{Actions: []int32{0, 0}}, []int32{1}, nil, []float64{-1}, mdp.Settings{})
	assert.ErrorContains(t, err, "TimeHorizon.Time")
	for want, m := range map[string]mdp.Move{"{To:2 Pay:0": {To: 2, Probability: 1}, "Pay:-1": {Pay: -1, Probability: 1}, "Probability:-1": {Probability: -1}} {
		_, err := mdp.HorizonDistribution(ctx, 2, []mdp.Entry{{State: 0, Probability: 1}}, 1, 1, func(to []mdp.Move, _, _ int) []mdp.Move { return append(to, m) })
		assert.ErrorContains(t, err, want)
	}
	_, err = mdp.HorizonDistribution(ctx, 1, []mdp.Entry{{State: 0, Probability: 1}}, 1, math.MaxInt, nil)
	assert.ErrorIs(t, err, mdp.ErrTooLarge)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = mdp.TotalDistribution(ended, chain(t, []float64{1, 0}, go1, end), mdp.Policy{Actions: []int32{0, 0}}, []int32{1}, []mdp.Entry{{State: 0, Probability: 1}}, 3, mdp.Settings{})
	assert.ErrorIs(t, err, context.Canceled)
}

// Two throws of a die.
func ExampleHorizonDistribution() {
	throw := func(to []mdp.Move, _, _ int) []mdp.Move {
		for eyes := 1; eyes <= 6; eyes++ {
			to = append(to, mdp.Move{To: 0, Pay: eyes, Probability: 1.0 / 6})
		}
		return to
	}
	d, err := mdp.HorizonDistribution(context.Background(), 1, []mdp.Entry{{State: 0, Probability: 1}}, 2, 12, throw)
	fmt.Printf("%v %.4f %.4f %.4f\n", err, d.Mean.Lower, d.AtMost[4].Lower, 6./36)
	// Output: <nil> 7.0000 0.1667 0.1667
}

// A step that stays where it is, and pays 2 units.
func ExampleMove() {
	d, err := mdp.HorizonDistribution(context.Background(), 1, []mdp.Entry{{State: 0, Probability: 1}}, 3, 4,
		func(to []mdp.Move, _, s int) []mdp.Move {
			return append(to, mdp.Move{To: int32(s), Pay: 2, Probability: 1})
		})
	fmt.Println(err, d.Above[4], d.Quantile(0.9).Lower)
	// Output: <nil> {1 1} 4
}

// A part breaks with probability 1/10 a day, and the machine with the second part that does.
func ExampleTotalDistribution() {
	var b mdp.TableBuilder
	for part := range 3 {
		b.AddState()
		b.AddAction(1) // a day
		b.AddTransition(part, 0.9)
		b.AddTransition(min(part+1, 2), 0.1)
	}
	table, _ := b.Build()
	d, err := mdp.TotalDistribution(context.Background(), mdp.Rounded{Table: table}, mdp.Policy{Actions: []int32{0, 0, 0}}, []int32{2}, []mdp.Entry{{State: 0, Probability: 1}}, 60, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("within 10 days with probability %.4f\n", d.AtMost[10].Upper)
	fmt.Printf("within %v days with probability 1/2; in the worst tenth of all cases after %.2f on average\n", d.Quantile(0.5).Upper, d.CVaR(0.9).Upper)
	// Output:
	// within 10 days with probability 0.2639
	// within 17 days with probability 1/2; in the worst tenth of all cases after 49.35 on average
}

func ExampleTimeDistribution() {
	b := mdp.TableBuilder{Rate: 4} // a machine fails at rate 1 and is repaired at rate 3
	b.AddState()
	b.AddAction(0)
	b.AddTransition(0, 0.75)
	b.AddTransition(1, 0.25)
	b.AddState()
	b.AddAction(0)
	b.AddTransition(0, 0.75)
	b.AddTransition(1, 0.25)
	table, _ := b.Build()
	d, err := mdp.TimeDistribution(context.Background(), table, mdp.Policy{Actions: []int32{0, 0}}, []int32{1}, []mdp.Entry{{State: 0, Probability: 1}}, []float64{1, 2}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f %.4f\n", d.Above[0].Upper, d.Above[1].Upper) // exp(−1), exp(−2)
	// Output: 0.3679 0.1353
}

func ExampleDistribution() {
	d := mdp.Distribution{
		X:      []float64{0, 10},
		AtMost: []mdp.Bounds{{}, {Lower: 0.6, Upper: 0.6}}, Excess: []mdp.Bounds{{Lower: 9, Upper: 9}, {Lower: 3, Upper: 3}},
	}
	fmt.Printf("%v %.6g\n", d.Quantile(0.5), d.CVaR(0.5).Upper)
	// Output: {0 10} 16
}

func ExampleBounds() {
	b := mdp.Bounds{Lower: 0.25, Upper: 0.5}
	fmt.Println(b.Lower <= 1./3 && 1./3 <= b.Upper)
	// Output: true
}
