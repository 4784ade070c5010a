// This file has the laws that the site draws from, with the papers that they are from.

package site

import (
	"math"
	"math/rand/v2"
)

// A Law is a distribution of positive numbers.
type Law interface {
	// Draw returns a number of the distribution.
	Draw(random *rand.Rand) float64
	// Mean returns the expectation.
	Mean() float64
}

// Exponential is the exponential distribution with the mean that it is.
type Exponential float64

// Draw implements [Law].
func (mean Exponential) Draw(random *rand.Rand) float64 { return float64(mean) * random.ExpFloat64() }

// Mean implements [Law].
func (mean Exponential) Mean() float64 { return float64(mean) }

// LogNormal is the distribution of e^X, X normal with mean Mu and standard deviation Sigma, cut
// off below Least and above Most: what lies beyond is drawn again. Most = 0 stands for no bound.
type LogNormal struct {
	Mu, Sigma   float64
	Least, Most float64
}

// Draw implements [Law].
func (l LogNormal) Draw(random *rand.Rand) float64 {
	for {
		x := math.Exp(l.Mu + l.Sigma*random.NormFloat64())
		if x >= l.Least && (l.Most == 0 || x <= l.Most) {
			return x
		}
	}
}

// Mean implements [Law]: with Φ the normal distribution, a and b the bounds in standard
// deviations from Mu, it is e^{μ+σ²/2}·(Φ(b−σ)−Φ(a−σ))/(Φ(b)−Φ(a)).
func (l LogNormal) Mean() float64 {
	a, b := math.Inf(-1), math.Inf(1)
	if l.Least > 0 {
		a = (math.Log(l.Least) - l.Mu) / l.Sigma
	}
	if l.Most > 0 {
		b = (math.Log(l.Most) - l.Mu) / l.Sigma
	}
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	return math.Exp(l.Mu+l.Sigma*l.Sigma/2) * (normal(b-l.Sigma) - normal(a-l.Sigma)) / (normal(b) - normal(a))
}

// PageSize is the law of the size of a page, in bytes: log-normal with mean 10,710 and standard
// deviation 25,032 before it is cut off at 100 and 2·10⁶. These are the figures for the main
// object of a page in the traffic model for the evaluation of mobile networks, as in Table 1 of
// Femtocell interference analysis based on the development of system-level LTE simulator (EURASIP
// Journal on Wireless Communications and Networking 2012:287). Pages of today are longer.
var PageSize = logNormal(10_710, 25_032, 100, 2e6)

// logNormal returns the log-normal distribution with a mean and a standard deviation, cut off.
func logNormal(mean, deviation, least, most float64) LogNormal {
	variance := math.Log1p(deviation * deviation / (mean * mean))
	return LogNormal{math.Log(mean) - variance/2, math.Sqrt(variance), least, most}
}

// CommonFaults are those of the Web: 8 % of the answers lead elsewhere, 6.5 % say that there is no
// such page, and 0.5 % that the server has failed, as Alexa's crawl of April and May 2006 found
// them (blog.alexa.com, HTTP response codes: is anybody home?, 5 July 2006). The rest is ours:
// 0.5 % of the fetches hang, and robots.txt forbids 2 % of the pages.
var CommonFaults = Faults{Moved: 0.08, Gone: 0.065, Error: 0.005, Hang: 0.005, Disallowed: 0.02}
