package mdp_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// requireProved checks the inequalities of a total's proof in fractions.
func requireProved(t *testing.T, table *mdp.Table, goal int32, result *mdp.Result) {
	t.Helper()
	at := func(v mdp.Vector, s int32) *big.Rat {
		x := new(big.Rat).SetFloat64(v.High[s])
		return x.Add(x, new(big.Rat).SetFloat64(v.Low[s]))
	}
	proof := result.Proof()
	for s := range int32(table.NumStates()) {
		if s == goal {
			continue
		}
		for a := range table.NumActions(int(s)) {
			row, cost := table.AppendRow(nil, int(s), a)
			below, above := new(big.Rat).SetFloat64(cost), new(big.Rat).SetFloat64(cost)
			for _, e := range row {
				p := new(big.Rat).SetFloat64(e.Probability)
				below.Add(below, new(big.Rat).Mul(p, at(proof.Lower.Value, e.State)))
				above.Add(above, new(big.Rat).Mul(p, at(proof.Upper.Value, e.State)))
			}
			require.LessOrEqual(t, at(proof.Lower.Value, s).Cmp(below), 0, "state %d, action %d", s, a)
			if int(result.Policy[s]) == a {
				require.GreaterOrEqual(t, at(proof.Upper.Value, s).Cmp(above), 0, "state %d", s)
			}
		}
	}
}

// Ticks between coins: from each place, one of two actions leads through a sequence of forced moves, longer
// than those that are left out at once, to the next place or back to the first. Costs of ticks may be
// negligible beside those of the places. The values are those of the places alone, plus the ticks.
func TestForcedMoves(t *testing.T) {
	const seed, places, ticks = 1, 5, 1500
	random := rand.New(rand.NewPCG(seed, 0))
	for _, tick := range []float64{1, 0.125, 0, 0x1p-70} {
		var costs []float64
		table := buildTable(t, func(b *mdp.TableBuilder) {
			b.AddState() // the goal
			b.AddAction(0)
			b.AddTransition(0, 1)
			for place := range places {
				first := 1 + place*(1+2*ticks)
				next := 0
				if place > 0 {
					next = first - (1 + 2*ticks)
				}
				b.AddState()
				for action := range 2 {
					b.AddAction(0)
					b.AddTransition(first+1+action*ticks, 0.75)
					b.AddTransition(first, 0.25)
					costs = append(costs, 1+random.Float64())
					b.AddCost(costs[len(costs)-1])
				}
				for action := range 2 {
					for i := range ticks {
						to := first + 1 + action*ticks + i + 1
						if i == ticks-1 {
							to = next
						}
						b.AddState()
						b.AddAction(0)
						b.AddTransition(to, 1)
						b.AddCost(tick)
					}
				}
			}
		})
		result, err := mdp.Solve(context.Background(), table, mdp.TotalCost{Target: []int32{0}}, mdp.Settings{})
		require.NoError(t, err)
		requireProved(t, table, 0, result)
		want := 0.0
		for place := range places {
			want += math.Min(costs[2*place], costs[2*place+1])/0.75 + ticks*tick
			assert.InEpsilon(t, want, result.Optimum(1+place*(1+2*ticks)), 1e-9)
		}
		assert.InDelta(t, ticks*tick, result.Optimum(2), 1e-9*ticks*tick)
	}
}
