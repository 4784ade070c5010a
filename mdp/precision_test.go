package mdp_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// If arithmetic cannot meet a tolerance, it cannot meet a tighter one.
func TestPrecisionLimitIsALimitOfPrecision(t *testing.T) {
	trials(t, 500, func(t *testing.T, random *rand.Rand) {
		table := randomTable(t, random, structure(random.IntN(int(structures))), scale(random.IntN(int(scales))))
		settings := mdp.Settings{Method: mdp.RelativeValueIteration, Tolerance: 1e-12, MaxIterations: 3000}
		for _, model := range []mdp.Model{table, backupOnly{table}} {
			result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, settings)
			if result == nil || result.Status != mdp.PrecisionLimit {
				continue
			}
			tight := settings
			tight.Tolerance = 1e-14
			better, _ := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, tight)
			require.NotNil(t, better)
			clearly := mdp.Settings{Tolerance: settings.Tolerance / 4} // next to the limit, rounding decides
			require.False(t, clearly.Met(better.Lower, better.Upper), "%T: %v, but a tolerance of %g gives bounds %v and %v",
				model, err, tight.Tolerance, better.Lower, better.Upper)
		}
	})
}

// With a discount factor so close to 1 that float64 does not hold the digits of the
// tolerance, methods notice: those that sweep also where bounds would come closer for
// 1/(1−β) sweeps.
func TestPrecisionLimitIsNoticed(t *testing.T) {
	trials(t, 60, func(t *testing.T, random *rand.Rand) {
		table := randomTable(t, random, structure(random.IntN(int(structures))), plain)
		for _, question := range []struct {
			leave, tolerance float64
			iterations       map[mdp.Method]int
		}{
			{1e-4, 1e-13, map[mdp.Method]int{mdp.InexactPolicyIteration: 2000}},
			{1e-6, 1e-12, map[mdp.Method]int{mdp.InexactPolicyIteration: 500}},
			{1e-12, 1e-9, map[mdp.Method]int{
				mdp.InexactPolicyIteration: 500, mdp.ModifiedPolicyIteration: 50_000, mdp.ValueIteration: 50_000,
			}},
		} {
			criterion := mdp.Discounted{Discount: 1 - question.leave}
			exact, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{})
			require.NoError(t, err)
			for method, most := range question.iterations {
				settings := mdp.Settings{Method: method, Tolerance: question.tolerance, MaxIterations: most}
				result, err := mdp.Solve(context.Background(), table, criterion, settings)
				require.NotNil(t, result, "%v", err)
				require.Contains(t, []mdp.Status{mdp.Converged, mdp.PrecisionLimit}, result.Status, "%v, 1−β = %g", method, question.leave)
				for s := range result.Policy {
					lower, upper := result.Bounds(s)
					least, most := exact.Bounds(s)
					require.LessOrEqual(t, lower, most)
					require.GreaterOrEqual(t, upper, least)
				}
			}
		}
	})
}

// Tolerances are relative, however small all values are: costs that are 2⁻⁴⁰ times as large
// give bounds that are, too.
func TestToleranceOfSmallValues(t *testing.T) {
	solve := func(unit float64, criterion mdp.Criterion, method mdp.Method) *mdp.Result {
		random := rand.New(rand.NewPCG(3, 4))
		table := buildTable(t, func(b *mdp.TableBuilder) {
			const n = 20
			for s := range n {
				b.AddState()
				for range 2 {
					b.AddAction(random.Float64() * unit)
					b.AddTransition((s+1)%n, 0.5)
					b.AddTransition(random.IntN(n), 0.5)
				}
			}
		})
		result, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{Method: method, Tolerance: 1e-13})
		require.NoError(t, err, "%v, %T", method, criterion)
		return result
	}
	const small = 0x1p-40
	for method, criterion := range map[mdp.Method]mdp.Criterion{
		mdp.ValueIteration: mdp.Discounted{Discount: 0.99}, mdp.ModifiedPolicyIteration: mdp.Discounted{Discount: 0.99},
		mdp.InexactPolicyIteration: mdp.Discounted{Discount: 0.99}, mdp.RelativeValueIteration: mdp.LongRunAverage{},
	} {
		usual, tiny := solve(1, criterion, method), solve(small, criterion, method)
		require.Equal(t, usual.Iterations, tiny.Iterations, "%v", method)
		for s := range usual.Policy {
			lower, upper := usual.Bounds(s)
			least, most := tiny.Bounds(s)
			require.Equal(t, [2]float64{lower * small, upper * small}, [2]float64{least, most}, "%v", method)
		}
	}
}

