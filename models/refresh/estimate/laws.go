package estimate

// This file has the densities of priors, and the gamma law that stands for another one.

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// log returns the logarithm of the density of u = ln Δ, without logScale.
func (p Prior) log(u, rate float64) float64 {
	if p.Tail == 0 {
		return p.Shape*u - p.Rate*rate
	}
	return p.Shape*u - (p.Shape+1/p.Tail)*math.Log1p(p.Tail*p.Rate*rate)
}

// logScale returns what log lacks: it does not depend on the rate.
func (p Prior) logScale() float64 {
	gamma, _ := math.Lgamma(p.Shape)
	if p.Tail == 0 {
		return p.Shape*math.Log(p.Rate) - gamma
	}
	b := 1 / p.Tail
	upper, _ := math.Lgamma(b)
	both, _ := math.Lgamma(p.Shape + b)
	return p.Shape*math.Log(p.Tail*p.Rate) + both - gamma - upper
}

// pull returns the number with which the slope of log, as a function of u = ln Δ, is Shape − Δ·pull, and its
// derivative by Δ.
func (p Prior) pull(rate float64) (pull, change float64) {
	if p.Tail == 0 {
		return p.Rate, 0
	}
	scale := p.Tail * p.Rate
	pull = (p.Shape + 1/p.Tail) * scale / (1 + scale*rate)
	return pull, -pull * scale / (1 + scale*rate)
}

// gamma returns the gamma law in which ln Δ has the same mean and variance as in p. In a beta prime law these are
// ψ(Shape) − ψ(b) + ln s and ψ'(Shape) + ψ'(b).
func (p Prior) gamma() Prior {
	if p.Tail == 0 {
		return p
	}
	b := 1 / p.Tail
	lower, _ := polygamma(p.Shape)
	upper, _ := polygamma(b)
	return gammaOf(mathext.Digamma(p.Shape)-mathext.Digamma(b)-math.Log(p.Tail*p.Rate), lower+upper)
}

// Mean returns the mean of the law, Shape/Rate; with a Tail, that of the gamma law in which ln Δ has the
// same mean and variance.
func (p Prior) Mean() float64 {
	p = p.gamma()
	return p.Shape / p.Rate
}

// moments returns the mean and the standard deviation of a gamma law.
func (p Prior) moments() (mean, deviation float64) {
	return p.Shape / p.Rate, math.Sqrt(p.Shape) / p.Rate
}

// like returns the law of the kind of other in which ln Δ has the same mean and variance as in p, a gamma law. If
// other has a Tail, the law has one, too, with the same Shape·Tail.
func (p Prior) like(other Prior) Prior {
	if other.Tail == 0 {
		return p
	}
	ratio := 1 / (other.Tail * other.Shape)
	want, _ := polygamma(p.Shape)
	shape := math.Exp(bisect(math.Log(leastShape), math.Log(greatestShape), func(x float64) bool {
		lower, _ := polygamma(math.Exp(x))
		upper, _ := polygamma(ratio * math.Exp(x))
		return lower+upper > want
	}))
	power := ratio * shape
	mean := mathext.Digamma(p.Shape) - math.Log(p.Rate)
	return Prior{Shape: shape, Rate: power * math.Exp(mathext.Digamma(shape)-mathext.Digamma(power)-mean), Tail: 1 / power}
}

// gammaOf returns the gamma law in which ln Δ has a mean and a variance.
func gammaOf(mean, variance float64) Prior {
	shape := inverseTrigamma(variance)
	return Prior{Shape: shape, Rate: math.Exp(mathext.Digamma(shape) - mean)}
}

// gammaWith returns the gamma law in which ln Δ has the given mean, ψ(Shape) − ln Rate, and 1/Δ the mean inverse,
// Rate/(Shape − 1). With x = ln(Shape − 1), the sum mean + ln inverse is ψ(1 + e^x) − x, which is convex and falls
// from +Inf to 0. Newton's method climbs to the root from ψ(1) − sum, which is left of it.
func gammaWith(mean, inverse float64) Prior {
	const most = 40
	sum := mean + math.Log(inverse)
	x := mathext.Digamma(1) - sum
	for range maxNewton {
		above := math.Exp(x)
		slope, _ := polygamma(1 + above)
		step := (mathext.Digamma(1+above) - x - sum) / (1 - slope*above)
		if !(step > 1e-12) || x > most {
			break
		}
		x += step
	}
	above := math.Exp(min(x, most))
	return Prior{Shape: 1 + above, Rate: above * inverse}
}

// inverseTrigamma returns x with ψ'(x) = y > 0. 1/ψ' is convex and nearly a straight line, so that
// Newton's method on it climbs from the left without overshooting.
func inverseTrigamma(y float64) float64 {
	x := 0.5 + 1/y
	for range maxNewton {
		value, slope := polygamma(x)
		step := value * (1 - value/y) / slope
		x += step
		if math.Abs(step) <= 1e-12*x {
			break
		}
	}
	return x
}

// polygamma returns the first two derivatives of ψ at x > 0: by recurrence up to 8, and by asymptotic series
// from there on.
func polygamma(x float64) (first, second float64) {
	for ; x < 8; x++ {
		first += 1 / (x * x)
		second -= 2 / (x * x * x)
	}
	y := 1 / (x * x)
	first += 1/x + y/2 + y/x*(1./6-y*(1./30-y*(1./42-y*(1./30-y*5/66))))
	second -= y + y/x + y*y*(1./2-y*(1./6-y*(1./6-y*(3./10-y*5/6))))
	return first, second
}
