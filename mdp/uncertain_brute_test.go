package mdp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// randomUncertain returns a small uncertain model. Few kinds of numbers make many ties.
func randomUncertain(t *testing.T, random *rand.Rand, low float64) *mdp.Uncertain {
	t.Helper()
	var b mdp.TableBuilder
	n := 2 + random.IntN(3)
	grain := float64(int(4) << random.IntN(2)) // of probabilities
	simple := random.IntN(2) == 0
	number := func() float64 {
		if simple {
			return float64(random.IntN(5) - random.IntN(2)*2)
		}
		return random.NormFloat64()
	}
	paid := random.IntN(3) == 0
	for s := range n {
		b.AddState()
		for range 1 + random.IntN(2) {
			b.AddAction(number())
			var p []float64
			sum, entries := 0.0, 1+random.IntN(3)
			for range entries {
				x := random.ExpFloat64()
				if simple {
					x = 1 + float64(random.IntN(3))
				}
				p, sum = append(p, x), sum+x
			}
			left, share := 1.0, float64(random.IntN(5))/4
			for i := range p {
				p[i] /= sum
				if simple {
					p[i] = min(left, math.Ceil(p[i]*grain)/grain)
				}
				if i == entries-1 {
					p[i] = left
				}
				left -= p[i]
			}
			if random.IntN(4) == 0 {
				b.AddDistance([]float64{0, 0.1, 0.25, 1, 3}[random.IntN(5)] * random.Float64() * 2)
				if low > 0 {
					b.AddDistance(2 * slices.Min(p) * random.Float64())
				}
				share = 0
			}
			for i := range p {
				next, pay := random.IntN(n), 0.0
				if random.IntN(3) == 0 {
					next = s
				}
				if paid && random.IntN(2) == 0 {
					pay = number()
				}
				half := share * p[i] * (1 - low)
				if share > 0 && random.IntN(2) == 0 {
					half = min(p[i]*(1-low), 0.25)
				}
				b.AddInterval(next, max(p[i]-half, 0), p[i]+half, pay)
			}
		}
	}
	u, err := b.BuildUncertain()
	require.NoError(t, err)
	return u
}

// rationalRow is a row in exact numbers, with its cost.
type rationalRow struct {
	columns       []int32
	probabilities []*big.Rat
	cost          *big.Rat
}

// vertices returns all vertices of the rows of an action.
func vertices(u *mdp.Uncertain, s, a int) []rationalRow {
	entries, cost := u.AppendRow(nil, s, a)
	var found []rationalRow
	add := func(p []*big.Rat) {
		row := rationalRow{cost: rational(cost)}
		for i, e := range entries[:len(p)] {
			row.cost.Add(row.cost, new(big.Rat).Mul(p[i], rational(e.Cost)))
			if at := slices.Index(row.columns, e.State); at >= 0 {
				row.probabilities[at].Add(row.probabilities[at], p[i])
			} else {
				row.columns, row.probabilities = append(row.columns, e.State), append(row.probabilities, new(big.Rat).Set(p[i]))
			}
		}
		found = append(found, row)
	}
	if distance := u.Distance(s, a); distance > 0 {
		var nominal []*big.Rat
		for _, e := range entries[:len(entries)/2] {
			nominal = append(nominal, rational(e.High))
		}
		around(nominal, rational(distance/2), add)
		return found
	}
	for rest := range entries {
		for bits := range 1 << len(entries) {
			if bits>>rest&1 == 1 {
				continue
			}
			p, left := make([]*big.Rat, len(entries)), big.NewRat(1, 1)
			for i, e := range entries {
				if i == rest {
					continue
				}
				p[i] = rational(e.Low)
				if bits>>i&1 == 1 {
					p[i] = rational(e.High)
				}
				left.Sub(left, p[i])
			}
			if p[rest] = left; left.Cmp(rational(entries[rest].Low)) < 0 || left.Cmp(rational(entries[rest].High)) > 0 {
				// The ends of a distribution of floats may miss 1 by rounding.
				if off, _ := new(big.Rat).Sub(left, rational(entries[rest].Low)).Float64(); entries[rest].Low != entries[rest].High || math.Abs(off) > 1e-15 {
					continue
				}
			}
			add(p)
		}
	}
	return found
}

