package mdp_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A birth-death chain goes up with probability p(i) and down with q(i), so that
// π(i+1)/π(i) = p(i)/q(i+1). Each ratio is exact to a few roundings however
// small the shares themselves are.
func TestBirthDeathChainsKeepTheirDigits(t *testing.T) {
	falling := func(int) (up, down float64) { return 0.25, 0.5 }
	rising := func(int) (up, down float64) { return 0.5, 0.25 }
	// So slow that a walk from one end does not find the other.
	creeping := func(int) (up, down float64) { return 0.5, 0.4921875 }
	// The middle is rarely visited: the ends are two wells.
	wells := func(i int) (up, down float64) {
		if i < 100 {
			return 0.25, 0.5
		}
		return 0.5, 0.25
	}
	// Up and down alike, so that π is uniform and values are of the order n².
	flat := func(int) (up, down float64) { return 0.5, 0.5 }
	for _, test := range []struct {
		name   string
		states int
		rates  func(int) (up, down float64)
	}{
		{"falling", 100_000, falling},
		{"rising", 100_000, rising},
		{"creeping", 100_000, creeping},
		{"wells", 200, wells},
		{"flat", 100_000, flat},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() {
				test.states = min(test.states, 20_000)
			}
			table := birthDeath(t, test.states, test.rates)
			evaluation, err := mdp.LongRun(context.Background(), table, mdp.Policy{Actions: make([]int32, test.states)})
			require.NoError(t, err)
			require.Len(t, evaluation.Classes, 1)
			share := evaluation.Classes[0].Stationary
			compared, smallest := 0, 1.0
			for i := 1; i < test.states; i++ {
				if min(share[i-1], share[i]) < 1e-290 { // next to underflow
					continue
				}
				up, _ := test.rates(i - 1)
				_, down := test.rates(i)
				require.InEpsilon(t, up/down, share[i]/share[i-1], 1e-13, "states %d and %d", i-1, i)
				compared++
				smallest = min(smallest, share[i])
			}
			sum := 0.0
			for _, x := range share {
				sum += x
			}
			assert.InEpsilon(t, 1, sum, 0x1p-52*float64(test.states)) // of adding them up
			assert.Greater(t, compared, min(test.states-2, 900))
			t.Logf("%d shares compared, down to %.3g", compared, smallest)
		})
	}
}

// With ρ = 1/2 the last of 801 states has π = ρ^800·(1 − ρ)/(1 − ρ^801), which
// is 7e-242. A cost only there is the gain.
func TestGainFarInTheTail(t *testing.T) {
	const n = 801
	table := birthDeath(t, n, func(int) (up, down float64) { return 0.25, 0.5 })
	arrays := tableArrays(table)
	arrays.Costs[n-1] = 1
	table, err := mdp.NewTable(arrays)
	require.NoError(t, err)
	evaluation, err := mdp.LongRun(context.Background(), table, mdp.Policy{Actions: make([]int32, n)})
	require.NoError(t, err)
	assert.InEpsilon(t, math.Ldexp(0.5, -(n-1)), evaluation.Gain[0], 1e-13)
}

// birthDeath returns the chain on 0 … n−1 without costs.
func birthDeath(t *testing.T, n int, rates func(i int) (up, down float64)) *mdp.Table {
	t.Helper()
	return buildTable(t, func(b *mdp.TableBuilder) {
		for i := range n {
			b.AddState()
			b.AddAction(0)
			up, down := rates(i)
			stay := 1 - up - down
			if i == 0 {
				stay, down = stay+down, 0
			}
			if i == n-1 {
				stay, up = stay+up, 0
			}
			b.AddTransition(max(i-1, 0), down)
			b.AddTransition(i, stay)
			b.AddTransition(i+1, up)
		}
	})
}

// tableArrays returns a copy of the arrays of a table.
func tableArrays(table *mdp.Table) mdp.TableArrays {
	a := mdp.TableArrays{StateStart: []int32{0}, RowStart: []int32{0}, Rate: table.Rate()}
	for s := range table.NumStates() {
		for action := range table.NumActions(s) {
			row, cost := table.AppendRow(nil, s, action)
			for _, e := range row {
				a.Columns = append(a.Columns, e.State)
				a.Probabilities = append(a.Probabilities, e.Probability)
			}
			a.Costs = append(a.Costs, cost)
			a.RowStart = append(a.RowStart, int32(len(a.Columns)))
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	return a
}
