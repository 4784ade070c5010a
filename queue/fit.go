package queue

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mathext"
)

// A Fit is a law of phase type that [FitPhaseType] has fitted to measured times.
type Fit struct {
	// Law has the mean of the sample. It is exponential, erlang:k, hyperexponential:… or
	// hypererlang:….
	Law Law

	// Times is the number of times of the sample.
	Times int

	// Distance is Kolmogorov's: the greatest difference between the share of the times that are
	// at most t and the probability of the law for it, over all t.
	Distance float64

	branches []erlangBranch
	mean     float64
}

// erlangBranch is an Erlang law of a mixture. The mean of the whole is 1.
type erlangBranch struct {
	weight, mean float64
	phases       int
}

// FitPhaseType fits a mixture of up to three Erlang laws to the times of a law of [NewSample]. The
// laws have at most the given number of phases together; two or three of them, at most 10.
// Expectation maximization finds the weights and means for each choice of the numbers of phases,
// and Schwarz's criterion (BIC) chooses among these. The mean is that of the sample. A time of 0
// counts as half the least time above 0. Errors are for a law that is no sample, and for fewer than
// 1 or more than 1024 phases.
//
// Source: A. Thümmler, P. Buchholz and M. Telek, A novel approach for phase-type fitting with the
// EM algorithm, IEEE Transactions on Dependable and Secure Computing 3 (2006), section 3.
func FitPhaseType(sample Law, phases int) (*Fit, error) {
	s, ok := sample.(*mixture)
	if !ok || s.times == 0 {
		return nil, fmt.Errorf("%v is not valid: use sample:FILE", sample)
	}
	if phases < 1 || phases > maxPhases {
		return nil, fmt.Errorf("%d phases are not valid: use 1 to %d", phases, maxPhases)
	}
	f := &fitting{n: float64(s.times)}
	f.group(s)
	var tried []candidate
	for _, orders := range ordersOf(phases) {
		tried = append(tried, f.candidate(orders, fewIterations))
	}
	better := func(a, b candidate) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(tried, better)
	tried = tried[:min(len(tried), mostPolished)]
	for i := range tried {
		f.improve(&tried[i], manyIterations)
	}
	fit := &Fit{Times: s.times, branches: slices.MinFunc(tried, better).branches, mean: s.mean}
	law, err := fit.law()
	if err != nil {
		return nil, err
	}
	fit.Law = law
	below := 0.0
	for i, t := range s.means {
		at := fit.Distribution(t)
		fit.Distance = max(fit.Distance, math.Abs(at-below), math.Abs(at-below-s.probabilities[i]))
		below += s.probabilities[i]
	}
	return fit, nil
}

// Distribution returns the probability that a service of the law takes at most t.
func (f *Fit) Distribution(t float64) float64 {
	sum := 0.0
	for _, b := range f.branches {
		if t > 0 {
			sum += b.weight * mathext.GammaIncReg(float64(b.phases), float64(b.phases)*(t/f.mean)/b.mean)
		}
	}
	return sum
}

// law returns the law under its simplest name. It rounds the numbers of the branches to five
// digits, so that the printed law is the one that was fitted.
func (f *Fit) law() (Law, error) {
	var weights, means []float64
	var phases []int
	weight, mean := 0.0, 0.0
	for i := range f.branches {
		b := &f.branches[i]
		b.weight, b.mean = fiveDigits(b.weight), fiveDigits(b.mean)
		weights, phases, means = append(weights, b.weight), append(phases, b.phases), append(means, b.mean)
		weight += b.weight
		mean += b.weight * b.mean
	}
	for i := range f.branches {
		f.branches[i].weight /= weight
		f.branches[i].mean /= mean / weight
	}
	switch most := slices.Max(phases); {
	case most == 1 && len(phases) == 1:
		return NewExponential(f.mean)
	case len(phases) == 1:
		return NewErlang(most, f.mean)
	case most == 1:
		return NewHyperexponential(weights, means, f.mean)
	}
	return NewHyperErlang(weights, phases, means, f.mean)
}

func fiveDigits(x float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64) // it was just written
	return rounded
}

const (
	mostMixed      = 10 // phases of two or three Erlang laws
	fewIterations  = 30
	manyIterations = 2000
	mostPolished   = 5 // choices that get many iterations

	// nearTimes is the relative width of a group of times that count as one. This changes the
	// likelihood by about its square.
	nearTimes = 0.01

	leastWeight = 1e-9
)