// around passes on the probabilities p with Σ max(p − p̂, 0) ≤ most of which one is greater than p̂,
// by as much as possible, and the others are less, one after the other in any order.
func around(nominal []*big.Rat, most *big.Rat, add func(p []*big.Rat)) {
	var lose func(p []*big.Rat, rest *big.Rat, from []int)
	lose = func(p []*big.Rat, rest *big.Rat, from []int) {
		if rest.Sign() <= 0 || len(from) == 0 {
			add(p)
			return
		}
		for i, e := range from {
			less := slices.Clone(p)
			lost := smaller(rest, p[e])
			less[e] = new(big.Rat).Sub(p[e], lost)
			lose(less, new(big.Rat).Sub(rest, lost), slices.Delete(slices.Clone(from), i, i+1))
		}
	}
	for e := range nominal {
		p, sum, others := slices.Clone(nominal), new(big.Rat), []int{}
		for i, x := range nominal {
			if sum.Add(sum, x); i != e {
				others = append(others, i)
			}
		}
		// What e gains, and what p̂ has above 1, the others lose: at most all they have.
		one := big.NewRat(1, 1)
		gain := smaller(most, new(big.Rat).Sub(one, nominal[e]))
		p[e] = new(big.Rat).Add(nominal[e], gain)
		lose(p, sum.Add(sum.Sub(sum, one), gain), others)
	}
}

