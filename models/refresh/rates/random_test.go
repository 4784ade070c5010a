package rates

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/queue"
	"github.com/stretchr/testify/require"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// accessLaws are laws of access times with the given mean.
func accessLaws(mean float64) []queue.Law {
	return []queue.Law{
		must(queue.NewDeterministic(mean)),
		must(queue.NewExponential(mean)),
		must(queue.NewErlang(3, mean)),
		must(queue.NewGamma(0.4, mean)),
		must(queue.NewUniform(0, 2*mean)),
		must(queue.NewUniform(0.5*mean, 1.5*mean)),
		must(queue.NewHyperexponential([]float64{9, 1}, []float64{1, 10}, mean)),
		must(queue.NewSample("times", []float64{1, 1, 2, 8}, mean)),
		must(queue.NewPhaseType("loop", []float64{1, 0}, [][]float64{{-3, 2}, {1, -2}}, mean)),
	}
}

func objectives(mean float64) []refresh.Objective {
	all := []refresh.Objective{refresh.FixedOrder{}, refresh.Random{}, refresh.Decaying{}, refresh.Discrete{}, refresh.Age{}, refresh.Harmonic{}, refresh.Signals{}}
	for _, law := range accessLaws(mean) {
		all = append(all, refresh.NewCoffman(law), refresh.NewCoffmanRandomized(law))
	}
	return all
}

func solve(t *testing.T, p refresh.Problem) *Solution {
	t.Helper()
	solution, err := Optimize(context.Background(), p, Settings{})
	require.NoError(t, err)
	return solution
}

// randomPages returns pages whose numbers spread over some orders of magnitude,
// with ties, zeros, and, for Discrete, change rates of at most 1.
func randomPages(r *rand.Rand, n int, spread float64, discrete bool) refresh.Pages {
	p := refresh.Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)}
	number := func() float64 {
		switch r.IntN(12) {
		case 0:
			return 0
		case 1:
			return 1
		}
		return math.Pow(10, spread*(r.Float64()-0.5))
	}
	for i := range n {
		p.ChangeRates[i], p.Weights[i] = number(), number()
		if discrete {
			p.ChangeRates[i] = min(1, p.ChangeRates[i])
		}
		if i > 0 && r.IntN(5) == 0 {
			j := r.IntN(i)
			p.ChangeRates[i], p.Weights[i] = p.ChangeRates[j], p.Weights[j]
		}
	}
	if r.IntN(8) == 0 {
		p.Weights = nil
	}
	return p
}

// syntheticPages draws change rates and weights that are uniform on [0, 1).
func syntheticPages(n int, seed uint64) refresh.Pages {
	r := rand.New(rand.NewPCG(seed, 1))
	p := refresh.Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)}
	for i := range n {
		p.ChangeRates[i], p.Weights[i] = r.Float64(), r.Float64()
	}
	return p
}

// randomProblem adds hosts, whose caps may be tight.
func randomProblem(r *rand.Rand, objective refresh.Objective, n int, spread float64) refresh.Problem {
	_, discrete := objective.(refresh.Discrete)
	p := refresh.Problem{
		Pages: randomPages(r, n, spread, discrete), Objective: objective,
		Bandwidth: float64(n) * math.Pow(10, spread*(r.Float64()-0.5)),
	}
	_, fastest := p.Limits()
	if !math.IsInf(fastest, 1) {
		p.Bandwidth = fastest * []float64{1, float64(n) * math.Pow(r.Float64(), 3)}[r.IntN(2)]
	}
	if r.IntN(3) == 0 {
		hosts := 1 + r.IntN(n)
		p.Hosts, p.HostCaps = make([]int32, n), make([]float64, hosts)
		for h := range hosts {
			p.HostCaps[h] = p.Bandwidth / float64(hosts) * 3 * r.Float64()
			if r.IntN(3) == 0 {
				p.HostCaps[h] = math.Inf(1)
			}
		}
		for i := range n {
			p.Hosts[i] = int32(r.IntN(hosts))
		}
	}
	return p
}
