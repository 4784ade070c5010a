package mdp_test

import (
	"context"
	"errors"
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

// widened returns an uncertain model around a table: half-widths are a share of the
// probabilities.
func widened(t *testing.T, table *mdp.Table, share float64) *mdp.Uncertain {
	t.Helper()
	b := mdp.TableBuilder{Rate: table.Rate()}
	for s := range table.NumStates() {
		b.AddState()
		for a := range table.NumActions(s) {
			row, cost := table.AppendRow(nil, s, a)
			b.AddAction(cost)
			for _, e := range row {
				if share == 0 && e.State%2 == 0 {
					b.AddTransition(int(e.State), e.Probability)
				} else {
					b.AddInterval(int(e.State), e.Probability*(1-share), e.Probability*(1+share), 0)
				}
			}
		}
	}
	u, err := b.BuildUncertain()
	require.NoError(t, err)
	return u
}

// uncertainCriteria returns all criteria for a model of n states.
func uncertainCriteria(random *rand.Rand, n int, sense mdp.Sense) []mdp.Criterion {
	terminal := make([]float64, n)
	for s := range terminal {
		terminal[s] = random.Float64()
	}
	return []mdp.Criterion{
		mdp.LongRunAverage{Sense: sense},
		mdp.Discounted{Discount: 0.9, Sense: sense},
		mdp.Discounted{Discount: 1 - 1e-9, Complement: 1e-9, Sense: sense},
		mdp.TotalCost{Target: []int32{int32(n - 1)}, Sense: sense},
		mdp.FiniteHorizon{Steps: 7, Terminal: terminal, Sense: sense},
	}
}

// Intervals of width 0 give the answers of the ordinary model.
func TestUncertainOfWidthZero(t *testing.T) {
	trials(t, 30, func(t *testing.T, random *rand.Rand) {
		table := randomTable(t, random, structure(random.IntN(int(structures))), plain)
		u := widened(t, table, 0)
		for _, criterion := range uncertainCriteria(random, table.NumStates(), mdp.Sense(random.IntN(2))) {
			want, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{})
			require.NoError(t, err)
			for _, nature := range []mdp.Nature{mdp.Robust, mdp.Optimistic} {
				got, err := mdp.Solve(context.Background(), u.With(nature), criterion, mdp.Settings{})
				require.NoError(t, err, "%T %v", criterion, nature)
				for s := range table.NumStates() {
					low, high := want.Bounds(s)
					lower, upper := got.Bounds(s)
					// Both enclose the value, and are some units apart.
					assert.True(t, lower <= high && low <= upper, "%T %v: %v %v, %v %v", criterion, nature, low, high, lower, upper)
					if !math.IsInf(low, 0) {
						assert.InEpsilon(t, 1+math.Abs(want.Optimum(s)), 1+math.Abs(got.Optimum(s)), 1e-9)
					}
				}
				natural := got.Nature.Model()
				for s := range table.NumStates() {
					for a := range table.NumActions(s) {
						row, cost := table.AppendRow(nil, s, a)
						same, price := natural.AppendRow(nil, s, a)
						assert.Equal(t, row, same)
						assert.Equal(t, cost, price)
					}
				}
			}
		}
	})
}

