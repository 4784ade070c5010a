package rates

// What a solve answers hardly depends on the way it took: on the guess of the multiplier and
// the order of the pages. (The number of workers changes no bit, see
// TestSameBitsAtAnyNumberOfWorkers.)

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/queue"
)

// pagesOfKinds returns pages whose numbers are drawn from laws with light and heavy tails,
// or are few different ones.
func pagesOfKinds(r *rand.Rand, kind, n int) refresh.Pages {
	pages := refresh.Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)}
	for i := range n {
		switch kind {
		case 0:
			pages.ChangeRates[i], pages.Weights[i] = r.Float64(), r.ExpFloat64()
		case 1:
			pages.ChangeRates[i], pages.Weights[i] = math.Exp(3*r.NormFloat64()-10), math.Exp(2*r.NormFloat64())
		default:
			pages.ChangeRates[i], pages.Weights[i] = float64(1+r.IntN(5))/7, float64(1+r.IntN(3))
		}
		pages.ChangeRates[i] = min(pages.ChangeRates[i], 1)
	}
	return pages
}

func TestAnswerHardlyDependsOnThePath(t *testing.T) {
	const seed = 11
	t.Logf("seed %d", seed)
	sizes := []int{5, 100, 3000, 20_000}
	rounds := 3
	if *longRun {
		sizes, rounds = append(sizes, 300_000, 3_000_000), 20
	}
	law := must(queue.NewExponential(1e-3))
	for _, n := range sizes {
		for round := range rounds {
			r := rand.New(rand.NewPCG(seed, uint64(n+round)))
			for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.Random{}, refresh.Discrete{}, refresh.Age{}, refresh.NewCoffman(law)} {
				p := refresh.Problem{Pages: pagesOfKinds(r, round%3, n), Objective: objective, Bandwidth: float64(n) * math.Exp(-3*r.Float64()) / 3}
				if round%5 == 1 {
					p.Hosts, p.HostCaps = make([]int32, n), make([]float64, 1+n/50)
					for i := range p.Hosts {
						p.Hosts[i] = int32(r.IntN(len(p.HostCaps)))
					}
					for h := range p.HostCaps {
						p.HostCaps[h] = 100 * r.ExpFloat64() * p.Bandwidth / float64(n)
					}
				}
				want, err := Optimize(context.Background(), p, Settings{Workers: 1})
				require.NoError(t, err, "%v, %d pages", objective, n)
				for k := range 4 {
					guess := want.Multiplier * (1 + math.Pow(0.01, float64(k))*r.NormFloat64()/10)
					got, err := Optimize(context.Background(), p, Settings{Workers: 2, Multiplier: guess})
					require.NoError(t, err)
					requireSame(t, p, want, got, "%v, %d pages, round %d, guess %v", objective, n, round, guess)
				}
				requireSameInOtherOrder(t, r, p, want)
			}
		}
	}
}

// requireSameInOtherOrder solves the problem with its pages in another order.
func requireSameInOtherOrder(t *testing.T, r *rand.Rand, p refresh.Problem, want *Solution) {
	t.Helper()
	order := r.Perm(p.Pages.Len())
	pick := func(numbers []float64) []float64 {
		if numbers == nil {
			return nil
		}
		picked := make([]float64, len(order))
		for to, from := range order {
			picked[to] = numbers[from]
		}
		return picked
	}
	other := p
	other.Pages = refresh.Pages{ChangeRates: pick(p.Pages.ChangeRates), Weights: pick(p.Pages.Weights)}
	if p.Hosts != nil {
		other.Hosts = make([]int32, len(order))
		for to, from := range order {
			other.Hosts[to] = p.Hosts[from]
		}
	}
	got, err := Optimize(context.Background(), other, Settings{})
	require.NoError(t, err)
	sorted := *want
	sorted.Rates = pick(want.Rates)
	requireSame(t, p, &sorted, got, "%v, %d pages in another order", p.Objective, p.Pages.Len())
}

// requireSame compares two solutions of a problem: values and multipliers to 1e-12, rates to
// 1e-9 of themselves or the mean rate.
func requireSame(t *testing.T, p refresh.Problem, want, got *Solution, label ...any) {
	t.Helper()
	require.InEpsilon(t, want.Value, got.Value, 1e-12, label...)
	if want.Multiplier != 0 || got.Multiplier != 0 {
		require.InEpsilon(t, want.Multiplier, got.Multiplier, 1e-12, label...)
	}
	for h, multiplier := range want.HostMultipliers {
		if multiplier != got.HostMultipliers[h] {
			require.InEpsilon(t, multiplier, got.HostMultipliers[h], 1e-12, label...)
		}
	}
	mean := p.Bandwidth / float64(p.Pages.Len())
	for i, rate := range want.Rates {
		if math.Abs(rate-got.Rates[i]) > 1e-9*max(rate, mean) {
			require.InDelta(t, rate, got.Rates[i], 1e-9*max(rate, mean), label...)
		}
	}
}
