package exact_test

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// Totals until a goal, and discounted costs, of models large enough for sweeps in the order of the
// distance from the goal.

// goalModel is a model of places on a strip of some rows, with the goal at its end, in fractions of
// powers of 2, which are float64 numbers. Moves slip, walls turn them back, some places are traps,
// there may be a line that no move crosses back, so that two components are swept, and costs may be
// 0 in whole regions, and so on cycles.
func goalModel(t *testing.T, random *rand.Rand) (a exact.Arrays, table *mdp.Table, goals []int32) {
	t.Helper()
	width, length := 1+random.IntN(5), 20+random.IntN(20)
	n := width * length
	a = exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}}
	style, walls, traps, slips := random.IntN(5), random.IntN(4), random.IntN(8), random.IntN(3)
	hasLine := random.IntN(3) == 0
	isWall := make([]bool, n)
	for s := range isWall {
		isWall[s] = s != n-1 && random.IntN(10) < walls
	}
	to := func(s, rows, columns int) int {
		y, x := s%width+rows, s/width+columns
		isBack := hasLine && x == length/2-1 && columns < 0
		if y < 0 || y >= width || x < 0 || x >= length || isWall[x*width+y] || isBack {
			return s
		}
		return x*width + y
	}
	goals = []int32{int32(n - 1)}
	if random.IntN(3) == 0 {
		goals = append(goals, int32(random.IntN(n)))
	}
	for s := range n {
		isFree := s/width%5 < 2 // a region without costs
		for action := range 1 + random.IntN(4) {
			weights := make([]int64, n)
			move := [][2]int{{0, 1}, {1, 0}, {-1, 0}, {0, -1}}[(action+random.IntN(2))%4]
			switch {
			case slices.Contains(goals, int32(s)), random.IntN(100) < traps && action == 0:
				weights[s] = 16
			case slips == 0:
				weights[to(s, move[0], move[1])] = 16
			default:
				weights[to(s, move[0], move[1])] += int64(16 - 4*slips)
				weights[to(s, move[1], move[0])] += int64(2 * slips)
				weights[to(s, -move[1], -move[0])] += int64(2 * slips)
			}
			for j, w := range weights {
				if w > 0 {
					a.Columns = append(a.Columns, int32(j))
					a.Probabilities = append(a.Probabilities, big.NewRat(w, 16))
				}
			}
			cost := int64(0)
			switch style {
			case 0:
				cost = 8
			case 1:
				cost = int64(random.IntN(20))
			case 2: // only where it ends
				if s/width >= length-2 {
					cost = 8
				}
			case 3:
				if !isFree {
					cost = int64(1 + random.IntN(8))
				}
			case 4:
				if cost = int64(random.IntN(20)); random.IntN(40) == 0 {
					cost = -cost
				}
			}
			if slices.Contains(goals, int32(s)) {
				cost = 0
			}
			a.Costs = append(a.Costs, big.NewRat(cost, 8))
			a.RowStart = append(a.RowStart, int32(len(a.Columns)))
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	return a, tableOf(t, a), goals
}

// tableOf returns the table of fractions that are float64 numbers.
func tableOf(t *testing.T, a exact.Arrays) *mdp.Table {
	t.Helper()
	rounded := mdp.TableArrays{StateStart: a.StateStart, RowStart: a.RowStart, Columns: slices.Clone(a.Columns)}
	for _, p := range a.Probabilities {
		x, _ := p.Float64()
		rounded.Probabilities = append(rounded.Probabilities, x)
	}
	for _, c := range a.Costs {
		x, _ := c.Float64()
		rounded.Costs = append(rounded.Costs, x)
	}
	table, err := mdp.NewTable(rounded)
	require.NoError(t, err)
	return table
}

// assertEnclosed checks bounds on the values of a model, and on what the policy achieves, by fractions.
func assertEnclosed(t *testing.T, label string, sense mdp.Sense, result *mdp.Result, model *exact.Model, exactly func(m *exact.Model) (*exact.Answer, error)) {
	t.Helper()
	want, err := exactly(model)
	require.NoError(t, err)
	followed, err := model.Follow(result.Policy)
	require.NoError(t, err)
	achieved, err := exactly(followed)
	require.NoError(t, err)
	for s, value := range want.Values {
		lower, upper := result.Bounds(s)
		least, greatest := value.Bounds()
		assert.True(t, lower <= greatest && upper >= least, "%s: bounds %v … %v of state %d, value %v", label, lower, upper, s, value)
		least, greatest = achieved.Values[s].Bounds()
		if value.Infinity() == 0 {
			assert.True(t, sense == mdp.Minimize && upper >= least || sense == mdp.Maximize && lower <= greatest,
				"%s: bounds %v … %v of state %d, the policy's value %v", label, lower, upper, s, achieved.Values[s])
		}
	}
}

func TestGoals(t *testing.T) {
	statuses := map[string]int{}
	trials(t, 100, func(t *testing.T, random *rand.Rand) {
		arrays, table, goals := goalModel(t, random)
		model, err := exact.NewModel(arrays)
		require.NoError(t, err)
		tolerance := []float64{1e-3, 1e-6, 1e-9}[random.IntN(3)]
		discount := []*big.Rat{big.NewRat(15, 16), big.NewRat(255, 256), big.NewRat(4095, 4096)}[random.IntN(3)]
		beta, _ := discount.Float64()
		for _, sense := range senses {
			for _, c := range []struct {
				criterion mdp.Criterion
				exactly   func(m *exact.Model) (*exact.Answer, error)
			}{
				{mdp.TotalCost{Target: goals, Sense: sense}, func(m *exact.Model) (*exact.Answer, error) { return m.Total(context.Background(), sense, goals) }},
				{mdp.Discounted{Discount: beta, Sense: sense}, func(m *exact.Model) (*exact.Answer, error) {
					return m.Discounted(context.Background(), sense, discount)
				}},
			} {
				label := fmt.Sprintf("%T, %v", c.criterion, sense)
				result, err := mdp.Solve(context.Background(), table, c.criterion, mdp.Settings{Tolerance: tolerance})
				require.NotNil(t, result, "%s: %v", label, err)
				statuses[fmt.Sprintf("%s: %v", label, result.Status)]++
				assertEnclosed(t, label, sense, result, model, c.exactly)
			}
		}
	})
	for _, key := range slices.Sorted(maps.Keys(statuses)) {
		t.Log(key, statuses[key])
	}
}
