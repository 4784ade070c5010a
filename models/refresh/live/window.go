package live

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// window is an interval of multipliers, and the sums of the rates of pages at its
// Chebyshev nodes. One around 0 has no width.
type window struct {
	middle, half float64 // half is its half-width, in ln λ
	multipliers  [nodes]float64
	low, high    float64 // the margins
	sums         [nodes]doubledouble.Accumulator
	rounding     float64   // at most that of the changes of sums, since they were built
	polynomial   chebyshev // through sums, less the first one
	stale        bool      // polynomial is not yet that through sums
}

// nodes is the number of Chebyshev nodes of a window. Pages whose rates have no kink
// or other singularity within margin half-widths of its middle are smooth: the
// polynomial through the nodes is off by less than (m+√(m²−1))^{−nodes}, 4·10⁻¹⁵, of
// the little that their rates change over the window.
const (
	nodes  = 12
	margin = 8
)

func windowAround(multiplier, half float64) window {
	w := window{middle: multiplier, half: half, stale: true}
	w.low, w.high = w.at(-margin), w.at(margin)
	for j := range nodes {
		w.multipliers[j] = w.at(nodeAngles[j][1])
	}
	return w
}

// at returns the multiplier at a position.
func (w *window) at(position float64) float64 { return w.middle * math.Exp(w.half*position) }

// position returns where a multiplier lies in the window, −1 to 1 if inside.
func (w *window) position(multiplier float64) float64 {
	if multiplier == w.middle {
		return 0
	}
	return math.Log1p((multiplier-w.middle)/w.middle) / w.half
}

// covers reports whether a multiplier lies in the window.
func (w *window) covers(multiplier float64) bool {
	return math.Abs(w.position(multiplier)) <= 1+0x1p-40
}

// addTo adds the sum of the rates at a multiplier inside the window to sum, and
// returns −d/d ln λ of it.
func (w *window) addTo(sum *doubledouble.Accumulator, multiplier float64) (slope float64) {
	if w.stale {
		w.polynomial, w.stale = w.interpolate(), false
	}
	more, slope := w.polynomial.at(w.position(multiplier))
	sum.Merge(w.sums[0])
	sum.Add(more)
	return -slope / w.half
}

// chebyshev are the coefficients of a polynomial in Chebyshev's polynomials.
type chebyshev [nodes]float64

// nodeAngles[j][k] is T_k at node j: cos(kπ(j+½)/nodes).
var nodeAngles = func() (cosines [nodes][nodes]float64) {
	for j := range nodes {
		for k := range nodes {
			cosines[j][k] = math.Cos(math.Pi * float64(k) * (float64(j) + 0.5) / nodes)
		}
	}
	return cosines
}()

// interpolate returns the polynomial through the sums at the nodes, less that at the
// first: the rounding of its coefficients is that of a small difference.
func (w *window) interpolate() chebyshev {
	var c chebyshev
	for j, sum := range w.sums {
		sum.Merge(w.sums[0].Neg())
		difference := sum.Sum()
		for k := range c {
			c[k] += difference * nodeAngles[j][k]
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
func (c *chebyshev) at(u float64) (value, slope float64) {
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