// The policy with nature's choice attains the bounds, and wider intervals are worse against
// nature, and better with it.
// Averages of several classes stay open in a few models: rounds may come back to the same
// choices of nature.
func TestUncertainWider(t *testing.T) {
	open, count := 0, 0
	trials(t, 30, func(t *testing.T, random *rand.Rand) {
		table := randomTable(t, random, structure(random.IntN(int(structures))), plain)
		for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{}, mdp.Discounted{Discount: 0.9}} {
			worst, best := make([]float64, table.NumStates()), make([]float64, table.NumStates())
			for s := range best {
				best[s] = math.Inf(1)
			}
			for _, share := range []float64{0, 0.1, 0.5, 1} {
				u := widened(t, table, share)
				for _, nature := range []mdp.Nature{mdp.Robust, mdp.Optimistic} {
					r, err := mdp.Solve(context.Background(), u.With(nature), criterion, mdp.Settings{})
					if err != nil {
						require.ErrorIs(t, err, mdp.ErrPrecisionLimit)
					}
					isApart := r.Upper-r.Lower > 1e-9*(1+math.Abs(r.Upper))
					if count++; isApart {
						open++
					}
					if _, ok := criterion.(mdp.LongRunAverage); ok && !isApart {
						e, err := mdp.LongRun(context.Background(), r.Nature.Model(), mdp.Policy{Actions: r.Policy})
						require.NoError(t, err)
						for s, g := range e.Gain {
							assert.InDelta(t, r.Optimum(s), g, 1e-8)
						}
					}
					for s := range worst {
						lower, upper := r.Bounds(s)
						if nature == mdp.Robust {
							assert.GreaterOrEqual(t, upper, worst[s])
							worst[s] = lower
						} else {
							assert.LessOrEqual(t, lower, best[s])
							best[s] = upper
						}
					}
				}
			}
		}
	})
	require.LessOrEqual(t, open, count/500)
}

// Finite horizons are those of backward induction over all vertices in fractions: the optimum, and
// the value of a policy that changes from step to step.
func TestUncertainFiniteHorizon(t *testing.T) {
	trials(t, 60, func(t *testing.T, random *rand.Rand) {
		u := randomUncertain(t, random, 0)
		sense, steps := mdp.Sense(random.IntN(2)), random.IntN(6)
		terminal := make([]float64, u.NumStates())
		for s := range terminal {
			terminal[s] = float64(random.IntN(3)) * math.Pow(10, float64(random.IntN(12)))
		}
		policy := mdp.Policy{Steps: []mdp.Policy{}}
		for range steps {
			policy.Steps = append(policy.Steps, mdp.Policy{})
			for s := range u.NumStates() {
				own := &policy.Steps[len(policy.Steps)-1].Actions
				*own = append(*own, random.Int32N(int32(u.NumActions(s))))
			}
		}
		for _, nature := range []mdp.Nature{mdp.Robust, mdp.Optimistic} {
			// from returns the value of an action, with what follows.
			from := func(s, a int, v []*big.Rat) (extreme *big.Rat) {
				for _, row := range vertices(u, s, a) {
					x := new(big.Rat).Set(row.cost)
					for i, j := range row.columns {
						x.Add(x, new(big.Rat).Mul(row.probabilities[i], v[j]))
					}
					if wanted := []int{1, -1}[nature] * []int{1, -1}[sense]; extreme == nil || x.Cmp(extreme) == wanted {
						extreme = x
					}
				}
				return extreme
			}
			criterion := mdp.FiniteHorizon{Steps: steps, Terminal: terminal, Sense: sense}
			for _, isGiven := range []bool{false, true} {
				v := make([]*big.Rat, u.NumStates())
				for s := range v {
					v[s] = rational(terminal[s])
				}
				for step := steps - 1; step >= 0; step-- {
					next := make([]*big.Rat, len(v))
					for s := range next {
						if isGiven {
							next[s] = from(s, int(policy.Steps[step].Actions[s]), v)
							continue
						}
						for a := range u.NumActions(s) {
							if x := from(s, a, v); next[s] == nil || x.Cmp(next[s]) == []int{-1, 1}[sense] {
								next[s] = x
							}
						}
					}
					v = next
				}
				var r *mdp.Result
				var err error
				if isGiven {
					r, err = mdp.Evaluate(context.Background(), u.With(nature), policy, criterion, mdp.Settings{})
				} else {
					r, err = mdp.Solve(context.Background(), u.With(nature), criterion, mdp.Settings{})
				}
				if err != nil {
					require.ErrorIs(t, err, mdp.ErrPrecisionLimit)
				}
				for s := range v {
					lower, upper := r.Bounds(s)
					require.GreaterOrEqual(t, v[s].Cmp(rational(lower)), 0, "state %d: %v below %v", s, v[s].FloatString(20), lower)
					require.LessOrEqual(t, v[s].Cmp(rational(upper)), 0, "state %d: %v above %v", s, v[s].FloatString(20), upper)
				}
			}
		}
	})
}

