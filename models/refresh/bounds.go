package refresh

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/special"
	"github.com/mdpsolve/mdpsolve/queue"
)

// LeastObsolescence returns the least fraction of time in which a page is out of
// date under any order of accesses that gives it the share f of the slots:
//
//	r = 1 − (f/(μE[X]))·(1 − h^{1/f}),  h = E[e^{−μX}]
//
// (Coffman, Liu and Weber, Theorem 3.3), reached where its accesses are evenly
// spaced. X is the access time.
//
// Special cases are:
//
//	LeastObsolescence(law, 0, f) = 0
//	LeastObsolescence(law, μ, 0) = 1 for μ > 0
//	LeastObsolescence(law, μ, f) = NaN for μ < 0, μ = +Inf, f < 0, f > 1, or NaN
func LeastObsolescence(law queue.Law, changeRate, frequency float64) float64 {
	return closedObsolescence(changeRate, frequency, NewCoffman(law))
}

// RandomizedObsolescence returns the fraction of time in which a page is out of
// date when each slot is given to it with probability f, independently:
//
//	r = 1 − (f/(μE[X]))·(1 − h)/(1 − h + fh),  h = E[e^{−μX}]
//
// (Coffman, Liu and Weber, Lemma 4.1). Its special cases are those of
// [LeastObsolescence].
func RandomizedObsolescence(law queue.Law, changeRate, frequency float64) float64 {
	return closedObsolescence(changeRate, frequency, NewCoffmanRandomized(law))
}

// closedObsolescence is the cost of one page of weight 1.
func closedObsolescence(changeRate, frequency float64, objective interface {
	Objective
	Limited
},
) float64 {
	if !(changeRate >= 0) || math.IsInf(changeRate, 1) || !(frequency >= 0 && frequency <= 1) {
		return math.NaN()
	}
	_, fastest := objective.Limits()
	var value, marginal [1]float64
	objective.Measure(value[:], marginal[:], Pages{ChangeRates: []float64{changeRate}}, []float64{frequency * fastest})
	return value[0]
}

// ProportionalBound returns what no order of accesses can beat when weights are
// proportional to change rates, c_i = c₀μ_i, and the crawler is never idle:
//
//	C* = c₀·(Σμ_i − (1 − Π h_i)/E[X]),  h_i = E[e^{−μ_iX}]
//
// (Coffman, Liu and Weber, Theorem 3.4). It is reached by [Coffman]'s rates,
// which are proportional to ln(1/h_i), where each page's accesses can be evenly
// spaced. Change rates are numbers of 0 or more; it is NaN where one is not.
func ProportionalBound(changeRates []float64, unitWeight float64, law queue.Law) float64 {
	l := newAccessLaw(law)
	// With L_i = ln(1/h_i) ≤ μ_iE[X]: Σ(μ_iE[X] − L_i) + (ΣL_i − 1 + e^{−ΣL_i}).
	expected, exponents, deficits := l.sums(changeRates, l.exponent, l.deficit)
	if exponents >= 1 { // it may be infinite
		return unitWeight * (expected + math.Expm1(-exponents)) / l.mean
	}
	return unitWeight * (deficits + special.ExpExcess(exponents)) / l.mean
}

// RandomizedProportionalBound returns the least cost of drawing the page of each
// slot at random when c_i = c₀μ_i and the crawler is never idle:
//
//	C* = c₀·(Σμ_i − (1/E[X])·A/(1+A)),  A = Σ(1/h_i − 1)
//
// (Coffman, Liu and Weber, Theorem 4.1). It is reached with frequencies
// proportional to 1/h_i − 1. Change rates are numbers of 0 or more; it is NaN
// where one is not.
func RandomizedProportionalBound(changeRates []float64, unitWeight float64, law queue.Law) float64 {
	l := newAccessLaw(law)
	// Σ(y_i − A_i) + A²/(1+A), y_i = μ_iE[X].
	expected, a, leads := l.sums(changeRates, l.odds, l.lead)
	if a > 1 || expected > 1 { // a may be infinite
		return unitWeight * (expected - 1/(1+1/a)) / l.mean
	}
	return unitWeight * (leads + a*a/(1+a)) / l.mean
}

// sums returns, over all pages, the sums of y = μE[X], of a function of μ near y, and
// of their difference.
func (l accessLaw) sums(changeRates []float64, near func(mu float64) float64, less func(mu, near float64) float64) (expected, nears, rests float64) {
	var sums [3]doubledouble.Accumulator
	for _, mu := range changeRates {
		x := near(mu)
		sums[0].Add(mu * l.mean)
		sums[1].Add(x)
		sums[2].Add(less(mu, x))
	}
	return sums[0].Sum(), sums[1].Sum(), sums[2].Sum()
}