func smaller(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

// exactOf returns the ordinary model whose actions are all vertices of the actions that
// actions(s) names.
func exactOf(t *testing.T, u *mdp.Uncertain, actions func(s int) []int) *exact.Model {
	t.Helper()
	a := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}}
	for s := range u.NumStates() {
		for _, action := range actions(s) {
			for _, row := range vertices(u, s, action) {
				for i, j := range row.columns {
					if row.probabilities[i].Sign() > 0 {
						a.Columns, a.Probabilities = append(a.Columns, j), append(a.Probabilities, row.probabilities[i])
					}
				}
				a.RowStart, a.Costs = append(a.RowStart, int32(len(a.Columns))), append(a.Costs, row.cost)
			}
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	m, err := exact.NewModel(a)
	require.NoError(t, err)
	return m
}

// brute returns the optimal values of an uncertain model: for Optimistic, the optimum over all
// actions and vertices; for Robust, the best that a policy achieves against nature's best answer.
// Both have optimal policies that are stationary and deterministic (T.M. Liggett and S.A.
// Lippman, Stochastic games with perfect information and time average payoff, SIAM Review 11
// (1969), 604-607).
func brute(t *testing.T, u *mdp.Uncertain, nature mdp.Nature, sense mdp.Sense, solve func(m *exact.Model, sense mdp.Sense) (*exact.Answer, error)) []float64 {
	t.Helper()
	values := func(m *exact.Model, sense mdp.Sense) []float64 {
		answer, err := solve(m, sense)
		require.NoError(t, err)
		var x []float64
		for _, v := range answer.Values {
			f := v.Float64()
			x = append(x, f)
		}
		return x
	}
	if nature == mdp.Optimistic {
		return values(exactOf(t, u, func(s int) []int {
			var all []int
			for a := range u.NumActions(s) {
				all = append(all, a)
			}
			return all
		}), sense)
	}
	var best []float64
	policy := make([]int, u.NumStates())
	for {
		x := values(exactOf(t, u, func(s int) []int { return policy[s : s+1] }), mdp.Maximize-sense)
		if best == nil {
			best = x
		}
		for s := range x {
			if sense == mdp.Minimize {
				best[s] = min(best[s], x[s])
			} else {
				best[s] = max(best[s], x[s])
			}
		}
		s := 0
		for ; s < len(policy); s++ {
			if policy[s]++; policy[s] < u.NumActions(s) {
				break
			}
			policy[s] = 0
		}
		if s == len(policy) {
			return best
		}
	}
}

// requireUncertain compares a result with the optimal values.
func requireUncertain(t *testing.T, want []float64, r *mdp.Result, err error) (converged bool) {
	t.Helper()
	if err != nil && !errors.Is(err, mdp.ErrIterationLimit) {
		require.ErrorIs(t, err, mdp.ErrPrecisionLimit)
	}
	size := 1.0
	for _, v := range want {
		if !math.IsInf(v, 0) {
			size = max(size, math.Abs(v))
		}
	}
	for s, v := range want {
		lower, upper := r.Bounds(s)
		// Fractions divide rows by sums that are off 1 by rounding, at each of up to 1000 steps.
		require.LessOrEqual(t, lower, v+1e-13*size, "state %d", s)
		require.GreaterOrEqual(t, upper, v-1e-13*size, "state %d", s)
		if err == nil && !math.IsInf(v, 0) {
			require.InDelta(t, v, r.Optimum(s), 1e-8*size, "state %d", s)
		}
	}
	return err == nil
}

// Answers are compared with brute force in fractions. A few models stay open: values of 0
// where no error is relative to anything, averages of several classes of equal gain, and
// totals of cycles whose cost has no sign.
func TestUncertainByBruteForce(t *testing.T) {
	open, count := map[string]int{}, 0
	trials(t, 58, func(t *testing.T, random *rand.Rand) {
		sense := mdp.Sense(random.IntN(2))
		beta := []float64{0.5, 0.9, 0.999}[random.IntN(3)]
		some, positive := randomUncertain(t, random, 0), randomUncertain(t, random, 0.1)
		count++
		for _, nature := range []mdp.Nature{mdp.Robust, mdp.Optimistic} {
			for _, test := range []struct {
				model     *mdp.Uncertain
				criterion mdp.Criterion
				solve     func(m *exact.Model, sense mdp.Sense) (*exact.Answer, error)
			}{
				{some, mdp.LongRunAverage{Sense: sense}, func(m *exact.Model, sense mdp.Sense) (*exact.Answer, error) {
					return m.Average(context.Background(), sense)
				}},
				{some, mdp.Discounted{Discount: beta, Sense: sense}, func(m *exact.Model, sense mdp.Sense) (*exact.Answer, error) {
					return m.Discounted(context.Background(), sense, rational(beta))
				}},
				{positive, mdp.TotalCost{Target: []int32{0}, Sense: sense}, func(m *exact.Model, sense mdp.Sense) (*exact.Answer, error) {
					return m.Total(context.Background(), sense, []int32{0})
				}},
			} {
				r, err := mdp.Solve(context.Background(), test.model.With(nature), test.criterion, mdp.Settings{})
				if errors.Is(err, mdp.ErrUnsupported) { // a probability of 0
					continue
				}
				if !requireUncertain(t, brute(t, test.model, nature, sense, test.solve), r, err) {
					open[fmt.Sprintf("%T", test.criterion)]++
					if _, isTotal := test.criterion.(mdp.TotalCost); !isTotal {
						for s := range test.model.NumStates() {
							if lower, upper := r.Bounds(s); upper-lower > 1e-9 {
								open["apart"]++
								break
							}
						}
					}
				}
			}
		}
	})
	t.Logf("of %d models, open: %v", count, open)
	require.LessOrEqual(t, open["apart"], count/500+1)
	require.LessOrEqual(t, open["mdp.LongRunAverage"]+open["mdp.Discounted"], count/25+1)
	require.LessOrEqual(t, open["mdp.TotalCost"], count/5+3)
}

// All methods give bounds that contain the values of brute force, also with a rate, and
// averages that the policy attains with nature's choice.
func TestUncertainMethods(t *testing.T) {
	trials(t, 60, func(t *testing.T, random *rand.Rand) {
		sense, beta := mdp.Sense(random.IntN(2)), []float64{0, 0.5, 0.999}[random.IntN(3)]
		u := randomUncertain(t, random, 0)
		b := mdp.TableBuilder{Rate: 3}
		for s := range u.NumStates() {
			b.AddState()
			for a := range u.NumActions(s) {
				row, cost := u.AppendRow(nil, s, a)
				b.AddAction(cost)
				for _, e := range row {
					b.AddInterval(int(e.State), e.Low, e.High, e.Cost)
				}
			}
		}
		u, err := b.BuildUncertain()
		require.NoError(t, err)
		for _, nature := range []mdp.Nature{mdp.Robust, mdp.Optimistic} {
			gains := brute(t, u, nature, sense, func(m *exact.Model, sense mdp.Sense) (*exact.Answer, error) {
				return m.Average(context.Background(), sense)
			})
			values := brute(t, u, nature, sense, func(m *exact.Model, sense mdp.Sense) (*exact.Answer, error) {
				return m.Discounted(context.Background(), sense, rational(beta))
			})
			for s := range values {
				values[s] /= u.Rate()
			}
			for method := range mdp.InexactPolicyIteration + 1 {
				settings := mdp.Settings{Method: method, MaxIterations: 1000}
				r, err := mdp.Solve(context.Background(), u.With(nature), mdp.Discounted{Discount: beta, Sense: sense}, settings)
				if !errors.Is(err, mdp.ErrUnsupported) {
					requireUncertain(t, values, r, err)
				}
				r, err = mdp.Solve(context.Background(), u.With(nature), mdp.LongRunAverage{Sense: sense}, settings)
				if !errors.Is(err, mdp.ErrUnsupported) && requireUncertain(t, gains, r, err) {
					e, err := mdp.LongRun(context.Background(), r.Nature.Model(), mdp.Policy{Actions: r.Policy})
					require.NoError(t, err)
					for s, g := range gains {
						require.InDelta(t, g, e.Gain[s], 1e-7)
					}
				}
			}
		}
	})
}
