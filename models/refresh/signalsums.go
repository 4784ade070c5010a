package refresh

import "math"

// # The access rule for noisy change signals
//
// Time is counted in units of 1/Δ, so that a page changes at rate 1. A share ν of its
// changes is signalled, and false signals come at rate φ: signals at rate γ = ν + φ, of
// which a share ν/γ is true, and changes without one at rate α = 1 − ν. After a time τ
// and n signals the copy is up to date with probability e^{−z}, z = ατ + nb with
// b = ln(γ/φ).
//
// At a price λ of an access the page gains E∫₀ᵀ(e^{−z} − g)dt − λ from one access to the
// next, at time T, and the best g makes that 0. As z only grows, it is best to stop when
// e^{−z} has fallen to g: the rule is a threshold, z ≥ Z. Let M(Z) = E[T], so that M(dz)
// is the expected time at z, and F(Z) = E∫₀ᵀe^{−z}dt = ∫₀^Z e^{−z}M(dz). Then the price at
// which the threshold Z is best is
//
//	h(Z) = F(Z) − e^{−Z}M(Z) = ∫₀^Z e^{−z}M(z)dz,  h′ = e^{−Z}M,
//
// the rate of access 1/M and the freshness F/M. With n signals z has come to a level after
// the time (z−nb)/α, hence with r = γ/α
//
//	M(Z) = (1/γ)·Σ_n P(n+1, r(Z−nb))
//	h(Z) = (1/γ)·Σ_n e^{−nb}·[(r/(1+r))^{n+1}·P(n+1, (1+r)(Z−nb)) − e^{−(Z−nb)}·P(n+1, r(Z−nb))]
//
// over nb < Z, P being the regularized lower incomplete gamma function (Busa-Fekete et al.
// 2025 have the same sums, as exponential residuals). Both P have the same factor in front
// of their power series, and the difference of the series has positive terms alone.

// signalled is a page with signals, whose change rate is 1.
type signalled struct {
	alpha, gamma, phi float64
	step              float64 // b; +Inf without false signals
}

// leastPrecision is the share of true signals below which signals are ignored.
const leastPrecision = 1.0 / 64

// newSignalled returns the page, and whether its signals say anything.
func newSignalled(changeRate, recall, falseRate float64) (s signalled, telling bool) {
	phi := falseRate / changeRate
	s = signalled{alpha: 1 - recall, gamma: recall + phi, phi: phi}
	if !(recall > 0) || recall < leastPrecision*s.gamma {
		return s, false
	}
	s.step = math.Log1p(recall / phi)
	return s, true
}

// ruleSums are M, its derivative, and h, at a threshold.
type ruleSums struct{ time, density, price float64 }

// at returns the sums at a threshold Z > 0, for α > 0.
func (s *signalled) at(threshold float64) ruleSums {
	sums, r := ruleSums{}, s.gamma/s.alpha
	discount := 1.0 // e^{−nb}
	for n := 0.0; ; n++ {
		rest := threshold
		if n > 0 {
			if rest -= n * s.step; !(rest > 0) {
				break
			}
		}
		reached, gain, density := signalTerm(n+1, r, rest)
		sums.time += reached
		sums.density += density
		sums.price += discount * gain
		if reached < 1e-22 {
			break
		}
		discount *= s.phi / s.gamma
	}
	sums.time /= s.gamma
	sums.density /= s.alpha
	sums.price /= s.gamma
	return sums
}

// signalTerm returns P(a, ry), (r/(1+r))^a·P(a, (1+r)y) − e^{−y}·P(a, ry), and the Poisson
// probability of a − 1 at ry.
func signalTerm(a, r, y float64) (reached, gain, density float64) {
	low, high := r*y, (1+r)*y
	if isCertain(a, low) {
		return 1, math.Expm1(-a*math.Log1p(1/r)) - math.Expm1(-y), 0
	}
	far := isCertain(a, high) // e^high may be no float64
	logGamma, _ := math.Lgamma(a + 1)
	front := math.Exp(a*math.Log(low) - low - logGamma)
	// Σ_k low^k/((a+1)…(a+k)), and the same of high^k − low^k.
	power, difference, sum, differences := 1.0, 0.0, 1.0, 0.0
	for k := 1.0; ; k++ {
		if !far {
			difference = (high*difference + y*power) / (a + k)
			differences += difference
		}
		power *= low / (a + k)
		sum += power
		if power <= 1e-18*sum && (far && low < a+k || high < a+k && difference <= 1e-18*differences) {
			break
		}
	}
	reached, density = front*sum, front*a/low
	if far {
		return reached, math.Exp(-a*math.Log1p(1/r)) - math.Exp(-y)*reached, density
	}
	return reached, front * math.Exp(-y) * differences, density
}

// isCertain reports whether P(a, x) is 1, to all digits.
func isCertain(a, x float64) bool { return x > 2*a+60 || x > a && (x-a)*(x-a) > 80*x }

// threshold returns the Z with h(Z) = price, for 0 < price < 1.
func (s *signalled) threshold(price float64) float64 {
	return increasingRoot(inverseFreshness(price), func(z float64) (value, slope float64) {
		sums := s.at(z)
		return sums.price - price, math.Exp(-z) * sums.time
	})
}

// thresholdAt returns the Z with 1/M(Z) = rate.
func (s *signalled) thresholdAt(rate float64) float64 {
	return increasingRoot(s.alpha/rate, func(z float64) (value, slope float64) {
		sums := s.at(z)
		return sums.time*rate - 1, sums.density * rate
	})
}

// farthest is a threshold that stands for none: the copy is out of date for certain.
const farthest = 700

// increasingRoot returns the root of an increasing function on 0 … farthest by Newton's
// method in a bracket, the nearer end where there is none.
func increasingRoot(start float64, f func(x float64) (value, slope float64)) float64 {
	low, high, x := 0.0, float64(farthest), min(max(start, 1e-300), farthest)
	for range 200 {
		value, slope := f(x)
		switch {
		case value > 0:
			high = x
		case value < 0:
			low = x
		default:
			return x
		}
		next := x - value/slope
		if math.Abs(next-x) <= 0x1p-52*x {
			return next
		}
		if !(next > low && next < high) {
			if next = (low + high) / 2; high == farthest {
				next = min(2*x, farthest)
			}
			if low == 0 && value > 0 {
				next = x / 2
			}
		}
		if next == x || next == low || next == high {
			return next
		}
		x = next
	}
	return x
}

// Where all changes are signalled, z stands still between signals, and the rule is to
// access the page at every k-th signal: with q = φ/γ,
//
//	M = k/γ,  F = 1 − q^k,  h_k = 1 − q^k − q^k·k/γ,
//
// h_k being the price from which on k + 1 is better than k.

// everyCount returns the least k with h_k ≥ price, 0 < price < 1.
func (s *signalled) everyCount(price float64) float64 {
	low, high := 0.0, 1.0
	for s.everyPrice(high) < price && high < 1e15 {
		low, high = high, 2*high
	}
	for high-low > 1 {
		if middle := math.Floor((low + high) / 2); s.everyPrice(middle) < price {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// everyPrice returns h_k.
func (s *signalled) everyPrice(k float64) float64 {
	stale := -math.Expm1(-k * s.step)
	return stale - (1-stale)*k/s.gamma
}
