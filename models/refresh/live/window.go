package live

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// window is an interval of multipliers, and the sums of the rates of regular pages
// at its Chebyshev nodes.
type window struct {
	middle      float64
	multipliers [nodes]float64
	low, high   float64 // the margins
	sums        [nodes]doubledouble.Accumulator
	rounding    float64 // at most that of the changes of sums, since they were built
}

// nodes is the number of Chebyshev nodes of a window. Pages whose rates have no kink
// or other singularity within margin half-widths of its middle are smooth: the
// polynomial through the nodes is off by less than (m+√(m²−1))^{−nodes}, 4·10⁻¹⁵, of
// the little that their rates change over the window.
const (
	nodes     = 12
	halfWidth = 0x1p-10 // in ln λ
	margin    = 8
)

func windowAround(multiplier float64) *window {
	w := &window{middle: multiplier}
	w.low, w.high = w.at(-margin), w.at(margin)
	for j := range nodes {
		w.multipliers[j] = w.at(math.Cos(math.Pi * (float64(j) + 0.5) / nodes))
	}
	return w
}

// at returns the multiplier at a position.
func (w *window) at(position float64) float64 { return w.middle * math.Exp(halfWidth*position) }

// position returns where a multiplier lies in the window, −1 to 1 if inside.
func (w *window) position(multiplier float64) float64 {
	return math.Log(multiplier/w.middle) / halfWidth
}

// chebyshev are the coefficients of a polynomial in Chebyshev's polynomials.
type chebyshev [nodes]float64

// interpolate returns the polynomial through the sums at the nodes, less that at the
// first: the rounding of its coefficients is that of a small difference.
func (w *window) interpolate() chebyshev {
	var c chebyshev
	for j, sum := range w.sums {
		sum.Merge(w.sums[0].Neg())
		for k := range c {
			c[k] += sum.Sum() * math.Cos(math.Pi*float64(k)*(float64(j)+0.5)/nodes)
		}
	}
	for k := range c {
		c[k] *= 2.0 / nodes
	}
	c[0] /= 2
	return c
}

// at returns the value and the derivative at u, by the recurrences of Chebyshev's
// polynomials T_k and of T_k′.
func (c chebyshev) at(u float64) (value, slope float64) {
	t, before := u, 1.0
	dt, dBefore := 1.0, 0.0
	value, slope = c[0]+c[1]*u, c[1]
	for _, coefficient := range c[2:] {
		t, before, dt, dBefore = 2*u*t-before, t, 2*t+2*u*dt-dBefore, dt
		value += coefficient * t
		slope += coefficient * dt
	}
	return value, slope
}