// garnet returns a random model of many states with intervals.
func garnet(t *testing.T, n, actions, entries int, half float64) *mdp.Uncertain {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(n)))
	var b mdp.TableBuilder
	p := make([]float64, entries)
	for range n {
		b.AddState()
		for range actions {
			b.AddAction(random.Float64())
			sum := 0.0
			for i := range p {
				p[i] = random.Float64()
				sum += p[i]
			}
			for i := range p {
				b.AddInterval(random.IntN(n), (1-half)*p[i]/sum, (1+half)*p[i]/sum, 0)
			}
		}
	}
	u, err := b.BuildUncertain()
	require.NoError(t, err)
	return u
}

// Sweeps and rounds agree on a model of many states, with the same bits for any number of
// workers.
func TestUncertainSweepsAndRounds(t *testing.T) {
	const n = 9000
	u := garnet(t, n, 2, 4, 0.2)
	for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{}, mdp.Discounted{Discount: 0.99, Sense: mdp.Maximize}} {
		for _, nature := range []mdp.Nature{mdp.Robust, mdp.Optimistic} {
			swept, err := mdp.Solve(context.Background(), u.With(nature), criterion, mdp.Settings{Workers: 1})
			require.NoError(t, err)
			assert.Zero(t, swept.Nature.Rounds)
			again, err := mdp.Solve(context.Background(), u.With(nature), criterion, mdp.Settings{Workers: 3})
			require.NoError(t, err)
			assert.Equal(t, swept.Proof(), again.Proof())
			assert.Equal(t, swept.Policy, again.Policy)
			played, err := mdp.Solve(context.Background(), u.With(nature), criterion, mdp.Settings{Method: mdp.InexactPolicyIteration, Tolerance: 1e-7})
			require.NoError(t, err)
			assert.Positive(t, played.Nature.Rounds)
			for s := range 50 {
				lower, upper := swept.Bounds(s)
				low, high := played.Bounds(s)
				assert.True(t, lower <= high && low <= upper, "%v %v, %v %v", lower, upper, low, high)
			}
		}
	}
}

// Where sweeps would take too long, rounds follow, after few sweeps.
func TestUncertainSlowly(t *testing.T) {
	var b mdp.TableBuilder
	const n, fewSweeps = 6000, 64
	for s := range n {
		b.AddState()
		b.AddAction(float64(s % 7))
		b.AddInterval(max(s-1, 0), 0.4, 0.5, 0)
		b.AddInterval(min(s+1, n-1), 0.4, 0.6, 0)
	}
	u, err := b.BuildUncertain()
	require.NoError(t, err)
	for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{}, mdp.Discounted{Discount: 1 - 0x1p-30}} {
		played, err := mdp.Solve(context.Background(), u.With(mdp.Robust), criterion, mdp.Settings{Method: mdp.InexactPolicyIteration})
		require.NoError(t, err)
		for _, settings := range []mdp.Settings{{}, {Policy: make([]int32, n)}} {
			r, err := mdp.Solve(context.Background(), u.With(mdp.Robust), criterion, settings)
			require.NoError(t, err)
			assert.Positive(t, r.Nature.Rounds)
			assert.LessOrEqual(t, r.Iterations, played.Iterations+fewSweeps)
			for s := range n {
				lower, upper := played.Bounds(s)
				low, high := r.Bounds(s)
				require.True(t, lower <= high && low <= upper, "%v %v, %v %v", lower, upper, low, high)
			}
		}
	}
}

