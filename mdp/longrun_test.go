package mdp_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// biasRoundoff allows for a few n·2⁻⁵³, n being 5 at most, and for values that
// are summed up from a state 2¹⁰ times less visited than others.
const biasRoundoff = 1e-12

func TestEvaluateAgainstExactRationals(t *testing.T) {
	trials(t, 400, func(t *testing.T, random *rand.Rand) {
		scale := scale(random.IntN(int(scales)))
		table := randomTable(t, random, structure(random.IntN(int(structures))), scale)
		policy := randomPolicy(random, table)
		evaluation, err := mdp.LongRun(context.Background(), table, mdp.Policy{Actions: policy})
		require.NoError(t, err)
		chain := newExactModel(table).chain(policy)

		classes := chain.classes()
		require.Len(t, evaluation.Classes, len(classes))
		for i, class := range evaluation.Classes {
			require.Equal(t, classes[i], class.States)
			// Relative to each share: no digits are lost to conditioning.
			assertRelative(t, chain.stationary(class.States), class.Stationary, 1e-14, "stationary")
			assert.Equal(t, evaluation.Gain[class.States[0]], class.Gain)
		}
		if scale == signed || scale == spreadAll {
			assertClose(t, chain.gains(), evaluation.Gain, 1e-14*largest(chain.costs), "gain")
		} else {
			assertRelative(t, chain.gains(), evaluation.Gain, 1e-14, "gain")
		}
		assertClose(t, chain.bias(), evaluation.Bias, biasRoundoff*largest(chain.costs)*largest(chain.passage()), "bias")
		for s, reach := range chain.reachable() {
			var want []int
			for i, class := range classes {
				if reach[class[0]] {
					want = append(want, i)
				}
			}
			assert.Equal(t, want, evaluation.Reachable(s))
		}
	})
}

// The reference solves (I − P + P*)·h = (I − P*)·c with the dense limiting
// matrix P*, taken from many squarings of the aperiodic (I + P)/2
// (Puterman 1994, Appendix A.5).
func TestEvaluateAgainstDenseLinearAlgebra(t *testing.T) {
	trials(t, 20, func(t *testing.T, random *rand.Rand) {
		const n = 30
		table := randomChain(t, random, n)
		evaluation, err := mdp.LongRun(context.Background(), table, mdp.Policy{Actions: make([]int32, n)})
		require.NoError(t, err)

		transition, cost := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		for s := range n {
			row, c := table.AppendRow(nil, s, 0)
			cost.SetVec(s, c)
			for _, e := range row {
				transition.Set(s, int(e.State), e.Probability)
			}
		}
		identity := mat.NewDiagDense(n, nil)
		for s := range n {
			identity.SetDiag(s, 1)
		}
		var limiting, square mat.Dense
		limiting.Add(identity, transition)
		limiting.Scale(0.5, &limiting)
		for range 30 {
			square.Mul(&limiting, &limiting)
			limiting.Copy(&square)
		}
		var gain, excess, bias mat.VecDense
		gain.MulVec(&limiting, cost)
		excess.SubVec(cost, &gain)
		var fundamental mat.Dense
		fundamental.Sub(identity, transition)
		fundamental.Add(&fundamental, &limiting)
		require.NoError(t, bias.SolveVec(&fundamental, &excess))
		// Squaring doubles the error 30 times over at worst, which leaves 7 digits.
		for s := range n {
			assert.InDelta(t, gain.AtVec(s), evaluation.Gain[s], 1e-7)
			assert.InDelta(t, bias.AtVec(s), evaluation.Bias[s], 1e-5)
		}
		for _, class := range evaluation.Classes {
			for i, s := range class.States {
				assert.InDelta(t, limiting.At(class.States[0], s), class.Stationary[i], 1e-7)
			}
		}
	})
}