// A gambler with s of 1000 stakes up to what reaches 0 or 1000, and wins with probability 0.4. Values are
// from 1e-4 to 1: rounding keeps bounds that are the same for all states too wide for the small ones, however
// often a step is repeated in float64.
func TestSmallValuesTakeFewSteps(t *testing.T) {
	const target = 1000
	var b mdp.TableBuilder
	for s := range target + 1 {
		b.AddState()
		if s == 0 || s == target {
			b.AddAction(0)
			b.AddTransition(s, 1)
			continue
		}
		for stake := 1; stake <= min(s, target-s); stake++ {
			b.AddAction(0)
			b.AddTransition(s-stake, 0.6)
			b.AddTransition(s+stake, 0.4)
			if s+stake == target {
				b.AddCost(0.4)
			}
		}
	}
	model, err := b.Build()
	require.NoError(t, err)
	criterion := mdp.Discounted{Discount: 0.999, Sense: mdp.Maximize}
	result, err := mdp.Solve(context.Background(), model, criterion, mdp.Settings{})
	require.NoError(t, err)
	require.LessOrEqual(t, result.Iterations, 40)
	exact, err := mdp.Solve(context.Background(), model, criterion, mdp.Settings{Method: mdp.PolicyIteration})
	require.NoError(t, err)
	for s := range model.NumStates() {
		require.InDelta(t, exact.Value[s], result.Value[s], 1e-9*exact.Value[s])
	}
}

// Models of 64 states and more, which are solved component by component: each state goes back to state 0, or to its
// neighbour, at extreme costs, probabilities and discounts.
func TestExtremesOfManyComponents(t *testing.T) {
	solve := func(t *testing.T, n int, criterion mdp.Criterion, row func(s int) (cost float64, columns []int32, probabilities []float64)) *mdp.Result {
		arrays := mdp.TableArrays{StateStart: []int32{0}, RowStart: []int32{0}}
		for s := range n {
			cost, columns, probabilities := row(s)
			arrays.Costs, arrays.Columns, arrays.Probabilities = append(arrays.Costs, cost), append(arrays.Columns, columns...), append(arrays.Probabilities, probabilities...)
			arrays.RowStart, arrays.StateStart = append(arrays.RowStart, int32(len(arrays.Columns))), append(arrays.StateStart, int32(s+1))
		}
		table, err := mdp.NewTable(arrays)
		require.NoError(t, err)
		result, _ := mdp.Solve(t.Context(), table, criterion, mdp.Settings{})
		require.NotNil(t, result)
		return result
	}
	back := func(cost, stay, leave float64) func(int) (float64, []int32, []float64) {
		return func(s int) (float64, []int32, []float64) {
			if s == 0 {
				return 0, []int32{0}, []float64{1}
			}
			return cost, []int32{int32(s), 0}, []float64{stay, leave}
		}
	}
	t.Run("a total beyond float64", func(t *testing.T) { // 2⁴⁰·10³⁰⁰, or its negative
		for _, cost := range []float64{1e300, -1e300} {
			for _, sense := range []mdp.Sense{mdp.Minimize, mdp.Maximize} {
				result := solve(t, 65, mdp.TotalCost{Target: []int32{0}, Sense: sense}, back(cost, 1-0x1p-40, 0x1p-40))
				lower, upper := result.Bounds(1)
				require.NotEqual(t, mdp.Converged, result.Status)
				require.Less(t, lower, upper)
			}
		}
	})
	t.Run("a discounted probability that loses digits", func(t *testing.T) { // 1 + 1/2 + …
		result := solve(t, 65, mdp.Discounted{Discount: 0.5}, back(1, 1, 0x1p-1022))
		lower, upper := result.Bounds(1)
		require.Equal(t, mdp.Converged, result.Status)
		require.True(t, lower <= 2 && 2 <= upper, "%v to %v", lower, upper)
	})
	t.Run("a discount of 0", func(t *testing.T) { // the first cost
		costs := []float64{1e-320, 1e299}
		result := solve(t, 66, mdp.Discounted{}, func(s int) (float64, []int32, []float64) { return costs[s%2], []int32{int32(s ^ 1)}, []float64{1} })
		require.Equal(t, mdp.Converged, result.Status)
		for s, cost := range costs {
			lower, upper := result.Bounds(s)
			require.True(t, lower <= cost && cost <= upper, "%v to %v", lower, upper)
		}
	})
}
