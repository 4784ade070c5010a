package queue

import "math"

// rescaleExponent is the greatest binary exponent of a weight. A weight is lost only
// below 2^−1974 of the greatest one, which is less than any float64 probability.
const rescaleExponent = 900

// departureChain computes the stationary weights of the number of customers
// just after a departure, and their derivatives with respect to ln Λ; see
// [MG1K] for the derivation.
type departureChain struct {
	exactly, atLeast, excess []float64 // of the arrivals during a service, 0 … K
	atLeastSlope             []float64 // Λ·dP(A ≥ k)/dΛ = k·P(A = k)
	reach                    int       // P(A ≥ k) = 0 from k = reach on
	weight, slope            []float64 // π_j and dπ_j/d ln Λ up to one factor, 0 … K−1
}

func newDepartureChain(counts Arrivals, buffer int) *departureChain {
	chain := &departureChain{
		exactly: counts.Exactly, atLeast: counts.AtLeast, excess: counts.Excess,
		atLeastSlope: make([]float64, buffer+1), reach: buffer + 1,
		weight: make([]float64, buffer), slope: make([]float64, buffer),
	}
	for k, probability := range counts.Exactly {
		chain.atLeastSlope[k] = float64(k) * probability
	}
	for chain.reach > 1 && chain.atLeast[chain.reach-1] == 0 {
		chain.reach--
	}
	return chain
}

// excessSlope returns Λ·dE[(A−m)⁺]/dΛ = E[A; A > m] = E[(A−m)⁺] + m·P(A > m),
// for m < K.
func (c *departureChain) excessSlope(m int) float64 {
	return c.excess[m] + float64(m)*c.atLeast[m+1]
}

// solve fills the weights level by level. Differentiating
// π_{j+1}·P(A=0) = up, the term with Λ·dP(A=0)/dΛ = −P(A=1) moves to the right
// and is positive there.
func (c *departureChain) solve() {
	none, one := c.exactly[0], c.exactly[1]
	_, noneExponent := math.Frexp(none)
	c.weight[0] = 1
	for j := range len(c.weight) - 1 {
		up, upSlope := c.crossing(j)
		_, upExponent := math.Frexp(up)
		if over := upExponent - noneExponent - rescaleExponent; over > 0 {
			c.shrink(j, over)
			up, upSlope = math.Ldexp(up, -over), math.Ldexp(upSlope, -over)
		}
		c.weight[j+1] = up / none
		c.slope[j+1] = (upSlope + c.weight[j+1]*one) / none
	}
}

// crossing returns the flow up across the cut between j and j+1, and its
// derivative.
func (c *departureChain) crossing(j int) (up, upSlope float64) {
	up = c.weight[0] * c.atLeast[j+1]
	upSlope = c.weight[0]*c.atLeastSlope[j+1] + c.slope[0]*c.atLeast[j+1]
	for i := max(1, j+3-c.reach); i <= j; i++ {
		k := j - i + 2
		up += c.weight[i] * c.atLeast[k]
		upSlope += c.slope[i]*c.atLeast[k] + c.weight[i]*c.atLeastSlope[k]
	}
	return up, upSlope
}

// shrink multiplies the weights 0 … j by 2^−exponent.
func (c *departureChain) shrink(j, exponent int) {
	for i := range j + 1 {
		c.weight[i] = math.Ldexp(c.weight[i], -exponent)
		c.slope[i] = math.Ldexp(c.slope[i], -exponent)
	}
}