// In a chain with one state, with a cycle, and with two halves that hardly ever
// meet, the stationary distribution is known without computing.
func TestEvaluateSmallChains(t *testing.T) {
	evaluate := func(rows [][]float64, costs ...float64) *mdp.LongRunBehaviour {
		evaluation, err := mdp.LongRun(context.Background(), chainOf(t, rows, costs), mdp.Policy{Actions: make([]int32, len(rows))})
		require.NoError(t, err)
		return evaluation
	}

	single := evaluate([][]float64{{1}}, 4)
	assert.Equal(t, []float64{4}, single.Gain)
	assert.Equal(t, []float64{0}, single.Bias)
	assert.Equal(t, []mdp.Class{{States: []int{0}, Stationary: []float64{1}, Gain: 4}}, single.Classes)

	cycle := evaluate([][]float64{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, 3, 0, 0)
	assert.Equal(t, []float64{1, 1, 1}, cycle.Gain)
	assert.InDeltaSlice(t, []float64{1, -1, 0}, cycle.Bias, 1e-15)

	// π(0)·ε = π(1)·2ε.
	const rare = 1e-300
	halves := evaluate([][]float64{{1, rare}, {2 * rare, 1}}, 3, 0)
	assert.InEpsilon(t, 2, halves.Gain[0], 1e-15)
	assert.InDeltaSlice(t, []float64{2. / 3, 1. / 3}, halves.Classes[0].Stationary, 1e-15)

	gambler := evaluate([][]float64{{1, 0, 0}, {0.25, 0.5, 0.25}, {0, 0, 1}}, 0, 0, 1)
	assert.Equal(t, []float64{0, 0.5, 1}, gambler.Gain)
	assert.Len(t, gambler.Classes, 2)
	assert.Equal(t, []int{0, 1}, gambler.Reachable(1))
	assert.Equal(t, []int{1}, gambler.Reachable(2))
}

func TestEvaluateRefusesBadPolicies(t *testing.T) {
	table := chainOf(t, [][]float64{{0, 1}, {1, 0}}, []float64{1, 2})
	for _, policy := range [][]int32{nil, {0}, {0, 0, 0}, {0, 1}, {-1, 0}} {
		_, err := mdp.LongRun(context.Background(), table, mdp.Policy{Actions: policy})
		require.ErrorContains(t, err, "policy", "%v", policy)
	}
}

func TestEvaluateStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errEnough)
	_, err := mdp.LongRun(ctx, chainOf(t, [][]float64{{0, 1}, {1, 0}}, []float64{1, 2}), mdp.Policy{Actions: []int32{0, 0}})
	require.ErrorIs(t, err, errEnough)
}

func randomPolicy(random *rand.Rand, model mdp.Explicit) []int32 {
	policy := make([]int32, model.NumStates())
	for s := range policy {
		policy[s] = int32(random.IntN(model.NumActions(s)))
	}
	return policy
}

// randomChain returns a chain of some closed classes and transient states.
func randomChain(t *testing.T, random *rand.Rand, n int) *mdp.Table {
	t.Helper()
	rows, costs := make([][]float64, n), make([]float64, n)
	parts := 1 + random.IntN(4)
	for s := range n {
		rows[s] = make([]float64, n)
		part := s % (parts + 1)
		for range 4 {
			j := random.IntN(n)
			if part > 0 { // stays in its part; part 0 goes anywhere
				j = part + (parts+1)*random.IntN((n-part-1)/(parts+1)+1)
			}
			rows[s][j] += 0.25
		}
		costs[s] = 10 * random.Float64()
	}
	return chainOf(t, rows, costs)
}

// chainOf returns the chain with the given dense rows as a table with one
// action for each state.
func chainOf(t *testing.T, rows [][]float64, costs []float64) *mdp.Table {
	t.Helper()
	return buildTable(t, func(b *mdp.TableBuilder) {
		for s, row := range rows {
			b.AddState()
			b.AddAction(costs[s])
			for j, p := range row {
				b.AddTransition(j, p)
			}
		}
	})
}

