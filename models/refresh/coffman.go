package refresh

import "github.com/mdpsolve/mdpsolve/queue"

// Coffman is the cost Σ c_i·r_i of Coffman, Liu and Weber, c_i being the weight
// of page i and r_i its obsolescence when its accesses are as evenly spaced as
// can be and each access of any page takes a random time X (section 3):
//
//	r_i = 1 − (f_i/(μ_iE[X]))·(1 − h_i^{1/f_i}),  h_i = E[e^{−μ_iX}],
//
// where μ_i is the change rate and f_i = x_i·E[X] the share of page i among the
// slots, each an access or, where the bandwidth is below 1/E[X], as long as one
// but idle. By Theorem 3.3 no order of accesses with these shares has a lower
// r_i, so that the optimum is a bound for every schedule. With weights in
// proportion to change rates and R = 1/E[X] it is that of Theorem 3.4,
// [ProportionalBound].
//
// It is [FixedOrder] with change rates Δ_i = ln(1/h_i)/E[X] and weights
// c_iΔ_i/μ_i.
type Coffman struct{ slotCost }

// NewCoffman returns the objective for a law of access times. Its E[X] is in the
// pages' unit of time.
func NewCoffman(law queue.Law) Coffman { return Coffman{slotCost{law: newAccessLaw(law)}} }

// String returns "coffman".
func (Coffman) String() string { return "coffman" }

// CoffmanRandomized is the cost Σ c_i·r_i where the page of each slot is drawn
// at random, page i with probability f_i = x_i·E[X] (Coffman, Liu and Weber,
// Lemma 4.1):
//
//	r_i = 1 − (f_i/(μ_iE[X]))·(1 − h_i)/(1 − h_i + f_ih_i).
//
// Each page takes f_i = max(0, (√(c_i/(λμ_i)) − 1)·(1 − h_i)/h_i), which is
// their equation (15) with λ per unit of rate in place of λE[X] per unit of
// frequency. With weights in proportion to change rates and R = 1/E[X] the
// optimum is that of Theorem 4.1, [RandomizedProportionalBound].
//
// It is [Random] with change rates Δ_i = (1/h_i − 1)/E[X] and weights c_iΔ_i/μ_i.
type CoffmanRandomized struct{ slotCost }

// NewCoffmanRandomized is [NewCoffman] for pages drawn at random.
func NewCoffmanRandomized(law queue.Law) CoffmanRandomized {
	return CoffmanRandomized{slotCost{law: newAccessLaw(law), randomized: true}}
}

// String returns "coffman-randomized".
func (CoffmanRandomized) String() string { return "coffman-randomized" }

// slotCost has the methods of [Coffman] and [CoffmanRandomized].
type slotCost struct {
	law        accessLaw
	randomized bool
}

// Demand implements [Objective].
func (o slotCost) Demand(rates, slopes []float64, pages Pages, multiplier float64) {
	for i, mu := range pages.ChangeRates {
		price := multiplier * mu / weightAt(pages.Weights, i) // λΔ/w, NaN for 0/0
		switch {
		case !(price < 1):
			rates[i], slopes[i] = 0, 0
		case o.randomized:
			rates[i], slopes[i] = squareRootDemand(o.law.odds(mu)/o.law.mean, price)
		default:
			rates[i], slopes[i] = evenDemand(o.law.exponent(mu)/o.law.mean, price)
		}
	}
}

// Measure implements [Objective].
func (o slotCost) Measure(values, marginals []float64, pages Pages, rates []float64) {
	for i, mu := range pages.ChangeRates {
		weight, share := weightAt(pages.Weights, i), rates[i]*o.law.mean // share is f
		switch {
		case mu == 0:
			values[i], marginals[i] = 0, 0
		case o.randomized:
			odds := o.law.odds(mu)
			part := oddsShare(odds, share)
			values[i], marginals[i] = weight*o.law.randomObsolescence(mu, odds, share), weight/mu*part*part
		default:
			exponent := o.law.exponent(mu)
			d := newDecay(exponent / o.law.mean / rates[i])
			values[i], marginals[i] = weight*o.law.obsolescence(mu, exponent, share, d), weight/mu*d.g
		}
	}
}

// Limits implements [Limited]: f_i is at most 1.
func (o slotCost) Limits() (changeRate, rate float64) { return GreatestNumber, 1 / o.law.mean }

// Minimizes returns true.
func (slotCost) Minimizes() bool { return true }
