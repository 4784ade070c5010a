package estimate

// This file has the law of a change rate after accesses, where a prior says what was
// known before.

import (
	"math"
	"slices"
)

// A Prior is the law of the change rate Δ of a page before any access to it, as it is among the
// pages that it was fitted to. With it, a page that was never accessed has a rate, and one with few
// accesses is not believed to change all the time, or never, because they all saw a change, or none did.
//
// With Tail 0 it is a gamma law: the density is Rate^Shape·Δ^{Shape−1}·e^{−Rate·Δ}/Γ(Shape), the mean
// Shape/Rate, the standard deviation √Shape/Rate. Otherwise it is a beta prime law with the density
//
//	s^b·Δ^{Shape−1}·(s + Δ)^{−Shape−b}/B(Shape, b),  b = 1/Tail,  s = b/Rate,
//
// whose chance of a rate above Δ falls as Δ^{−b}: some pages change far more often than others. Its
// moments may be infinite, those of ln Δ are not. As Tail goes to 0 it becomes the gamma law.
//
// Shape must be from 0.01 to 1e6, Rate positive and finite, and Tail from 0 to 5. [Fit] and [FitHosts]
// find priors.
//
// Source: N. L. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate Distributions, volume 2 (1995),
// section 27 (F laws, of which beta prime laws are multiples).
type Prior struct {
	Shape, Rate float64
	Tail        float64 `json:",omitempty"`
}

// A Posterior is the law of a change rate given a history, by
// [Prior.After].
type Posterior struct {
	// Mean is the mean of the rate, of all estimates the one with the least mean squared
	// error, and StandardDeviation its standard deviation. With a prior that has a Tail both might be
	// infinite, and those of a gamma law take their place. After a change, it is the law in which ln Δ and
	// 1/Δ have the same means, so that the page is expected to be unchanged for as long. Without a change,
	// it is the one in which ln Δ has the same mean and variance.
	Mean, StandardDeviation float64

	logs, upTo []float64 // logarithms of rates, and the probability up to each
}

// The law is computed at points evenly spaced in the logarithm of the rate, so many in a
// standard deviation. Few are enough for sums over all points, whose errors fall like
// e^{−2π²·points²}. The mean needs more, and quantiles still more.
const sumPoints, meanPoints, quantilePoints = 2, 4, 8

// Fainter points than e^{−faint} times the most probable one do not count.
const faint = 34

// After returns the posterior of a page with a history, which may be empty. Its
// errors are below 10^−6 of the mean. It takes some 10 µs.
func (p Prior) After(h *History) Posterior {
	var e evidence
	e.take(h)
	var l law
	l.spread(p, &e, quantilePoints)
	mean := 0.
	upTo := make([]float64, len(l.logs)-1)
	sum := 0.
	for i, rate := range l.rates {
		weight := l.weights[i]
		mean += weight * rate
		sum += weight
		if i < len(upTo) {
			upTo[i] = sum + (l.weights[i+1]-weight)/24 // Euler and Maclaurin, halfway to the next point
		}
	}
	variance := 0.
	for i, rate := range l.rates {
		variance += l.weights[i] * (rate - mean) * (rate - mean)
	}
	deviation := math.Sqrt(variance)
	if p.Tail > 0 {
		mean, deviation = l.gamma(e.changes() > 0).moments()
	}
	half := l.step / 2
	for i := range l.logs {
		l.logs[i] += half
	}
	return Posterior{mean, deviation, l.logs[:len(upTo)], upTo}
}

// MeanAfter returns the mean of [Prior.After] in less time. It has a closed form while there is at most
// one gap τ with a change, and the prior is a gamma law: with a = Rate + the sum of the other gaps, the
// density is proportional to Δ^{Shape−1}·(e^{−aΔ} − e^{−(a+τ)Δ}), a difference of two gamma laws.
func (p Prior) MeanAfter(h *History) (mean float64) {
	mean, _ = p.MomentsAfter(h)
	return mean
}

// MomentsAfter returns the mean and the standard deviation of [Prior.After], as MeanAfter does.
func (p Prior) MomentsAfter(h *History) (mean, deviation float64) {
	var e evidence
	e.take(h)
	if p.Tail > 0 {
		var l law
		l.spread(p, &e, sumPoints)
		return l.gamma(e.changes() > 0).moments()
	}
	a := p.Rate + e.idle
	square := 0. // its mean
	switch e.changes() {
	case 0:
		return p.Shape / a, math.Sqrt(p.Shape) / a
	case 1:
		log := -math.Log1p(e.busy / a) // of a/(a+τ)
		whole := math.Expm1(p.Shape * log)
		mean = p.Shape / a * math.Expm1((p.Shape+1)*log) / whole
		square = p.Shape / a * (p.Shape + 1) / a * math.Expm1((p.Shape+2)*log) / whole
	default:
		var l law
		l.spread(p, &e, meanPoints)
		for i, rate := range l.rates {
			mean += l.weights[i] * rate
			square += l.weights[i] * rate * rate
		}
	}
	return mean, math.Sqrt(max(0, square-mean*mean))
}