// assertRelative compares with a tolerance relative to each element.
func assertRelative(t *testing.T, want []*big.Rat, got []float64, tolerance float64, what string) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		difference := new(big.Rat).Sub(rational(got[i]), w)
		assert.LessOrEqual(t, math.Abs(float(difference)), tolerance*math.Abs(float(w)), "%s %d: %v, want %v", what, i, got[i], float(w))
	}
}

// assertClose compares with one tolerance for all elements.
func assertClose(t *testing.T, want []*big.Rat, got []float64, tolerance float64, what string) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		difference := new(big.Rat).Sub(rational(got[i]), w)
		assert.LessOrEqual(t, math.Abs(float(difference)), tolerance, "%s %d: %v, want %v", what, i, got[i], float(w))
	}
}

func largest(x []*big.Rat) float64 {
	largest := 0.0
	for _, r := range x {
		largest = max(largest, math.Abs(float(r)))
	}
	return largest
}

// A gambler with 2 of 4 coins, who bets 1 at even odds, loses all with probability 1/2. On the way he
// has k coins 2·min(k, 2)·(4−max(k, 2))/4 times (Feller, An Introduction to Probability Theory and Its
// Applications I, chapter XIV). In continuous time the same visits take less time.
func TestWhereAChainIs(t *testing.T) {
	for _, rate := range []float64{0, 8} {
		arrays := mdp.TableArrays{
			StateStart:    []int32{0, 1, 2, 3, 4, 5},
			RowStart:      []int32{0, 1, 3, 5, 7, 8},
			Columns:       []int32{0, 0, 2, 1, 3, 2, 4, 4},
			Probabilities: []float64{1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1},
			Costs:         []float64{0, 0, 0, 0, 1},
			Rate:          rate,
		}
		table, err := mdp.NewTable(arrays)
		require.NoError(t, err)
		behaviour, err := mdp.LongRun(context.Background(), table, mdp.Policy{Actions: make([]int32, 5)})
		require.NoError(t, err)
		shares, passing := behaviour.From(2)
		assert.InDeltaSlice(t, []float64{0.5, 0, 0, 0, 0.5}, shares, 1e-15)
		step := 1 / math.Max(rate, 1)
		assert.InDeltaSlice(t, []float64{0, 1 * step, 2 * step, 1 * step, 0}, passing, 1e-15)
		shares, passing = behaviour.From(4)
		assert.InDeltaSlice(t, []float64{0, 0, 0, 0, 1}, shares, 1e-15)
		assert.InDeltaSlice(t, make([]float64, 5), passing, 1e-15)
	}
}

// Evaluate and LongRun give a policy with several classes the same bias, less that of state 0, even if state 0
// is in no class.
func TestRelativeValuesAreTheBias(t *testing.T) {
	var b mdp.TableBuilder
	for s, row := range [][]float64{{0, 0.5, 0.25, 0, 0.25, 0}, {0, 0.5, 0, 0.5, 0, 0}, {0, 0, 0.125, 0, 0.875, 0}, {0, 0.25, 0, 0.75, 0, 0}, {0, 0, 1, 0, 0, 0}, {0.5, 0, 0, 0.25, 0.25, 0}} {
		b.AddState()
		b.AddAction([]float64{7, -3, 10, 4, 2, 5}[s])
		for next, p := range row {
			if p > 0 {
				b.AddTransition(next, p)
			}
		}
	}
	table, err := b.Build()
	require.NoError(t, err)
	policy := mdp.Policy{Actions: make([]int32, table.NumStates())}
	want, err := mdp.LongRun(context.Background(), table, policy)
	require.NoError(t, err)
	require.Len(t, want.Classes, 2)
	for _, criterion := range []mdp.LongRunAverage{{}, {Sense: mdp.Maximize}} {
		found, err := mdp.Evaluate(context.Background(), table, policy, criterion, mdp.Settings{})
		require.NoError(t, err)
		for s, x := range want.Bias {
			assert.InDelta(t, x-want.Bias[0], found.Bias[s], 1e-12, "state %d", s) // rounding of numbers up to 10
		}
	}
}
