package modelfile_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// TestUniformizationIsExact compares the arrays of random CTMCs with the rates
// themselves: off the diagonal, probability times rate is the rate in the file.
func TestUniformizationIsExact(t *testing.T) {
	const seed = 7
	for i := range 300 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		m := randomModel(random, i%2 == 0)
		if m.Kind != modelfile.CTMC {
			continue
		}
		m.Rewards = nil
		arrays, err := m.TableArrays("")
		require.NoError(t, err)
		fraction, _ := math.Frexp(arrays.Rate)
		require.Equal(t, 0.5, fraction, "a power of two")
		largest := new(big.Rat)
		for s := range m.NumStates() {
			rates := make(map[int32]float64)
			leaving := new(big.Rat)
			for e := m.RowStart[s]; e < m.RowStart[s+1]; e++ {
				if j := m.Columns[e]; int(j) != s {
					rates[j] = m.Values.Float[e]
					leaving.Add(leaving, new(big.Rat).SetFloat64(rates[j]))
				}
			}
			if leaving.Cmp(largest) > 0 {
				largest = leaving
			}
			stay := 0.0
			for e := arrays.RowStart[s]; e < arrays.RowStart[s+1]; e++ {
				if j := arrays.Columns[e]; int(j) == s {
					stay = arrays.Probabilities[e]
				} else {
					require.Equal(t, rates[j], arrays.Probabilities[e]*arrays.Rate, "seed %d, model %d", seed, i)
					delete(rates, j)
				}
			}
			require.Empty(t, rates)
			share := new(big.Rat).Quo(leaving, new(big.Rat).SetFloat64(arrays.Rate))
			want, _ := share.Sub(big.NewRat(1, 1), share).Float64()
			require.InDelta(t, want, stay, 0x1p-53)
		}
		if largest.Sign() > 0 {
			rate := new(big.Rat).SetFloat64(arrays.Rate)
			assert.LessOrEqual(t, largest.Cmp(rate), 0)
			assert.Positive(t, largest.Add(largest, largest).Cmp(rate))
		}
		table, err := mdp.NewTable(arrays)
		require.NoError(t, err)
		assert.Equal(t, m.NumStates(), table.NumStates())
	}
}

// TestContinuousTime solves a queue with lost arrivals declared by rates in two
// ways, and by its stationary distribution.
func TestContinuousTime(t *testing.T) {
	const arrival, service, holding, lump = 0.7, 1.1, 2.0, 5.0
	const capacity = 6
	// The impulse is earned by every jump in the file: arrivals, the lost ones
	// too, and departures.
	var text strings.Builder
	text.WriteString("@type: CTMC\n@reward_models\ncost\n@nr_states\n7\n@model\n")
	for i := range capacity + 1 {
		writeState(&text, i, capacity)
	}
	m, err := modelfile.ReadDRN(strings.NewReader(text.String()), "queue.drn", modelfile.Options{})
	require.NoError(t, err)
	rewards, err := m.ExpectedRewards("cost")
	require.NoError(t, err)
	require.InEpsilon(t, holding*3+lump*(arrival+service), rewards.Float[3], 1e-15)

	b := mdp.TableBuilder{Rate: arrival + service}
	for range capacity + 1 {
		i := b.AddState()
		b.AddAction(holding * float64(i))
		b.AddTransition(min(i+1, capacity), arrival/b.Rate)
		b.AddTransition(max(i-1, 0), service/b.Rate)
		b.AddCost(lump * arrival)
		if i > 0 {
			b.AddCost(lump * service)
		}
	}
	declared, err := b.Build()
	require.NoError(t, err)
	byRates, err := mdp.Solve(context.Background(), declared, mdp.LongRunAverage{}, mdp.Settings{Tolerance: 1e-12})
	require.NoError(t, err)

	// p(i) ∝ ρ^i.
	rho, sum, mean, power := arrival/service, 0.0, 0.0, 1.0
	for i := range capacity + 1 {
		sum, mean, power = sum+power, mean+float64(i)*power, power*rho
	}
	closed := holding*mean/sum + lump*(arrival+service*(1-1/sum))
	assert.InEpsilon(t, closed, byRates.Gain, 1e-11)
	assert.InEpsilon(t, closed, average(t, m, ""), 1e-11)
}