// What the golden ratio policy costs compared with the bound of Theorem 3.4, as the
// number of pages grows and the change rate of each vanishes.
//
// Let f = θφ^{−j} with 1 ≤ θ ≤ φ. The gaps of a page with that frequency are then θ/√5,
// θφ/√5 and θφ²/√5 times its mean gap 1/f, and when pages change little between
// accesses its cost follows from the second moment of the gaps: θ(φ³−φθ)·2/5 times the
// bound. This is 2φ²/5 at the ends θ = 1 and θ = φ, but φ⁵/10 at θ = φ²/2 in between.
// Corollary 5.1 of Coffman, Liu and Weber, which claims 2φ²/5 for all frequencies,
// takes the ends for the worst case; 1042 pages of equal rates are a counterexample,
// see the tests. Where obsolescence is that small, freshness loses little: it is never
// less than 96.5% of that at the bound, the least being where pages change 1.6 times
// between accesses on average.
const (
	// GoldenRatioPowersFactor is 2φ²/5 ≈ 1.0472, the greatest factor where every
	// frequency is a power of 1/φ: Corollary 5.1.
	GoldenRatioPowersFactor = 2 * math.Phi * math.Phi / 5

	// GoldenRatioFactor is φ⁵/10 ≈ 1.1090, the greatest factor.
	GoldenRatioFactor = math.Phi * math.Phi * math.Phi * math.Phi * math.Phi / 10
)

// GoldenRatioLimit returns the cost Σ c_i·r_i of the golden ratio policy γ(k,N)
// with frequencies f_i as its cycle grows, k → ∞. The gaps of page i are then
// Fibonacci numbers F_j, F_{j+1} and F_{j+2} with j = ⌈−log_φ f_i⌉, and
//
//	r_i = 1 − (1/(μ_iE[X]))·{f_i − (f_i−φ^{−j})·h_i^{F_j} −
//	      (f_i−φ^{−(j+1)})·h_i^{F_{j+1}} − (φ^{−(j−1)}−f_i)·h_i^{F_{j+2}}}
//
// (Coffman, Liu and Weber, section 5, with the exponents and a sign put right;
// gaps by Itai and Rosberg, 1984). Frequencies are scaled to sum to 1; the
// crawler is never idle. It panics unless there is one frequency for each page.
//
// Special cases are:
//
//	NaN where a frequency is negative, NaN or infinite, or all are 0
//	NaN where a change rate is negative, NaN or infinite
func GoldenRatioLimit(pages Pages, frequencies []float64, law queue.Law) float64 {
	if len(frequencies) != pages.Len() {
		panic("refresh: GoldenRatioLimit needs one frequency for each page")
	}
	l := newAccessLaw(law)
	sum := doubledouble.Accumulator{}
	sum.AddAll(frequencies)
	cost := doubledouble.Accumulator{}
	for i, mu := range pages.ChangeRates {
		f := frequencies[i] / sum.Sum()
		switch {
		case !(f >= 0 && mu >= 0) || math.IsInf(mu, 1):
			return math.NaN()
		case mu == 0:
		case f == 0:
			cost.Add(pages.Weight(i))
		default:
			cost.Add(pages.Weight(i) * l.goldenObsolescence(mu, f))
		}
	}
	return cost.Sum()
}

// goldenObsolescence mixes the three gaps: a share a_m of all slots ends a gap
// of F_m slots of this page, Σa_m = f and Σa_mF_m = 1.
func (l accessLaw) goldenObsolescence(mu, f float64) float64 {
	j := math.Max(0, math.Ceil(-math.Log(f)/math.Log(math.Phi)))
	power := math.Pow(math.Phi, -j)
	shares := [3]float64{f - power, f - power/math.Phi, power*math.Phi - f}
	exponent, y := l.exponent(mu), mu*l.mean
	fresh, stale := 0.0, 0.0
	for m, share := range shares {
		if share <= 0 { // but for rounding, and F_0 = 0
			continue
		}
		fresh += share * -math.Expm1(-exponent*fibonacci(j+float64(m)))
		stale += share * special.ExpExcess(exponent*fibonacci(j+float64(m)))
	}
	if y >= 1 {
		return 1 - fresh/y
	}
	return (l.deficit(mu, exponent) + stale) / y
}

// fibonacci returns F_j = (φ^j − (−φ)^{−j})/√5, rounded where it is below 2⁵³.
func fibonacci(j float64) float64 {
	f := math.Pow(math.Phi, j) / math.Sqrt(5)
	if f < 0x1p50 {
		return math.Round(f)
	}
	return f
}