// A solve that ends early has a status, and bounds that hold.
func TestUncertainEarlyEnds(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	enough := errors.New("enough")
	for _, n := range []int{150, 5000} {
		u := garnet(t, n, 3, 4, 0.3)
		for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{}, mdp.Discounted{Discount: 0.99}, mdp.FiniteHorizon{Steps: 30}, mdp.TotalCost{Target: []int32{0}}} {
			if _, isTotal := criterion.(mdp.TotalCost); isTotal && n > 1000 {
				continue // it has no sweeps, whatever the size
			}
			for _, nature := range []mdp.Nature{mdp.Robust, mdp.Optimistic} {
				full, err := mdp.Solve(context.Background(), u.With(nature), criterion, mdp.Settings{})
				require.NoError(t, err)
				for name, test := range map[string]struct {
					ctx      context.Context
					settings mdp.Settings
					status   mdp.Status
				}{
					"interrupted": {ended, mdp.Settings{}, mdp.Interrupted},
					"recorded":    {context.Background(), mdp.Settings{Record: func(mdp.Progress) error { return enough }}, mdp.Interrupted},
					"no time":     {context.Background(), mdp.Settings{TimeLimit: time.Nanosecond}, mdp.TimeLimit},
					"iterations":  {context.Background(), mdp.Settings{MaxIterations: 1}, mdp.IterationLimit},
				} {
					r, err := mdp.Solve(test.ctx, u.With(nature), criterion, test.settings)
					require.Error(t, err, "%T %v %s", criterion, nature, name)
					require.NotNil(t, r, "%T %v %s: %v", criterion, nature, name, err)
					assert.Equal(t, test.status, r.Status, "%T %v %s", criterion, nature, name)
					for s := range n {
						lower, upper := full.Bounds(s)
						low, high := r.Bounds(s)
						require.True(t, low <= upper && lower <= high, "%T %v %s: %v %v", criterion, nature, name, low, high)
					}
					require.Len(t, r.Nature.Probabilities(0, 0), 4)
				}
			}
		}
	}
}

// Numbers at the ends of the range of float64 give bounds or an error, from a given start, too.
func TestUncertainExtremes(t *testing.T) {
	for _, cost := range []float64{1, 1e308, -1e308, math.SmallestNonzeroFloat64} {
		for _, pay := range []float64{0, 1, 1e308, -1e308, math.SmallestNonzeroFloat64} {
			var b mdp.TableBuilder
			for range 2 {
				b.AddState()
				b.AddAction(cost)
				b.AddTransition(0, 0.5)
				b.AddTransition(1, 0.5)
				b.AddAction(cost / 2)
				b.AddInterval(0, 0.2, 0.7, pay)
				b.AddInterval(1, 0.3, 0.9, pay)
			}
			u, err := b.BuildUncertain()
			require.NoError(t, err)
			for _, nature := range []mdp.Nature{mdp.Robust, mdp.Optimistic} {
				for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{}, mdp.Discounted{Discount: 0.9}, mdp.TotalCost{Target: []int32{0}}, mdp.FiniteHorizon{Steps: 3}} {
					for method := range mdp.InexactPolicyIteration + 1 {
						r, err := mdp.Solve(context.Background(), u.With(nature), criterion, mdp.Settings{Method: method, Policy: []int32{1, 1}, Values: []float64{3, 1}, MaxIterations: 1000})
						if r == nil {
							require.Error(t, err)
							continue
						}
						for s := range 2 {
							lower, upper := r.Bounds(s)
							require.LessOrEqual(t, lower, upper, "%v %v %v %T %v", cost, pay, nature, criterion, method)
						}
					}
				}
			}
		}
	}
}