// ordersOf lists the numbers of phases of one, two and three Erlang laws.
func ordersOf(phases int) (orders [][]int) {
	for k := 1; k <= phases; k++ {
		orders = append(orders, []int{k})
	}
	mixed := min(phases, mostMixed)
	for a := 1; a < mixed; a++ {
		for b := 1; a+b <= mixed; b++ {
			orders = append(orders, []int{a, b})
			for c := 1; a+b+c <= mixed; c++ {
				orders = append(orders, []int{a, b, c})
			}
		}
	}
	return orders
}

// fitting holds the times of a sample, in groups.
type fitting struct {
	n                    float64   // times
	times, logs, weights []float64 // of groups: mean, its logarithm, share of the times
}

// A candidate is a mixture of Erlang laws with its likelihood.
type candidate struct {
	branches      []erlangBranch
	logLikelihood float64 // per time
	score         float64 // −BIC/2
}

// group puts times that are near each other into one group, and scales them to the mean 1.
func (f *fitting) group(s *mixture) {
	first := math.Inf(-1)
	for i, t := range s.means {
		if t == 0 {
			t = s.means[1] / 2
		}
		t, p := t/s.mean, s.probabilities[i]
		last := len(f.times) - 1
		if last < 0 || t > first*(1+nearTimes) {
			first = t
			f.times, f.weights = append(f.times, t), append(f.weights, p)
			continue
		}
		f.weights[last] += p
		f.times[last] += (t - f.times[last]) * (p / f.weights[last])
	}
	for _, t := range f.times {
		f.logs = append(f.logs, math.Log(t))
	}
}

// candidate begins with laws whose means are those of equal parts of the sorted times.
func (f *fitting) candidate(orders []int, iterations int) candidate {
	c := candidate{branches: make([]erlangBranch, len(orders))}
	share, before, at := 1/float64(len(orders)), 0.0, 0
	for i, t := range f.times {
		for weight := f.weights[i]; weight > 0; {
			part := weight
			if room := share*float64(at+1) - before; at+1 < len(orders) && room < weight {
				part = max(room, 0)
			}
			c.branches[at].mean += part * t
			weight -= part
			if before += part; weight > 0 {
				at++
			}
		}
	}
	for i, k := range orders {
		b := &c.branches[i]
		b.weight, b.phases, b.mean = share, k, max(b.mean/share, math.SmallestNonzeroFloat64)
	}
	f.improve(&c, iterations)
	return c
}

// improve makes steps of expectation maximization until the likelihood hardly rises, and finds the
// score.
func (f *fitting) improve(c *candidate, iterations int) {
	const stays = 1e-9
	c.logLikelihood = math.Inf(-1)
	for range iterations {
		before := c.logLikelihood
		if c.logLikelihood = f.step(c.branches); !(c.logLikelihood-before > stays) {
			break
		}
	}
	parameters := 3*len(c.branches) - 1 // weights, means and numbers of phases
	c.score = f.n*c.logLikelihood - float64(parameters)/2*math.Log(f.n)
	for _, b := range c.branches {
		if !(b.weight > leastWeight) || math.IsNaN(c.score) { // a mixture of fewer laws is as good
			c.score = math.Inf(-1)
		}
	}
}

// step replaces weights and means by better ones, and returns the mean logarithm of the density of
// those before.
func (f *fitting) step(branches []erlangBranch) (logLikelihood float64) {
	n := len(branches)
	constant, density := make([]float64, n), make([]float64, n)
	weights, sums := make([]float64, n), make([]float64, n)
	for m, b := range branches {
		k := float64(b.phases)
		gamma, _ := math.Lgamma(k)
		constant[m] = math.Log(b.weight) + k*math.Log(k/b.mean) - gamma
	}
	for i, t := range f.times {
		greatest := math.Inf(-1)
		for m, b := range branches {
			density[m] = constant[m] - t/b.mean*float64(b.phases)
			if b.phases > 1 {
				density[m] += float64(b.phases-1) * f.logs[i]
			}
			greatest = max(greatest, density[m])
		}
		sum := 0.0
		for m := range density {
			density[m] = math.Exp(density[m] - greatest)
			sum += density[m]
		}
		logLikelihood += f.weights[i] * (greatest + math.Log(sum))
		for m := range density {
			part := f.weights[i] * (density[m] / sum)
			weights[m] += part
			sums[m] += part * t
		}
	}
	for m := range branches {
		if branches[m].weight = weights[m]; sums[m] > 0 {
			branches[m].mean = sums[m] / weights[m]
		}
	}
	return logLikelihood
}
