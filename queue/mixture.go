package queue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/mdpsolve/mdpsolve/internal/lines"
	"github.com/mdpsolve/mdpsolve/internal/special"
)

// mixture is the law of a service that has mean m_i with probability p_i, and is then
// constant or exponential. [NewExponential], [NewDeterministic], [NewHyperexponential] and
// [NewSample] return it.
type mixture struct {
	text          string
	part          *part
	probabilities []float64 // p_i
	means         []float64 // m_i
	mean          float64
	index         cumulated // of the probabilities
	times         int       // of a sample; 0 for other laws
}

// part is a law of mean 1; the mixed laws differ from it in scale.
type part struct {
	variance                    float64
	laplace, complement, excess func(x float64) float64 // for x ≥ 0, +Inf included
	arrivals                    func(c Arrivals, mean float64)
	draw                        func(random *rand.Rand) float64
}

// The counts of arrivals are geometric and Poisson.
var (
	exponentialPart = &part{
		variance: 1,
		laplace:  func(x float64) float64 { return 1 / (1 + x) },
		complement: func(x float64) float64 {
			if x > 1 {
				return 1 / (1 + 1/x) // also for x = +Inf
			}
			return x / (1 + x)
		},
		excess: func(x float64) float64 {
			if x > 1 {
				return x / (1 + 1/x) // also for x = +Inf
			}
			return x * x / (1 + x)
		},
		arrivals: Arrivals.fillGeometric,
		draw:     func(random *rand.Rand) float64 { return random.ExpFloat64() },
	}
	fixedPart = &part{
		laplace:    func(x float64) float64 { return math.Exp(-x) },
		complement: func(x float64) float64 { return -math.Expm1(-x) },
		excess:     special.ExpExcess,
		arrivals:   Arrivals.fillPoisson,
		draw:       func(*rand.Rand) float64 { return 1 },
	}
)

func newMixture(text string, part *part, probabilities, means []float64, mean float64) *mixture {
	return &mixture{text: text, part: part, probabilities: probabilities, means: means, mean: mean, index: cumulative(probabilities)}
}

// NewExponential returns the exponential law, of density e^{−t/m}/m with the mean m. It
// returns an error if the mean is not a positive finite number.
func NewExponential(mean float64) (Law, error) {
	if err := checkMean(mean); err != nil {
		return nil, err
	}
	return newMixture("exponential", exponentialPart, []float64{1}, []float64{mean}, mean), nil
}

func parseExponential(t lawText) (Law, error) { return NewExponential(t.mean) }

// IsExponential reports whether a law of this package is exponential.
func IsExponential(law Law) bool {
	l, ok := law.(*mixture)
	return ok && l.part == exponentialPart && len(l.means) == 1
}

// NewDeterministic returns the law of services that all take the same time. It returns an
// error if that is not a positive finite number.
func NewDeterministic(mean float64) (Law, error) {
	if err := checkMean(mean); err != nil {
		return nil, err
	}
	return newMixture("deterministic", fixedPart, []float64{1}, []float64{mean}, mean), nil
}

func parseDeterministic(t lawText) (Law, error) { return NewDeterministic(t.mean) }

// NewHyperexponential returns the mixture of exponential laws with probabilities
// proportional to weights and means proportional to means, scaled to the given mean.
// It returns an error if the slices are empty or of different lengths, or if a number is
// not positive and finite.
func NewHyperexponential(weights, means []float64, mean float64) (Law, error) {
	if err := checkMean(mean); err != nil {
		return nil, err
	}
	if len(weights) != len(means) || len(weights) == 0 {
		return nil, fmt.Errorf("%d weights and %d means are not valid: use one or more of each, equally many",
			len(weights), len(means))
	}
	branches := make([]string, len(weights))
	for i, weight := range weights {
		if !isPositive(weight) || !isPositive(means[i]) {
			return nil, fmt.Errorf("branch %d has weight %v and mean %v: use finite numbers above 0", i+1, weight, means[i])
		}
		branches[i] = formatNumber(weight) + "@" + formatNumber(means[i])
	}
	mixed, err := scaledMixture("hyperexponential:"+strings.Join(branches, ","), exponentialPart, weights, means, mean)
	if err != nil {
		return nil, err
	}
	return mixed, nil
}

func parseHyperexponential(t lawText) (Law, error) {
	var weights, means []float64
	for i, branch := range strings.Split(t.argument, ",") {
		left, right, found := strings.Cut(branch, "@")
		if !found {
			return nil, fmt.Errorf("hyperexponential: branch %d is %q: use weight@mean, such as 0.3@2", i+1, branch)
		}
		weight, err := parsePositive(left)
		if err != nil {
			return nil, fmt.Errorf("hyperexponential: weight of branch %d: %w", i+1, err)
		}
		mean, err := parsePositive(right)
		if err != nil {
			return nil, fmt.Errorf("hyperexponential: mean of branch %d: %w", i+1, err)
		}
		weights, means = append(weights, weight), append(means, mean)
	}
	return NewHyperexponential(weights, means, t.mean)
}