func TestUncertainFaults(t *testing.T) {
	for name, test := range map[string]struct {
		add    func(b *mdp.TableBuilder)
		err    error
		expect string
	}{
		"turned":      {func(b *mdp.TableBuilder) { b.AddInterval(0, 0.6, 0.5, 0) }, mdp.ErrNotDistribution, "state 0, action 0: not a probability distribution: interval from 0.6 to 0.5"},
		"negative":    {func(b *mdp.TableBuilder) { b.AddInterval(0, -0.1, 1, 0) }, mdp.ErrNotDistribution, "from -0.1"},
		"NaN":         {func(b *mdp.TableBuilder) { b.AddInterval(0, math.NaN(), 1, 0) }, mdp.ErrNotDistribution, "NaN"},
		"infinite":    {func(b *mdp.TableBuilder) { b.AddInterval(0, 0, math.Inf(1), 0) }, mdp.ErrNotDistribution, "Inf"},
		"cost":        {func(b *mdp.TableBuilder) { b.AddInterval(0, 0, 1, math.NaN()) }, mdp.ErrCost, "NaN"},
		"too much":    {func(b *mdp.TableBuilder) { b.AddInterval(0, 0.6, 1, 0); b.AddInterval(1, 0.5, 1, 0) }, mdp.ErrNotDistribution, "lower ends of the intervals sum to 1.1"},
		"too little":  {func(b *mdp.TableBuilder) { b.AddInterval(0, 0, 0.4, 0); b.AddInterval(1, 0, 0.5, 0) }, mdp.ErrNotDistribution, "upper ends of the intervals sum to 0.9"},
		"nothing":     {func(*mdp.TableBuilder) {}, mdp.ErrNotDistribution, "upper ends"},
		"nowhere":     {func(b *mdp.TableBuilder) { b.AddInterval(7, 0, 1, 0) }, mdp.ErrNotDistribution, "next state 7, of states 0 … 1"},
		"before":      {func(b *mdp.TableBuilder) { b.AddInterval(-1, 0, 1, 0) }, mdp.ErrNotDistribution, "next state -1"},
		"no action":   {func(b *mdp.TableBuilder) { b.AddState(); b.AddInterval(0, 0, 1, 0) }, mdp.ErrOrder, "TableBuilder.AddInterval before AddAction"},
		"distance":    {func(b *mdp.TableBuilder) { b.AddDistance(-0.1) }, mdp.ErrNotDistribution, "state 0, action 0: not a probability distribution: distance -0.1"},
		"far":         {func(b *mdp.TableBuilder) { b.AddDistance(math.Inf(1)) }, mdp.ErrNotDistribution, "distance +Inf"},
		"both":        {func(b *mdp.TableBuilder) { b.AddDistance(1); b.AddInterval(0, 0, 1, 0) }, mdp.ErrNotDistribution, "an interval in an action with a distance"},
		"no sum":      {func(b *mdp.TableBuilder) { b.AddTransition(0, 0.5); b.AddDistance(1) }, mdp.ErrNotDistribution, "sum to 0.5"},
		"empty":       {func(b *mdp.TableBuilder) { b.AddDistance(1); b.AddState() }, mdp.ErrNotDistribution, "sum to 0"},
		"lacking":     {func(b *mdp.TableBuilder) { b.AddTransition(0, 1-1e-10); b.AddDistance(1e-11) }, mdp.ErrNotDistribution, "sum to 0.9999"},
		"no action 2": {func(b *mdp.TableBuilder) { b.AddState(); b.AddDistance(1) }, mdp.ErrOrder, "TableBuilder.AddDistance before AddAction"},
		"no actions":  {func(b *mdp.TableBuilder) { b.AddInterval(0, 0, 1, 0); b.AddState() }, mdp.ErrNoActions, "state 1"},
	} {
		var b mdp.TableBuilder
		b.AddState()
		b.AddAction(1)
		test.add(&b)
		if b.AddState() == 1 {
			b.AddAction(1)
			b.AddTransition(1, 1)
		}
		_, err := b.BuildUncertain()
		require.ErrorIs(t, err, test.err, name)
		require.ErrorContains(t, err, test.expect, name)
	}
	var b mdp.TableBuilder
	_, err := b.BuildUncertain()
	require.ErrorIs(t, err, mdp.ErrNoStart)
	coin := func() *mdp.TableBuilder {
		b := mdp.TableBuilder{}
		b.AddState()
		b.AddAction(1)
		b.AddInterval(0, 0, 1, 0)
		return &b
	}
	_, err = coin().Build()
	require.ErrorIs(t, err, mdp.ErrOrder)
	require.ErrorContains(t, err, "call BuildUncertain")
	wrong := coin()
	wrong.Rate = -1
	_, err = wrong.BuildUncertain()
	require.ErrorIs(t, err, mdp.ErrRate)
	u, err := coin().BuildUncertain()
	require.NoError(t, err)
	for expect, solve := range map[string]func() (*mdp.Result, error){
		"criterion time": func() (*mdp.Result, error) {
			return mdp.Solve(context.Background(), u.With(mdp.Robust), mdp.TimeHorizon{Time: 1}, mdp.Settings{})
		},
		"Nature 7": func() (*mdp.Result, error) {
			return mdp.Solve(context.Background(), u.With(7), mdp.LongRunAverage{}, mdp.Settings{})
		},
		"model is nil": func() (*mdp.Result, error) {
			return mdp.Solve(context.Background(), (*mdp.Uncertain)(nil), mdp.LongRunAverage{}, mdp.Settings{})
		},
		"criterion is nil": func() (*mdp.Result, error) {
			return mdp.Solve(context.Background(), u.With(0), nil, mdp.Settings{})
		},
		"Settings.Policy": func() (*mdp.Result, error) {
			return mdp.Solve(context.Background(), u.With(0), mdp.LongRunAverage{}, mdp.Settings{Policy: []int32{1, 2}})
		},
		"policy: action 1": func() (*mdp.Result, error) {
			return mdp.Solve(context.Background(), u.With(0), mdp.LongRunAverage{}, mdp.Settings{Policy: []int32{1}})
		},
		"Certify": func() (*mdp.Result, error) {
			return mdp.Certify(context.Background(), u, mdp.LongRunAverage{}, []float64{0}, mdp.Settings{})
		},
		"a randomised policy in an uncertain model": func() (*mdp.Result, error) {
			half := big.NewRat(1, 2)
			return mdp.Evaluate(context.Background(), u, mdp.Policy{Start: []int32{0, 2}, Actions: []int32{0, 0}, Probabilities: []*big.Rat{half, half}}, mdp.LongRunAverage{}, mdp.Settings{})
		},
		"policy for 2 states": func() (*mdp.Result, error) {
			return mdp.Evaluate(context.Background(), u, mdp.Policy{Actions: []int32{0, 0}}, mdp.LongRunAverage{}, mdp.Settings{})
		},
		"step 0: mdp: Nature 7": func() (*mdp.Result, error) {
			at := func(int) (mdp.Model, error) { return u.With(7), nil }
			return mdp.Solve(context.Background(), u, mdp.FiniteHorizon{Steps: 1, At: at}, mdp.Settings{})
		},
		"step 0: mdp: FiniteHorizon.At": func() (*mdp.Result, error) {
			at := func(int) (mdp.Model, error) { return struct{ mdp.Model }{u}, nil }
			return mdp.Solve(context.Background(), u, mdp.FiniteHorizon{Steps: 1, At: at}, mdp.Settings{})
		},
		"value iteration": func() (*mdp.Result, error) {
			return mdp.Solve(context.Background(), u.With(0), mdp.LongRunAverage{}, mdp.Settings{Method: mdp.ValueIteration})
		},
	} {
		r, err := solve()
		assert.Nil(t, r)
		assert.ErrorContains(t, err, expect)
	}
	assert.Equal(t, "worst best", fmt.Sprint(mdp.Robust, mdp.Optimistic))
}

