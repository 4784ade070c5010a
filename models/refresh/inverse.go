package refresh

import "math"

// # The inverse for freshness
//
// With accesses every 1/x and z = Δ/x, the marginal value of freshness is
// (w/Δ)·g(z), g(z) = 1 − (1+z)e^{−z}, which rises from 0 to 1. The rate at a
// price λ is x = Δ/z with g(z) = c = λΔ/w. With y = e^{−z} this is the equation
// 1 − y + y·ln y = c of Coffman, Liu and Weber (eq. 8); its solution is
// z = −1 − W₋₁(−(1−c)/e), W₋₁ the lower branch of Lambert's function.
//
// z is found without iteration and, where c < 1/2, without a transcendental
// function. It has a square-root branch point at c = 0, since g(z) ≈ z²/2, and
// a logarithmic one at c = 1, since 1 − g(z) = (1+z)e^{−z}:
//
//   - for c < 1/2, z/s is an analytic function of s = √(2c) with its nearest
//     singularities at s = ±√2, where c = 1;
//   - for c ≥ 1/2, 1 − c is exact, z − ln(1+z) = v with v = −ln(1−c), and z is
//     an analytic function of p = √(2v) with its nearest singularities at
//     v = ±2πi, the next zeros of g′(z) = ze^{−z} around the branch point at 1.
//
// Each is interpolated by polynomials of degree 12 at the Chebyshev nodes of
// short intervals, to 10⁻¹⁶ relative and better. With the roundings of the
// square root, the logarithm and Horner's scheme the relative error of z stays
// below 2·2⁻⁵² for c < 1/2 and 3·2⁻⁵² above. The tests find the coefficients and
// the errors again with 300 bits.
//
// # The inverse for age
//
// The marginal value of age is (w/Δ²)·k(z), k(z) = z²/2 − g(z), which rises
// from 0 without bound. Since k(z) ≈ z³/3 at 0, z/u is analytic in u = (3c)^⅓,
// with the nearest singularities, at k(±2πi), 3.9 away from 0 and 3.2 from the
// real line. For u ≥ 14 the exponential in k is below 10⁻¹⁷ of the rest and
// z = √(2(c+1)). The relative error of z stays below 3·2⁻⁵².

// inverseFreshness returns the z with g(z) = c.
//
// Special cases are:
//
//	inverseFreshness(c) = +Inf for c ≥ 1 and c = NaN
func inverseFreshness(c float64) float64 {
	if c < 0.5 {
		s := math.Sqrt(2 * c)
		piece := min(int(8*s), len(freshnessBelow)-1)
		return s * polynomial(&freshnessBelow[piece], s-0.125*(float64(piece)+0.5))
	}
	if !(c < 1) {
		return math.Inf(1)
	}
	p := math.Sqrt(-2 * math.Log(1-c))
	piece := min(int(2*(p-1)), len(freshnessAbove)-1)
	return polynomial(&freshnessAbove[piece], p-(1.25+0.5*float64(piece)))
}

// inverseAge returns the z with k(z) = c, for c ≥ 0.
func inverseAge(c float64) float64 {
	u := math.Cbrt(3 * c)
	if u < 14 {
		piece := int(2 * u)
		return u * polynomial(&ageTable[piece], u-0.5*(float64(piece)+0.5))
	}
	return math.Sqrt(2 * (c + 1))
}

// polynomial evaluates by Horner's scheme.
func polynomial(c *[13]float64, x float64) float64 {
	return c[0] + x*(c[1]+x*(c[2]+x*(c[3]+x*(c[4]+x*(c[5]+x*(c[6]+x*(c[7]+x*(c[8]+x*(c[9]+x*(c[10]+x*(c[11]+x*c[12])))))))))))
}
