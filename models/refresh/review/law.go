package review

// This file has the law of the changes of a page, and the time for which a copy is expected to be up to date.

import (
	"math"
	"slices"
)

// A law is that of the changes of a page: a Poisson process whose rate has a gamma law with this mean and shape.
// The shape is +Inf for a rate that is known.
type law struct{ rate, shape float64 }

// known is the law of a page whose change rate is right.
func (p *Page) known() law { return law{p.ChangeRate, math.Inf(1)} }

// law returns the law of a page whose change rate is corrected by a factor.
func (p *Page) law(factor float64) law {
	shape := math.Inf(1)
	if p.StandardError > 0 && p.ChangeRate > 0 {
		shape = p.ChangeRate / p.StandardError * (p.ChangeRate / p.StandardError)
	}
	return law{p.ChangeRate * factor, shape}
}

// after returns the logarithm of the probability of no change in a time, and the derivative of its negative
// by the logarithm of the rate.
func (l law) after(time float64) (log, slope float64) {
	z := l.rate * time
	if math.IsInf(l.shape, 1) {
		return -z, z
	}
	return -l.shape * math.Log1p(z/l.shape), z / (1 + z/l.shape)
}

// untold is the expected time with an up-to-date copy within [from, to], for a copy of the time made, if no access
// tells more.
func (l law) untold(made, from, to float64) float64 {
	switch {
	case math.IsNaN(made) || !(to > from):
		return 0
	case l.rate == 0:
		return to - from
	case math.IsInf(l.shape, 1):
		return math.Exp(-l.rate*(from-made)) * -math.Expm1(-l.rate*(to-from)) / l.rate
	}
	// With L(u) = ln(1 + Δu/a), the integral of e^{−aL(u)} is that of e^{−(a−1)L} over L, times a/Δ.
	first := math.Log1p(l.rate * (from - made) / l.shape)
	more := math.Log1p(l.rate * (to - from) / (l.shape + l.rate*(from-made)))
	length := more
	if d := (l.shape - 1) * more; math.Abs(d) > 1e-12 {
		length = -math.Expm1(-d) / (l.shape - 1)
	}
	return l.shape / l.rate * math.Exp(-(l.shape-1)*first) * length
}

// changedWithin is untold, for a copy whose page has changed by the time to.
func (l law) changedWithin(made, from, to float64) float64 {
	if l.rate*(to-made) < 1e-4 { // the time of the change is uniform, up to an error of a share Δτ/6
		return (to - from) * (to - from) / (2 * (to - made))
	}
	log, _ := l.after(to - made)
	return max(0, l.untold(made, from, to)-(to-from)*math.Exp(log)) / -math.Expm1(log)
}

// fresh is [Page.Fresh] for a law of changes; last is the time of the last access before the day.
func (l law) fresh(last float64, times []float64, failing, from, until float64) float64 {
	sum, since := 0.0, from
	if last > from {
		since = last
	}
	copies := []float64{last} // when they were made, the latest first
	for _, at := range append(slices.Clone(times), until) {
		at = min(max(at, from), until)
		odds := 1.0 // that the accesses after a copy have failed
		for i, made := range copies {
			share := odds * (1 - failing)
			if i == len(copies)-1 {
				share = odds
			}
			sum += share * l.untold(made, since, at)
			if odds *= failing; odds < 1e-12 {
				break
			}
		}
		copies, since = slices.Insert(copies, 0, at), at
	}
	return sum
}

// steady is [Page.Steady] for a law of changes and a rate of accesses.
func (l law) steady(rate, failing float64) float64 {
	if !(rate > 0) {
		return 0
	}
	sum, odds := 0.0, 1-failing
	for k := 0.0; odds > 1e-12; k++ { // accesses that have failed since the copy was made
		sum += odds * l.untold(-k/rate, 0, 1/rate) * rate
		odds *= failing
	}
	return sum
}

// within is the expected time with an up-to-date copy in a span, after its outcome.
func (l law) within(s span) float64 {
	switch {
	case !s.told:
		return l.untold(s.made, s.from, s.to)
	case s.changed:
		return l.changedWithin(s.made, s.from, s.to)
	}
	return s.to - s.from
}

// squareWithin is the expected square of that time T: the integral of 2x·P(T > x), by the rule of Simpson.
func (l law) squareWithin(s span) float64 {
	if math.IsNaN(s.made) || !(s.to > s.from) {
		return 0
	}
	later := 0. // the probability of no change within the span, if the outcome rules that out
	if s.told {
		log, _ := l.after(s.to - s.made)
		later = math.Exp(log)
		if later == 1 { // the time of the change is uniform
			return (s.to - s.from) * (s.to - s.from) * (s.to - s.from) / (3 * (s.to - s.made))
		}
	}
	const steps = 8
	step, sum := (s.to-s.from)/steps, 0.
	for k := 1; k <= steps; k++ {
		x := step * float64(k)
		log, _ := l.after(s.from - s.made + x)
		weight := float64(2 + 2*(k%2))
		if k == steps {
			weight = 1
		}
		sum += weight * 2 * x * (math.Exp(log) - later) / (1 - later)
	}
	return sum * step / 3
}