// With two next states, a distance is the same as an interval.
func TestUncertainDistance(t *testing.T) {
	chain := func(add func(b *mdp.TableBuilder, p float64)) *mdp.Uncertain {
		var b mdp.TableBuilder
		for s, p := range []float64{1, 0.5, 0} {
			b.AddState()
			b.AddAction(float64(1 + s*s))
			add(&b, p)
		}
		u, err := b.BuildUncertain()
		require.NoError(t, err)
		return u
	}
	const distance = 0.25
	near := chain(func(b *mdp.TableBuilder, p float64) {
		b.AddTransition(0, p)
		b.AddDistance(distance)
		b.AddInterval(2, 1-p, 1-p, 3)
	})
	between := chain(func(b *mdp.TableBuilder, p float64) {
		b.AddInterval(0, max(p-distance/2, 0), min(p+distance/2, 1), 0)
		b.AddInterval(2, max(1-p-distance/2, 0), min(1-p+distance/2, 1), 3)
	})
	for _, nature := range []mdp.Nature{mdp.Robust, mdp.Optimistic} {
		for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{}, mdp.Discounted{Discount: 0.99}, mdp.FiniteHorizon{Steps: 9}} {
			want, err := mdp.Solve(context.Background(), between.With(nature), criterion, mdp.Settings{})
			require.NoError(t, err)
			got, err := mdp.Solve(context.Background(), near.With(nature), criterion, mdp.Settings{})
			require.NoError(t, err)
			for s := range 3 {
				assert.InEpsilon(t, want.Optimum(s), got.Optimum(s), 1e-12)
			}
		}
	}
	assert.Equal(t, distance, near.Distance(0, 0))
	assert.Zero(t, between.Distance(0, 0))
	var b mdp.TableBuilder
	b.AddState()
	b.AddAction(0)
	b.AddDistance(7)
	b.AddTransition(0, 1)
	u, err := b.BuildUncertain()
	require.NoError(t, err)
	assert.Equal(t, 2.0, u.Distance(0, 0))

	// Half the least distance above 0 is 0 in float64.
	b.AddState()
	b.AddAction(0)
	for range 3 {
		b.AddTransition(0, 1.0/3)
	}
	b.AddDistance(math.SmallestNonzeroFloat64)
	u, err = b.BuildUncertain()
	require.NoError(t, err)
	assert.Zero(t, u.Distance(0, 0))
}