// writeState writes state i of the queue.
func writeState(text *strings.Builder, i, capacity int) {
	fmt.Fprintf(text, "state %d [%d]\n\taction 0 [5]\n\t\t%d : 0.7\n", i, 2*i, min(i+1, capacity))
	if i > 0 {
		fmt.Fprintf(text, "\t\t%d : 1.1\n", i-1)
	}
}

func TestAbsorbingStates(t *testing.T) {
	for _, line := range []string{"state 1 !0\n\taction 0\n", "state 1\n"} {
		m, err := modelfile.ReadDRN(strings.NewReader("@type: CTMC\n@nr_states\n2\n@model\nstate 0\n\taction 0\n\t\t1 : 3\n"+line), "m.drn", modelfile.Options{})
		require.NoError(t, err)
		arrays, err := m.TableArrays("")
		require.NoError(t, err)
		assert.Equal(t, 4.0, arrays.Rate)
		assert.Equal(t, []int32{0, 2, 3}, arrays.RowStart)
		assert.Equal(t, []int32{0, 1, 1}, arrays.Columns)
		assert.Equal(t, []float64{0.25, 0.75, 1}, arrays.Probabilities)
	}
	m, err := modelfile.ReadDRN(strings.NewReader("@type: CTMC\n@nr_states\n1\n@model\nstate 0\n"), "m.drn", modelfile.Options{Exact: true})
	require.NoError(t, err)
	require.NoError(t, m.Validate())
	arrays, err := m.TableArrays("")
	require.NoError(t, err)
	assert.Equal(t, 1.0, arrays.Rate)
	assert.Equal(t, plain(m), plain(throughDRN(t, m, modelfile.Options{Exact: true})))
}

// TestTableLeavesModelAlone changes the arrays as a caller that maximises does,
// and as NewTable does with rows whose sum is not 1 to rounding.
func TestTableLeavesModelAlone(t *testing.T) {
	const text = "@type: MDP\n@reward_models\nr\n@nr_states\n2\n@model\nstate 0\n\taction 0 [1]\n\t\t0 : 0.3333333333\n\t\t1 : 0.6666666666\nstate 1\n\taction 0\n\t\t1 : 1\n"
	m, err := modelfile.ReadDRN(strings.NewReader(text), "m.drn", modelfile.Options{})
	require.NoError(t, err)
	arrays, err := m.TableArrays("r")
	require.NoError(t, err)
	arrays.Costs[0] = -1
	table, err := mdp.NewTable(arrays)
	require.NoError(t, err)
	row, _ := table.AppendRow(nil, 0, 0)
	assert.Equal(t, 0.3333333333/0.9999999999, row[0].Probability)
	assert.Equal(t, 0.3333333333, m.Values.Float[0])
	assert.Equal(t, 1.0, m.Rewards[0].Action.Float[0])
}

// TestFoldingKeepsExpectations compares expected rewards before and after.
func TestFoldingKeepsExpectations(t *testing.T) {
	const seed = 11
	for i := range 200 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		exact := i%2 == 0
		m := randomModel(random, exact)
		m.Rewards = []modelfile.RewardModel{{
			Name:       "r",
			State:      numbers(rationals(random, m.NumStates()), exact),
			Transition: numbers(rationals(random, m.NumTransitions()), exact),
		}}
		require.NoError(t, m.Validate())
		before, err := m.ExpectedRewards("r")
		require.NoError(t, err)
		m.FoldTransitionRewards()
		require.NoError(t, m.Validate())
		after, err := m.ExpectedRewards("r")
		require.NoError(t, err)
		for k := range before.Float {
			if exact {
				require.Zero(t, before.Exact[k].Cmp(after.Exact[k]), "seed %d, model %d", seed, i)
			}
			// A few roundings of terms of at most 1000.
			require.InDelta(t, before.Float[k], after.Float[k], 1e-9)
		}
	}
}
