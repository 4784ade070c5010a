package rates

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// SyntheticWeights is how [SyntheticPages] draws weights.
type SyntheticWeights int

// The two settings of Azar et al., Figure 1.
const (
	ZipfWeights    SyntheticWeights = iota // 1 … 10,000, k with probability proportional to 1/k²
	UniformWeights                         // uniform on [0, 1)
)

// String returns "zipf" or "uniform".
func (w SyntheticWeights) String() string {
	switch w {
	case ZipfWeights:
		return "zipf"
	case UniformWeights:
		return "uniform"
	}
	return fmt.Sprintf("SyntheticWeights(%d)", int(w))
}

// SyntheticPages draws pages as Azar et al. do for their Figure 1: change rates
// independent and uniform on [0, 1), weights independent of them.
func SyntheticPages(n int, weights SyntheticWeights, seed uint64) refresh.Pages {
	random := rand.New(rand.NewPCG(seed, uint64(weights)))
	zipf := rand.NewZipf(random, 2, 1, 9_999)
	p := refresh.Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)}
	for i := range n {
		p.ChangeRates[i] = random.Float64()
		if weights == UniformWeights {
			p.Weights[i] = random.Float64()
		} else {
			p.Weights[i] = float64(1 + zipf.Uint64())
		}
	}
	return p
}

// Comparison is what several ways to choose rates achieve with one bandwidth:
// the fraction of requests that meet a fresh page, Σ w_i·F_i/Σ w_i, when page i
// is requested in proportion to its weight and accessed at even distances
// ([refresh.FixedOrder]).
type Comparison struct {
	Bandwidth float64 `json:"bandwidth"`

	// Optimum is that of the best rates, Bound what no rates can surpass.
	Optimum float64 `json:"optimum"`
	Bound   float64 `json:"bound"`

	// Randomized is that of the rates of Azar et al., Algorithm 2, which are best
	// for accesses at random times; RandomTimes is what these rates achieve with
	// accesses at random times, their F₂.
	Randomized  float64 `json:"randomized"`
	RandomTimes float64 `json:"random_times"`

	// ChangeDirected is that of the rates that are best where all weights are
	// equal (Cho and Garcia-Molina): they look at change rates only.
	ChangeDirected float64 `json:"change_directed"`

	// Harmonic is that of the rates that are best for [refresh.Harmonic] staleness, which
	// give no page up.
	Harmonic float64 `json:"harmonic"`

	// Proportional is that of rates in proportion to weights, Uniform that of
	// equal rates.
	Proportional float64 `json:"proportional"`
	Uniform      float64 `json:"uniform"`
}

// Compare computes a point of the curves of Azar et al., Figure 1, exactly. Where all weights
// are 0 there are no requests, and the fractions are NaN. The errors are those of [Optimize].
func Compare(ctx context.Context, pages refresh.Pages, bandwidth float64, settings Settings) (Comparison, error) {
	n := pages.Len()
	settings.Rates, settings.Multiplier = make([]float64, n), 0
	weights, values, marginals := doubledouble.Accumulator{}, make([]float64, n), make([]float64, n)
	for i := range n {
		weights.Add(pages.Weight(i))
	}
	measure := func(objective refresh.Objective, rates []float64) float64 {
		objective.Measure(values, marginals, pages, rates)
		sum := doubledouble.Accumulator{}
		sum.AddAll(values)
		return sum.Sum() / weights.Sum()
	}
	row := Comparison{Bandwidth: bandwidth}
	best, err := Optimize(ctx, refresh.Problem{Pages: pages, Objective: refresh.FixedOrder{}, Bandwidth: bandwidth}, settings)
	if err != nil {
		return row, err
	}
	row.Optimum, row.Bound = best.Value/weights.Sum(), best.Bound/weights.Sum()
	if _, err := Optimize(ctx, refresh.Problem{Pages: pages, Objective: refresh.Random{}, Bandwidth: bandwidth}, settings); err != nil {
		return row, err
	}
	row.Randomized, row.RandomTimes = measure(refresh.FixedOrder{}, settings.Rates), measure(refresh.Random{}, settings.Rates)
	unweighted := refresh.Problem{Pages: refresh.Pages{ChangeRates: pages.ChangeRates}, Objective: refresh.FixedOrder{}, Bandwidth: bandwidth}
	if _, err := Optimize(ctx, unweighted, settings); err != nil {
		return row, err
	}
	row.ChangeDirected = measure(refresh.FixedOrder{}, settings.Rates)
	if _, err := Optimize(ctx, refresh.Problem{Pages: pages, Objective: refresh.Harmonic{}, Bandwidth: bandwidth}, settings); err != nil {
		return row, err
	}
	row.Harmonic = measure(refresh.FixedOrder{}, settings.Rates)
	for i := range n {
		settings.Rates[i] = bandwidth * (pages.Weight(i) / weights.Sum())
	}
	row.Proportional = measure(refresh.FixedOrder{}, settings.Rates)
	for i := range n {
		settings.Rates[i] = bandwidth / float64(n)
	}
	row.Uniform = measure(refresh.FixedOrder{}, settings.Rates)
	return row, nil
}