// Sums without rounding have no margin: values that are 0, and those of states without costs
// that lead to others, have finite bounds, and exact ones where they are 0.
func TestUncertainZeros(t *testing.T) {
	type entry struct {
		next            int
		low, high, cost float64
	}
	total := mdp.TotalCost{Target: []int32{2}}
	for name, test := range map[string]struct {
		costs     [2]float64
		rows      [2][]entry
		criterion mdp.Criterion
		want      float64 // from state 0
	}{
		"no cost before others":  {[2]float64{0, 0}, [2][]entry{{{1, 0.25, 0.5, 0}, {0, 0, 1, 0}}, {{2, 0.5, 0.5, 8}, {1, 0, 1, 0}}}, total, 8},
		"payments in both":       {[2]float64{0, 0}, [2][]entry{{{1, 0.125, 0.75, 0}, {0, 0.25, 1, 0}}, {{2, 0.25, 0.25, 3}, {1, 0.5, 1, 7}}}, total, 24},
		"payments cancel":        {[2]float64{0.3, 0}, [2][]entry{{{2, 0.5, 1, -0.3}}, {{2, 0.5, 0.75, 0}, {0, 0.125, 0.5, 0}}}, total, 0},
		"no payment for staying": {[2]float64{0, 0}, [2][]entry{{{0, 0, 0.5, 0}, {2, 0.5, 1, 0}}, {{1, 0, 0.75, 1}, {2, 0.25, 1, 0}}}, total, 0},
		"average of nothing":     {[2]float64{0, 5}, [2][]entry{{{0, 0, 0.5, 0}, {2, 0.5, 1, 0}}, {{0, 0.25, 1, 1}, {1, 0, 0.75, -1}}}, mdp.LongRunAverage{}, 0},
	} {
		var b mdp.TableBuilder
		for s, row := range test.rows {
			b.AddState()
			b.AddAction(test.costs[s])
			for _, e := range row {
				b.AddInterval(e.next, e.low, e.high, e.cost)
			}
		}
		b.AddState()
		b.AddAction(0)
		b.AddTransition(2, 1)
		u, err := b.BuildUncertain()
		require.NoError(t, err)
		for _, nature := range []mdp.Nature{mdp.Robust, mdp.Optimistic} {
			r, err := mdp.Solve(context.Background(), u.With(nature), test.criterion, mdp.Settings{})
			require.NoError(t, err, name)
			lower, upper := r.Bounds(0)
			assert.InDelta(t, test.want, lower, 1e-12*test.want, name)
			assert.InDelta(t, test.want, upper, 1e-12*test.want, name)
		}
	}
}

