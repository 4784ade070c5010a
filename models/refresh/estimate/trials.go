package estimate

// This file has the law of the number of changes that the accesses of a page see.

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// trials are the accesses of a page as trials at a change rate Δ: one after a gap τ sees a
// change with probability 1 − e^{−Δτ}, independently of the others. The number X of those
// that do has a Poisson-binomial law, a binomial one where all gaps are equal.
type trials struct {
	counts, gaps []float64 // groups of equal gaps
	n            int64
}

// trials returns the accesses; merged gaps count at the mean of their group.
func (h *History) trials() trials {
	t := trials{n: h.Accesses()}
	t.add(h.unchanged)
	for groups := range h.allChanged() {
		t.add(groups)
	}
	return t
}

func (t *trials) add(groups gapGroups) {
	for i := range groups {
		t.counts = append(t.counts, float64(groups[i].count))
		t.gaps = append(t.gaps, groups[i].mean())
	}
}

// Tails are summed exactly where there are few trials or few terms. The saddlepoint
// approximation of others is within 1 % of the tail, and mostly within 0.1 %.
const summedTrials, summedTerms = 256, 24

// atMost returns P(X ≤ x) at a rate, for 0 ≤ x < n. Of accesses that see a change and those
// that see none, the terms of the rarer kind are summed.
func (t *trials) atMost(x int64, rate float64) float64 {
	others := t.n - x - 1
	switch {
	case !t.summed(x):
		return t.saddlepoint(x, rate)
	case x <= others:
		return t.sum(int(x), rate, false)
	}
	return 1 - t.sum(int(others), rate, true)
}

// summed reports whether P(X ≤ x) is summed exactly.
func (t *trials) summed(x int64) bool {
	return t.n <= summedTrials || min(x, t.n-x-1) < summedTerms
}

// sum returns the probability that at most m accesses see a change, or that at most m see
// none, from the probabilities of 0 … m, group by group.
func (t *trials) sum(m int, rate float64, none bool) float64 {
	var space [2][summedTrials / 2]float64
	law, next := space[0][:1], space[1][:0]
	law[0] = 1
	for g, count := range t.counts {
		x := rate * t.gaps[g]
		hit, miss, logMiss := -math.Expm1(-x), math.Exp(-x), -x
		if none {
			hit, miss, logMiss = miss, hit, logOneMinusExp(x)
		}
		if count <= float64(2*m+2) {
			for range int(count) {
				if len(law) <= m {
					law = append(law, 0)
				}
				for k := len(law) - 1; k > 0; k-- {
					law[k] = miss*law[k] + hit*law[k-1]
				}
				law[0] *= miss
			}
			continue
		}
		// Here count is so large that where miss^count is below all numbers, so is the
		// probability of m hits.
		next = next[:m+1]
		clear(next)
		term := math.Exp(count * logMiss)
		for k := range next {
			for i, p := range law[:min(len(law), m+1-k)] {
				next[k+i] += term * p
			}
			if term > 0 {
				term *= (count - float64(k)) / float64(k+1) * (hit / miss)
			}
		}
		law, next = next, law
	}
	sum := 0.
	for _, p := range law {
		sum += p
	}
	return sum
}

// logOneMinusExp returns ln(1 − e^{−x}) for x > 0.
func logOneMinusExp(x float64) float64 {
	if x < math.Ln2 {
		return math.Log(-math.Expm1(-x))
	}
	return math.Log1p(-math.Exp(-x))
}

// saddlepoint returns P(X ≤ x) by the approximation of Lugannani and Rice for lattice
// laws: with k = x + 1, K(t) = Σ ln(1 + p(e^t − 1)), K'(t) = k, w = ±√(2(tk − K(t))) and
// u = (1 − e^{−t})·√K”(t), it is Φ(w) + φ(w)·(1/w − 1/u).
//
// Source: H. E. Daniels, Tail probability approximations, International Statistical
// Review 55 (1987), equation 6.2.
func (t *trials) saddlepoint(x int64, rate float64) float64 {
	k := float64(x + 1)
	s, low, high := 0., math.Inf(-1), math.Inf(1)
	var value, curvature float64
	for range maxNewton {
		var slope float64
		value, slope, curvature = t.cumulants(s, rate)
		if slope < k {
			low = s
		} else {
			high = s
		}
		const most = 4 // where all is next to certain, the curvature is next to 0
		move := min(max((k-slope)/curvature, -most), most)
		if math.Abs(move) <= 1e-12*(1+math.Abs(s)) || math.Abs(s) > 1e3 {
			break
		}
		next := s + move
		if next <= low || next >= high {
			next = low + (high-low)/2
		}
		s = next
	}
	if math.Abs(s) > 1e3 { // all or none of the gaps are far too long
		if s > 0 {
			return 1
		}
		return 0
	}
	w := math.Copysign(math.Sqrt(max(2*(s*k-value), 0)), s)
	density := math.Exp(-w*w/2) / math.Sqrt(2*math.Pi)
	between := 1/w - 1/(-math.Expm1(-s)*math.Sqrt(curvature))
	if math.Abs(s)*math.Sqrt(curvature) < 1e-4 { // their limit but for the skewness
		between = -1 / (2 * math.Sqrt(curvature))
	}
	return min(max(distuv.UnitNormal.CDF(w)+density*between, 0), 1)
}

// cumulants returns K(s) and its first two derivatives at a rate.
func (t *trials) cumulants(s, rate float64) (value, slope, curvature float64) {
	up := math.Exp(s)
	for g, count := range t.counts {
		p, q := -math.Expm1(-rate*t.gaps[g]), math.Exp(-rate*t.gaps[g])
		total := q + p*up
		if p < 0.5 {
			value += count * math.Log1p(p*math.Expm1(s))
		} else {
			value += count * math.Log(total)
		}
		tilted := p * up / total
		slope += count * tilted
		curvature += count * tilted * q / total
	}
	return value, slope, curvature
}