// NewSample returns the empirical law of measured times, each equally likely, scaled to
// the given mean. Its String shows the name, usually that of a file. NewSample returns an
// error if there are no times, if one is negative, NaN or infinite, or if all are 0.
func NewSample(name string, times []float64, mean float64) (Law, error) {
	if err := checkMean(mean); err != nil {
		return nil, err
	}
	for i, time := range times {
		if !(time >= 0) || math.IsInf(time, 1) {
			return nil, fmt.Errorf("time %d of the sample is %v: use a finite number of 0 or more", i+1, time)
		}
	}
	sorted := slices.Sorted(slices.Values(times))
	if len(sorted) == 0 || sorted[len(sorted)-1] == 0 {
		return nil, fmt.Errorf("a sample of %d times has none above 0: use at least one", len(times))
	}
	var distinct, counts []float64
	for i, time := range sorted {
		if i == 0 || time != sorted[i-1] {
			distinct, counts = append(distinct, time), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	sample, err := scaledMixture("sample:"+name, fixedPart, counts, distinct, mean)
	if err != nil {
		return nil, err
	}
	sample.times = len(times)
	return sample, nil
}

func parseSample(t lawText) (Law, error) {
	rows, err := t.rows()
	if err != nil {
		return nil, err
	}
	times, err := lines.NotNegative(rows, t.argument, "time")
	if err != nil {
		return nil, err
	}
	law, err := NewSample(t.argument, times, t.mean)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.argument, err)
	}
	return law, nil
}

// scaledMixture returns a mixture by weights, with the means scaled so that its mean is
// the given one.
func scaledMixture(text string, part *part, weights, means []float64, mean float64) (*mixture, error) {
	probabilities, scaled := normalized(weights), normalized(means)
	now := 0.0
	for i, x := range scaled {
		now += probabilities[i] * x
	}
	if !isPositive(mean / now) {
		return nil, fmt.Errorf("the values cannot be scaled to a mean of %v", mean)
	}
	for i := range scaled {
		scaled[i] *= mean / now
	}
	return newMixture(text, part, probabilities, scaled, mean), nil
}

// normalized returns the weights divided by their sum, and first by the greatest, so that
// the sum does not overflow.
func normalized(weights []float64) []float64 {
	greatest := slices.Max(weights)
	shares, sum := make([]float64, len(weights)), 0.0
	for i, weight := range weights {
		shares[i] = weight / greatest
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// Mean implements [Law].
func (l *mixture) Mean() float64 { return l.mean }

// Variance implements [Law]: the mean of the variances and the variance of the means.
func (l *mixture) Variance() float64 {
	sum := 0.0
	for i, m := range l.means {
		sum += l.probabilities[i] * (l.part.variance*m*m + (m-l.mean)*(m-l.mean))
	}
	return sum
}

// mix returns Σ p_i·f(x·m_i).
func (l *mixture) mix(x float64, f func(x float64) float64) float64 {
	if !(x >= 0) {
		return math.NaN()
	}
	sum := 0.0
	for i, m := range l.means {
		scaled := x * m
		if m == 0 {
			scaled = 0 // also where x is infinite
		}
		sum += l.probabilities[i] * f(scaled)
	}
	return sum
}

// Laplace implements [Law].
func (l *mixture) Laplace(x float64) float64 { return l.mix(x, l.part.laplace) }

// LaplaceComplement implements [Law].
func (l *mixture) LaplaceComplement(x float64) float64 { return l.mix(x, l.part.complement) }

// LaplaceExcess implements [Law].
func (l *mixture) LaplaceExcess(x float64) float64 { return l.mix(x, l.part.excess) }

// Arrivals implements [Law]. It takes time proportional to n for each part.
func (l *mixture) Arrivals(rate float64, n int) Arrivals {
	counts, ok := newArrivals(rate, n)
	if !ok {
		return counts
	}
	branch, _ := newArrivals(rate, n)
	for i, m := range l.means {
		l.part.arrivals(branch, rate*m)
		counts.add(l.probabilities[i], branch)
	}
	return counts
}

// Draw implements [Law].
func (l *mixture) Draw(random *rand.Rand) float64 {
	i := 0
	if len(l.means) > 1 {
		i = l.index.draw(random)
	}
	return l.means[i] * l.part.draw(random)
}

// PhaseType returns one phase for each branch, without moves.
func (l *mixture) PhaseType() (*PhaseType, error) {
	if l.part != exponentialPart {
		return nil, errNoPhaseType(l)
	}
	phases := &PhaseType{name: l.text, mean: l.mean, start: l.probabilities, remaining: l.means}
	for _, m := range l.means {
		phases.moves = append(phases.moves, make([]float64, len(l.means)))
		phases.exits = append(phases.exits, 1/m)
	}
	phases.walk = newWalk(phases)
	return phases, nil
}

// String implements [Law], with the weights and means as they were given.
func (l *mixture) String() string { return l.text }

// formatNumber writes the shortest text that reads back as x.
func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// cumulated are the partial sums of weights.
type cumulated []float64

func cumulative(weights []float64) cumulated {
	return floats.CumSum(make([]float64, len(weights)), weights)
}

// draw returns an index with a probability proportional to its weight.
func (c cumulated) draw(random *rand.Rand) int {
	total := c[len(c)-1]
	u := total * random.Float64()
	if u >= total { // the product was rounded up
		u = math.Nextafter(total, 0)
	}
	return sort.Search(len(c), func(i int) bool { return c[i] > u })
}