// Quantile returns the rate below which the rate of the page is with some probability, to
// 10^−4 of the standard deviation or so. Special cases are those of the probabilities 0 and
// 1, 0 and +Inf, and NaN outside of them. With a random probability between 0 and 1 it is a
// random draw from the posterior, as in Thompson sampling.
func (p Posterior) Quantile(probability float64) float64 {
	switch {
	case !(probability >= 0 && probability <= 1):
		return math.NaN()
	case probability == 0:
		return 0
	case probability == 1:
		return math.Inf(1)
	}
	at, _ := slices.BinarySearch(p.upTo, probability)
	at = min(max(at, 1), len(p.upTo)-1)
	// Between two points, the logarithm of the density is taken as a straight line through
	// the mean densities here, and before or after.
	here := p.upTo[at] - p.upTo[at-1]
	step := p.logs[at] - p.logs[at-1]
	slope := 0.
	if at > 1 && at < len(p.upTo)-1 {
		slope = math.Log((p.upTo[at+1]-p.upTo[at])/(p.upTo[at-1]-p.upTo[at-2])) / 2 // in a step
	}
	share := min(max((probability-p.upTo[at-1])/here, 0), 1)
	if math.Abs(slope) > 1e-6 {
		share = math.Log1p(share*math.Expm1(slope)) / slope
	}
	return math.Exp(p.logs[at-1] + share*step)
}

// Interval returns the interval that holds the rate with the probability confidence, between
// 0 and 1, and is missed with the same probability on either side.
func (p Posterior) Interval(confidence float64) (lower, upper float64, err error) {
	if err := checkConfidence(confidence); err != nil {
		return math.NaN(), math.NaN(), err
	}
	tail := (1 - confidence) / 2
	return p.Quantile(tail), p.Quantile(1 - tail), nil
}

// A law is that of a rate, at points equally far apart in the logarithm of the rate.
type law struct {
	logs, rates, weights []float64
	step                 float64
	logMarginal          float64 // ln of the probability of the evidence
}

// spread finds the law from a prior and evidence. With u the logarithm of the rate Δ, its
// density is proportional to e^{f(u)}, where f(u) is the sum of the logarithms of the prior's density of
// u and of the likelihood L. For a gamma law that is Shape·u − Rate·Δ + ln L; as ln L is concave in Δ,
// there is one peak. For a beta prime law f is even concave in u. The trapezoidal rule around the peak
// converges exponentially: e^f has no singularity, and falls off on both sides at least
// exponentially.
func (l *law) spread(p Prior, e *evidence, points float64) {
	peak, deviation := l.peak(p, e)
	l.step = min(deviation, 1) / points
	value := func(u float64) float64 {
		rate := math.Exp(u)
		return p.log(u, rate) + e.log(rate)
	}
	top := value(peak)
	if l.logs == nil {
		const usual = 96
		l.logs, l.weights, l.rates = make([]float64, 0, usual), make([]float64, 0, usual), make([]float64, 0, usual)
	}
	l.logs, l.weights = append(l.logs[:0], peak), append(l.weights[:0], 0)
	for _, step := range []float64{-l.step, l.step} {
		for u := peak + step; ; u += step {
			f := value(u) - top
			if !(f > -faint) {
				break
			}
			l.logs, l.weights = append(l.logs, u), append(l.weights, f)
		}
		if step < 0 {
			slices.Reverse(l.logs)
			slices.Reverse(l.weights)
		}
	}
	l.rates = l.rates[:0]
	sum := 0.
	for i, f := range l.weights {
		l.weights[i] = math.Exp(f)
		sum += l.weights[i]
		l.rates = append(l.rates, math.Exp(l.logs[i]))
	}
	for i := range l.weights {
		l.weights[i] /= sum
	}
	l.logMarginal = top + math.Log(sum*l.step) + p.logScale()
}

// peak returns where f has its peak, and the standard deviation of the normal law that has
// the same curvature there.
func (l *law) peak(p Prior, e *evidence) (u, deviation float64) {
	u = math.Log((p.Shape + e.changes()) / (p.Rate + e.idle + e.busy))
	low, high := math.Inf(-1), math.Inf(1)
	for range maxNewton {
		rate := math.Exp(u)
		first, second := e.slopes(rate)
		pull, change := p.pull(rate)
		slope := p.Shape + rate*(first-pull)
		curvature := rate * (first - pull + rate*(second-change))
		if slope > 0 {
			low = u
		} else {
			high = u
		}
		const most = 4 // far from the peak there may be next to no curvature, or a wrong one
		move := math.Copysign(most, slope)
		if curvature < 0 {
			move = min(max(-slope/curvature, -most), most)
		}
		deviation = 1 / math.Sqrt(max(-curvature, 1e-6))
		if math.Abs(move) <= 1e-6*min(deviation, 1) {
			break
		}
		next := u + move
		if next <= low || next >= high {
			next = low + (high-low)/2
		}
		if next == u {
			break
		}
		u = next
	}
	return u, deviation
}

// gamma returns the gamma law that has the mean of ln Δ of this law and, after a change, also the mean of
// 1/Δ, the expected time to the next change; without a change that may be infinite, and the
// variance of ln Δ stands in its place.
func (l *law) gamma(changed bool) Prior {
	mean, square, inverse := 0., 0., 0.
	for i, u := range l.logs {
		mean += l.weights[i] * u
		square += l.weights[i] * u * u
		inverse += l.weights[i] / l.rates[i]
	}
	if changed {
		return gammaWith(mean, inverse)
	}
	return gammaOf(mean, square-mean*mean)
}
