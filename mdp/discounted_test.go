package mdp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// bestDiscounted returns the least discounted cost from each state over all
// policies, each evaluated by a dense solve.
func bestDiscounted(t *testing.T, model *Table, discount float64) []float64 {
	t.Helper()
	n := model.NumStates()
	best := make([]float64, n)
	for s := range best {
		best[s] = math.Inf(1)
	}
	policy := make([]int32, n)
	for more := true; more; {
		a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		for s := range n {
			row, cost := model.AppendRow(nil, s, int(policy[s]))
			b.SetVec(s, cost)
			a.Set(s, s, 1)
			for _, e := range row {
				a.Set(s, int(e.State), a.At(s, int(e.State))-discount*e.Probability)
			}
		}
		var v mat.VecDense
		require.NoError(t, v.SolveVec(a, b))
		for s := range best {
			best[s] = min(best[s], v.AtVec(s))
		}
		more = false
		for s := range policy {
			if policy[s]++; int(policy[s]) < model.NumActions(s) {
				more = true
				break
			}
			policy[s] = 0
		}
	}
	return best
}

func randomTable(t *testing.T, random *rand.Rand, n int) *Table {
	t.Helper()
	var b TableBuilder
	for range n {
		b.AddState()
		for range 1 + random.IntN(3) {
			next := random.Perm(n)[:1+random.IntN(min(n, 4))]
			weights, sum := make([]float64, len(next)), 0.0
			for i := range weights {
				weights[i] = random.ExpFloat64()
				sum += weights[i]
			}
			b.AddAction(random.NormFloat64() * 10)
			for i, j := range next {
				b.AddTransition(j, weights[i]/sum)
			}
		}
	}
	table, err := b.Build()
	require.NoError(t, err)
	return table
}

// bare hides all interfaces of a model but Model.
type bare struct{ Model }

func TestDiscountedAgainstEveryPolicy(t *testing.T) {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, 0))
	for trial := range 60 {
		model := randomTable(t, random, 1+random.IntN(6))
		for _, discount := range []float64{0.1, 0.9, 0.9999} {
			exact := bestDiscounted(t, model, discount)
			for _, test := range []struct {
				model  Model
				method Method
			}{{model, 0}, {model, ValueIteration}, {model, ModifiedPolicyIteration}, {bare{model}, 0}} {
				place := fmt.Sprintf("seed %d, trial %d, discount %v, %v on %T", seed, trial, discount, test.method, test.model)
				r, err := Solve(context.Background(), test.model, Discounted{Discount: discount}, Settings{Method: test.method, Tolerance: 1e-8})
				require.NoError(t, err, place)
				scale := 0.0
				for _, x := range exact {
					scale = max(scale, math.Abs(x))
				}
				for s, x := range exact {
					lower, upper := r.Bounds(s)
					// The dense solve errs by some n·2⁻⁵³/(1−β) of the largest value.
					slack := scale * 1e-14 / (1 - discount)
					assert.LessOrEqual(t, lower, x+slack, place)
					assert.GreaterOrEqual(t, upper, x-slack, place)
					assert.InDelta(t, x, r.Value[s], scale*1e-8+slack, place)
					assert.LessOrEqual(t, upper-lower, 2.1e-8*scale+slack, place)
				}
			}
		}
	}
}

func TestDiscountedEndsHonestly(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	model := randomTable(t, random, 20)
	exact, err := Solve(context.Background(), model, Discounted{Discount: 0.999}, Settings{Tolerance: 1e-12})
	require.NoError(t, err)
	check := func(r *Result, status Status) {
		require.NotNil(t, r)
		assert.Equal(t, status, r.Status)
		for s, x := range exact.Value {
			lower, upper := r.Bounds(s)
			assert.True(t, lower <= x+1e-9 && x-1e-9 <= upper, "%v not in [%v, %v]", x, lower, upper)
		}
	}
	r, err := Solve(context.Background(), model, Discounted{Discount: 0.999}, Settings{MaxIterations: 2})
	require.ErrorIs(t, err, ErrIterationLimit)
	check(r, IterationLimit)
	ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	r, err = Solve(ctx, model, Discounted{Discount: 0.999}, Settings{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	check(r, Interrupted)
	r, err = Solve(context.Background(), model, Discounted{Discount: 0.999}, Settings{Tolerance: 1e-30})
	require.ErrorIs(t, err, ErrPrecisionLimit)
	check(r, PrecisionLimit)
	assert.Less(t, r.Upper-r.Lower, 1e-11*math.Abs(r.Upper))

	// A start at the answer needs one round.
	r, err = Solve(context.Background(), model, Discounted{Discount: 0.999}, Settings{Values: exact.Value, Method: ValueIteration})
	require.NoError(t, err)
	assert.Equal(t, 1, r.Iterations)
}

func TestDiscountedRefuses(t *testing.T) {
	model := randomTable(t, rand.New(rand.NewPCG(3, 0)), 2)
	for _, discount := range []float64{1, -1, math.NaN(), math.Inf(1)} {
		_, err := Solve(context.Background(), model, Discounted{Discount: discount}, Settings{})
		require.ErrorContains(t, err, "Discount")
	}
	_, err := Solve(context.Background(), model, Discounted{Discount: 0.5}, Settings{Method: RelativeValueIteration})
	require.ErrorIs(t, err, ErrUnsupported)
	_, err = Solve(context.Background(), bare{model}, Discounted{Discount: 0.5}, Settings{Method: PolicyIteration})
	require.ErrorIs(t, err, ErrUnsupported)
	_, err = Solve(context.Background(), model, LongRunAverage{}, Settings{Method: ValueIteration})
	require.ErrorIs(t, err, ErrUnsupported)
	_, err = Solve(context.Background(), bare{model}, Discounted{Discount: 0.5}, Settings{Method: ModifiedPolicyIteration})
	require.ErrorIs(t, err, ErrUnsupported)
}

// ExampleDiscounted sells a house: offers of 1, 2 or 3 come one a day, and a
// day's wait discounts by 0.9.
func ExampleDiscounted() {
	const sold = 0
	problem := Problem[int, string]{
		Start: []int{1, 2, 3, sold}, // the offer on the table
		Actions: func(dst []string, offer int) []string {
			if offer == sold {
				return append(dst, "rest")
			}
			return append(dst, "sell", "wait")
		},
		Cost: func(offer int, action string) float64 {
			if action == "sell" {
				return -float64(offer)
			}
			return 0
		},
		Next: func(dst []Outcome[int], _ int, action string) []Outcome[int] {
			if action != "wait" {
				return append(dst, Outcome[int]{sold, 1})
			}
			return append(dst, Outcome[int]{1, 1. / 3}, Outcome[int]{2, 1. / 3}, Outcome[int]{3, 1. / 3})
		},
	}
	model, err := problem.Compile(context.Background())
	if err != nil {
		panic(err)
	}
	result, err := Solve(context.Background(), model, Discounted{Discount: 0.9}, Settings{})
	if err != nil {
		panic(err)
	}
	for s := range 3 {
		fmt.Printf("offer %d: %s, worth %.4f\n", model.State(s), model.Action(s, int(result.Policy[s])), -result.Value[s])
	}
	fmt.Println(result.Status)
	// Output:
	// offer 1: wait, worth 2.2500
	// offer 2: wait, worth 2.2500
	// offer 3: sell, worth 3.0000
	// converged
}
