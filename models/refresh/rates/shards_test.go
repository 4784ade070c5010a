package rates_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/queue"
)

// asking returns what puts questions to shards, here one after the other, in an order that
// changes, through the encoding in which they travel.
func asking(t *testing.T, p *rates.Sharded, shards []refresh.Pages, found [][]float64) func(*rates.Question) (*rates.Answer, error) {
	r := rand.New(rand.NewPCG(3, 3))
	return func(q *rates.Question) (*rates.Answer, error) {
		all := &rates.Answer{}
		for _, i := range r.Perm(len(shards)) {
			a, err := p.Answer(travel(t, q), shards[i], found[i], 1+r.IntN(2))
			if err != nil {
				return nil, err
			}
			all.Merge(travel(t, a))
		}
		return all, nil
	}
}

// wireSize returns how many bytes a value takes on its way.
func wireSize(t *testing.T, value any) int {
	t.Helper()
	var wire bytes.Buffer
	require.NoError(t, gob.NewEncoder(&wire).Encode(value))
	return wire.Len()
}

// travel encodes and decodes a value.
func travel[T any](t *testing.T, value *T) *T {
	t.Helper()
	var wire bytes.Buffer
	require.NoError(t, gob.NewEncoder(&wire).Encode(value))
	again := new(T)
	require.NoError(t, gob.NewDecoder(&wire).Decode(again))
	return again
}

// Shards of any number and size agree with a solve of all pages in memory: multipliers and
// values to 1e-12, rates to 1e-9 of themselves or the mean rate.
func TestShardsAgreeWithMemory(t *testing.T) {
	const seed = 21
	t.Logf("seed %d", seed)
	law, err := queue.ParseLaw("erlang:2", 1e-3, nil)
	require.NoError(t, err)
	for round := range 2 {
		for _, n := range []int{7, 2000, 30_000} {
			r := rand.New(rand.NewPCG(seed, uint64(n+round)))
			for _, name := range []string{"fixed-order", "random", "discrete", "age", "coffman"} {
				objective, err := refresh.ParseObjective(name, law)
				require.NoError(t, err)
				p := refresh.Problem{
					Pages:     refresh.Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)},
					Objective: objective, Bandwidth: float64(n) / 8 * (0.5 + r.Float64()),
				}
				for i := range n {
					p.Pages.ChangeRates[i], p.Pages.Weights[i] = r.Float64(), r.ExpFloat64()
				}
				q := rates.Sharded{Objective: name, Bandwidth: p.Bandwidth}
				if name == "coffman" {
					q.AccessTime, q.AccessMean = "erlang:2", 1e-3
				}
				want, err := rates.Optimize(context.Background(), p, rates.Settings{})
				require.NoError(t, err)
				for _, count := range []int{1, 2, 9} {
					shards, found, pageOf := deal(r, p, count)
					got, err := q.Optimize(context.Background(), asking(t, &q, shards, found))
					require.NoError(t, err)
					for s := range shards {
						for i, page := range pageOf[s] {
							require.InDelta(t, want.Rates[page], found[s][i], 1e-9*max(want.Rates[page], p.Bandwidth/float64(n)), "%s, %d pages in %d shards, round %d", name, n, count, round)
						}
					}
					require.InEpsilon(t, want.Value, got.Value, 1e-12)
					require.InEpsilon(t, want.Bound, got.Bound, 1e-12)
					require.InEpsilon(t, want.Used, got.Used, 1e-12)
					require.LessOrEqual(t, got.Residual, 1e-12)
					if want.Multiplier != got.Multiplier { // both may be 0
						require.InEpsilon(t, want.Multiplier, got.Multiplier, 1e-12, "%s, %d pages in %d shards, round %d", name, n, count, round)
					}
					require.InDelta(t, want.Active, got.Active, 1) // a page with next to no rate
				}
			}
		}
	}
}