// With action 0 nature decides whether the target is reached, at no cost; action 1 reaches it at
// cost 5.
func TestUncertainReaching(t *testing.T) {
	for _, test := range []struct {
		sense  mdp.Sense
		nature mdp.Nature
		want   float64
		policy int32
	}{
		{mdp.Minimize, mdp.Robust, 5, 1},
		{mdp.Minimize, mdp.Optimistic, 0, 0},
		{mdp.Maximize, mdp.Robust, 5, 1},
		{mdp.Maximize, mdp.Optimistic, math.Inf(1), 0},
	} {
		r := solvedReaching(t, test.sense, test.nature, 0, 5)
		lower, upper := r.Bounds(0)
		assert.Equal(t, mdp.Converged, r.Status)
		if math.IsInf(test.want, 1) {
			assert.Equal(t, []float64{test.want, test.want}, []float64{lower, upper})
		} else {
			assert.InDelta(t, test.want, lower, 1e-12)
			assert.InDelta(t, test.want, upper, 1e-12)
		}
		assert.LessOrEqual(t, lower, upper)
		assert.Equal(t, test.policy, r.Policy[0], "%v %v", test.sense, test.nature)
	}
}

// Staying costs −1, so nature stays as long as it likes where it wants small totals: the total
// has no lower bound, though it is infinite for a nature that stays for ever.
func TestUncertainReachingStaysOpen(t *testing.T) {
	for sense, upper := range map[mdp.Sense]float64{mdp.Minimize: -1, mdp.Maximize: -1} {
		nature := mdp.Optimistic
		if sense == mdp.Maximize {
			nature = mdp.Robust
		}
		r := solvedReaching(t, sense, nature, -1)
		lower, above := r.Bounds(0)
		assert.True(t, math.IsInf(lower, -1))
		assert.GreaterOrEqual(t, above, upper)
		assert.False(t, r.Status == mdp.Converged && above > lower)
	}
}

// solvedReaching solves a model with a state where nature may stay or reach the target, if action 0
// is taken; the other actions reach it. Actions have the costs given.
func solvedReaching(t *testing.T, sense mdp.Sense, nature mdp.Nature, costs ...float64) *mdp.Result {
	t.Helper()
	var b mdp.TableBuilder
	b.AddState()
	for a, cost := range costs {
		b.AddAction(cost)
		if a > 0 {
			b.AddTransition(1, 1)
			continue
		}
		b.AddInterval(0, 0, 1, 0)
		b.AddInterval(1, 0, 1, 0)
	}
	b.AddState()
	b.AddAction(0)
	b.AddTransition(1, 1)
	u, err := b.BuildUncertain()
	require.NoError(t, err)
	r, _ := mdp.Solve(context.Background(), u.With(nature), mdp.TotalCost{Target: []int32{1}, Sense: sense}, mdp.Settings{})
	require.NotNil(t, r)
	return r
}

// Without any interval of positive width, probabilities whose sum is off by rounding count as divided by it.
func TestIntervalsOfWidthZero(t *testing.T) {
	const cost, stay, leave, steps = -74106.9, 0.40909090909090912, 0.59090909090909094, 20
	var b mdp.TableBuilder
	b.AddState()
	b.AddAction(cost)
	b.AddInterval(0, stay, stay, 0)
	b.AddInterval(1, leave, leave, 0)
	b.AddState()
	b.AddAction(0)
	b.AddInterval(1, 1, 1, 0)
	model, err := b.BuildUncertain()
	require.NoError(t, err)
	result, err := mdp.Solve(t.Context(), model, mdp.FiniteHorizon{Steps: steps}, mdp.Settings{})
	require.NoError(t, err)
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	share := rat(stay)
	share.Quo(share, new(big.Rat).Add(rat(stay), rat(leave)))
	want := new(big.Rat)
	for range steps {
		want.Add(rat(cost), want.Mul(want, share))
	}
	require.True(t, rat(result.Lower).Cmp(want) <= 0 && rat(result.Upper).Cmp(want) >= 0, "%v to %v, not %v", result.Lower, result.Upper, want.FloatString(20))
}
