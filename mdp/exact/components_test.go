package exact_test

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// Totals until a goal, and probabilities to reach it, of models of many strongly connected components,
// most of them small enough for elimination in a dense matrix.

// componentsModel is a model whose first state is the goal, in fractions of powers of 2, which are float64
// numbers. The second state is a trap. Others lead around in their component, to components before it, or
// nowhere; choices may be tied. From a share of the states, a move is forced. Costs are of one sign if isPlain.
func componentsModel(random *rand.Rand) (a exact.Arrays, isPlain bool) {
	a = exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}}
	style, most, choices, traps := random.IntN(5), 1+random.IntN(30), 1+random.IntN(3), random.IntN(2)
	forced := []int{0, 5, 9}[random.IntN(3)]
	endChoice := func(weights map[int32]int64, cost int64) {
		for _, j := range slices.Sorted(maps.Keys(weights)) {
			a.Columns, a.Probabilities = append(a.Columns, j), append(a.Probabilities, big.NewRat(weights[j], 64))
		}
		a.Costs, a.RowStart = append(a.Costs, big.NewRat(cost, 8)), append(a.RowStart, int32(len(a.Columns)))
	}
	endState := func() { a.StateStart = append(a.StateStart, int32(len(a.Costs))) }
	for s := range int32(2) {
		endChoice(map[int32]int64{s: 64}, 0)
		endState()
	}
	for first := 2; first < 70; {
		last := first + 1 + random.IntN(most)
		if random.IntN(20) == 0 {
			last += 70
		}
		for s := first; s < last; s++ {
			actions, branches := 1+random.IntN(choices), 4
			if random.IntN(10) < forced {
				actions, branches = 1, 1
			}
			for range actions {
				weights := map[int32]int64{}
				for range branches {
					to := first + random.IntN(last-first)
					switch random.IntN(6) {
					case 0:
						to = first + (s+1-first)%(last-first)
					case 1:
						if to = random.IntN(first); to == 1 && traps == 0 {
							to = 0
						}
					}
					weights[int32(to)] += int64(64 / branches)
				}
				cost := int64(0)
				switch style {
				case 0:
					cost = 8
				case 1:
					cost = int64(random.IntN(20))
				case 2: // none, but where it leaves
					if slices.Min(slices.Collect(maps.Keys(weights))) < int32(first) {
						cost = int64(random.IntN(3))
					}
				case 3: // one for every path
					if len(weights) == 1 && weights[0] > 0 {
						cost = 8
					}
				case 4:
					cost = int64(random.IntN(20) - 2)
				}
				endChoice(weights, cost)
			}
			endState()
		}
		first = last
	}
	return a, style < 4
}

func TestComponents(t *testing.T) {
	statuses := map[string]int{}
	trials(t, 100, func(t *testing.T, random *rand.Rand) {
		arrays, isPlain := componentsModel(random)
		model, err := exact.NewModel(arrays)
		require.NoError(t, err)
		reaching := arrays
		reaching.Costs = make([]*big.Rat, len(arrays.Costs))
		for k := range reaching.Costs {
			reaching.Costs[k] = big.NewRat(int64(1-min(k, 1)), 1)
		}
		reached, err := exact.NewModel(reaching)
		require.NoError(t, err)
		tolerance := []float64{1e-3, 1e-6, 1e-9}[random.IntN(3)]
		for _, sense := range senses {
			for _, c := range []struct {
				criterion mdp.Criterion
				arrays    exact.Arrays
				model     *exact.Model
				exactly   func(m *exact.Model) (*exact.Answer, error)
			}{
				{mdp.TotalCost{Target: []int32{0}, Sense: sense}, arrays, model, func(m *exact.Model) (*exact.Answer, error) {
					return m.Total(context.Background(), sense, []int32{0})
				}},
				{mdp.LongRunAverage{Sense: sense, GainOnly: true}, reaching, reached, func(m *exact.Model) (*exact.Answer, error) {
					return m.Average(context.Background(), sense)
				}},
			} {
				label := fmt.Sprintf("%T, %v", c.criterion, sense)
				result, err := mdp.Solve(context.Background(), tableOf(t, c.arrays), c.criterion, mdp.Settings{Tolerance: tolerance})
				require.NotNil(t, result, "%s: %v", label, err)
				statuses[fmt.Sprintf("%s: %v", label, result.Status)]++
				if _, isTotal := c.criterion.(mdp.TotalCost); isPlain || !isTotal {
					require.Equal(t, mdp.Converged, result.Status, label)
				}
				assertEnclosed(t, label, sense, result, c.model, c.exactly)
			}
		}
	})
	for _, key := range slices.Sorted(maps.Keys(statuses)) {
		t.Log(key, statuses[key])
	}
}