// Shards answer in a few kilobytes, and after few questions, also where the multiplier is
// on a jump of the demand, as it is here. So close to it rounding bends the demand of every
// page, as if all were steep.
func TestAnswersAreShort(t *testing.T) {
	const n, count, share = 200_000, 100, 0.1
	r := rand.New(rand.NewPCG(10, 0))
	p := refresh.Problem{
		Pages:     refresh.Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)},
		Objective: refresh.FixedOrder{}, Bandwidth: share * n,
	}
	for i := range n {
		p.Pages.ChangeRates[i], p.Pages.Weights[i] = r.Float64(), r.ExpFloat64()
	}
	want, err := rates.Optimize(t.Context(), p, rates.Settings{})
	require.NoError(t, err)
	q := rates.Sharded{Objective: "fixed-order", Bandwidth: p.Bandwidth}
	shards, found, pageOf := deal(r, p, count)
	all := asking(t, &q, shards, found)
	questions := 0
	got, err := q.Optimize(t.Context(), func(question *rates.Question) (*rates.Answer, error) {
		questions++
		answer, err := all(question)
		if err == nil && !question.First() { // which answers with a sample
			require.Less(t, wireSize(t, answer), 200<<10, "question %d", questions)
		}
		return answer, err
	})
	require.NoError(t, err)
	require.LessOrEqual(t, questions, 5)
	require.InEpsilon(t, want.Value, got.Value, 1e-12)
	for s := range shards {
		for i, page := range pageOf[s] {
			require.InDelta(t, want.Rates[page], found[s][i], 1e-9*max(want.Rates[page], share))
		}
	}
}

// Many shards share a sample of bounded size.
func TestSampleIsShared(t *testing.T) {
	const n = 300_000
	pages := refresh.Pages{ChangeRates: make([]float64, n)}
	for i := range n {
		pages.ChangeRates[i] = 1 + float64(i)
	}
	for shards, want := range map[int]int{0: n / 64, 100: n / 64, 1 << 14: 256, 1 << 30: 1} {
		p := rates.Sharded{Objective: "random", Bandwidth: 300, Shards: shards}
		a, err := p.Answer(&rates.Question{}, pages, nil, 1)
		require.NoError(t, err)
		require.Len(t, a.Sample.ChangeRates, want, "%d shards", shards)
	}
}

// deal deals the pages to shards, one of them perhaps empty.
func deal(r *rand.Rand, p refresh.Problem, count int) (shards []refresh.Pages, found [][]float64, pageOf [][]int) {
	pageOf = make([][]int, count)
	for page := range p.Pages.Len() {
		s := min(r.IntN(count+1), count-1)
		pageOf[s] = append(pageOf[s], page)
	}
	for _, pages := range pageOf {
		s := refresh.Pages{}
		for _, page := range pages {
			s.ChangeRates = append(s.ChangeRates, p.Pages.ChangeRates[page])
			s.Weights = append(s.Weights, p.Pages.Weights[page])
		}
		shards = append(shards, s)
		found = append(found, make([]float64, len(pages)))
	}
	return shards, found, pageOf
}

func TestErrors(t *testing.T) {
	pages := refresh.Pages{ChangeRates: []float64{1, 2}}
	ask := func(p rates.Sharded) error {
		_, err := p.Optimize(context.Background(), asking(t, &p, []refresh.Pages{pages}, [][]float64{make([]float64, 2)}))
		return err
	}
	assert.ErrorContains(t, ask(rates.Sharded{Objective: "random"}), "Bandwidth")
	assert.ErrorContains(t, ask(rates.Sharded{Objective: "best", Bandwidth: 1}), "objective")
	assert.ErrorContains(t, ask(rates.Sharded{Objective: "discrete", Bandwidth: 3}), "ChangeRates[1]")

	// What fails in any pass ends the solve: the last is the fourth.
	for after := range 4 {
		r := rand.New(rand.NewPCG(1, 1))
		many := refresh.Pages{ChangeRates: make([]float64, 20_000)}
		for i := range many.ChangeRates {
			many.ChangeRates[i] = r.Float64()
		}
		p := rates.Sharded{Objective: "random", Bandwidth: 2000}
		all := asking(t, &p, []refresh.Pages{many}, [][]float64{make([]float64, 20_000)})
		asked := 0
		_, err := p.Optimize(context.Background(), func(q *rates.Question) (*rates.Answer, error) {
			if asked++; asked > after {
				return nil, errors.New("the line is dead")
			}
			return all(q)
		})
		assert.EqualError(t, err, "the line is dead")
		assert.Equal(t, after+1, asked)
	}
}

func ExampleSharded_Optimize() {
	shards := []refresh.Pages{
		{ChangeRates: []float64{1, 2, 3}},
		{ChangeRates: []float64{4, 5}},
	}
	found := [][]float64{make([]float64, 3), make([]float64, 2)}
	p := rates.Sharded{Objective: "fixed-order", Bandwidth: 5}
	s, err := p.Optimize(context.Background(), func(q *rates.Question) (*rates.Answer, error) {
		all := &rates.Answer{}
		for i, pages := range shards { // on as many machines as there are
			a, err := p.Answer(q, pages, found[i], 1)
			if err != nil {
				return nil, err
			}
			all.Merge(a)
		}
		return all, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n%.6f\n", found, s.Value)
	// Output:
	// [[1.1499 1.3584 1.3538] [1.1379 0.0000]]
	// 1.869443
}
