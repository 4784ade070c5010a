package queue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/special"
)

// uniform is the law of services whose lengths are spread evenly from a least to
// a greatest one.
type uniform struct {
	least, greatest float64
	mean            float64
	text            string
}

// NewUniform returns the law of services whose lengths are spread evenly from a least
// to a greatest one, or an error unless 0 ≤ least < greatest and greatest is finite.
func NewUniform(least, greatest float64) (Law, error) {
	if !(least >= 0 && least < greatest) || math.IsInf(greatest, 1) {
		return nil, fmt.Errorf("least %v and greatest %v are not valid: use two finite numbers of 0 or more, in order", least, greatest)
	}
	text := "uniform:" + formatNumber(least) + "," + formatNumber(greatest)
	return uniform{least, greatest, least/2 + greatest/2, text}, nil
}

// parseUniform stretches or shrinks the law to the mean; its text keeps the ends.
func parseUniform(t lawText) (Law, error) {
	first, second, _ := strings.Cut(t.argument, ",")
	least, leastFault := number.Parse(first)
	greatest, greatestFault := number.Parse(second)
	law, err := NewUniform(least, greatest)
	if err != nil || leastFault != nil || greatestFault != nil {
		return nil, fmt.Errorf("%q is not valid: use uniform:a,b with numbers 0 ≤ a < b", "uniform:"+t.argument)
	}
	scale := t.mean / law.Mean()
	scaled := uniform{least * scale, greatest * scale, t.mean, law.String()}
	if !isNormal(law.Mean()) || !isNormal(scale) || !(scaled.least < scaled.greatest && isPositive(scaled.greatest)) {
		return nil, fmt.Errorf("%v cannot be scaled to a mean of %v", law, t.mean)
	}
	return scaled, nil
}

// isNormal reports whether x is positive, finite, and has all 53 bits.
func isNormal(x float64) bool { return isPositive(x) && x >= 0x1p-1022 }

// Mean implements [Law].
func (l uniform) Mean() float64 { return l.mean }

// Variance implements [Law].
func (l uniform) Variance() float64 { return l.width() * (l.width() / 12) }

func (l uniform) width() float64 { return l.greatest - l.least }

// Laplace implements [Law]: e^{−xa}·(1−e^{−xw})/(xw) for a range from a of width
// w.
func (l uniform) Laplace(x float64) float64 {
	if !(x >= 0) {
		return math.NaN()
	}
	if math.IsInf(x, 1) {
		return 0
	}
	return math.Exp(-x*l.least) * evenLaplace(x*l.width())
}

// LaplaceComplement implements [Law].
func (l uniform) LaplaceComplement(x float64) float64 {
	if !(x >= 0) {
		return math.NaN()
	}
	if math.IsInf(x, 1) {
		return 1
	}
	// 1 − e·m = (1−e) + e·(1−m)
	return -math.Expm1(-x*l.least) + math.Exp(-x*l.least)*evenComplement(x*l.width())
}

// LaplaceExcess implements [Law]. With a the least length, m the
// transform of what is beyond it and E[R] the mean of that, it is
// (e^{−xa} − 1 + xa) + (m − 1 + xE[R]) + (1 − e^{−xa})·(1 − m).
func (l uniform) LaplaceExcess(x float64) float64 {
	if !(x >= 0) {
		return math.NaN()
	}
	if math.IsInf(x, 1) {
		return x
	}
	a, y := x*l.least, x*l.width()
	return special.ExpExcess(a) + evenExcess(y) - math.Expm1(-a)*evenComplement(y)
}

// evenLaplace returns (1−e^{−y})/y, the mean of e^{−u} over 0 … y.
func evenLaplace(y float64) float64 {
	if y == 0 {
		return 1
	}
	return -math.Expm1(-y) / y
}

// evenComplement returns 1 − (1−e^{−y})/y, the mean of 1 − e^{−u}.
func evenComplement(y float64) float64 {
	if y > 1 {
		return (math.Exp(-y) - 1 + y) / y
	}
	// y·Σ_k (−y)^k/(k+2)!
	sum := 0.0
	for k := 20; k >= 3; k-- {
		sum = (1 - y*sum) / float64(k)
	}
	return y * (1 - y*sum) / 2
}

// evenExcess returns (1−e^{−y})/y − 1 + y/2, the mean of e^{−u} − 1 + u.
func evenExcess(y float64) float64 {
	if y > 1 {
		return evenLaplace(y) - 1 + y/2
	}
	// y²·Σ_k (−y)^k/(k+3)!
	sum := 0.0
	for k := 21; k >= 4; k-- {
		sum = (1 - y*sum) / float64(k)
	}
	return y * y * (1 - y*sum) / 6
}

// uniformNodes is the number of points of Gauss and Legendre's rule in each
// panel of Arrivals.
const uniformNodes = 16

// Arrivals implements [Law]. The counts are means of those of Poisson arrivals
// during services of fixed lengths, by Gauss and Legendre's rule on panels so
// short that t^n·e^{−Λt} is close to a polynomial on each. All terms are
// positive. It takes time proportional to n times the number of panels, which is
// Λ times the width of the range, or n if that is more.
func (l uniform) Arrivals(rate float64, n int) Arrivals {
	counts, ok := newArrivals(rate, n)
	if !ok {
		return counts
	}
	point, _ := newArrivals(rate, n)
	panel, _ := newArrivals(rate, n) // thousands of nodes in one sum would leave fewer digits
	times, weights := make([]float64, uniformNodes), make([]float64, uniformNodes)
	for from := l.least; from < l.greatest; {
		to := min(l.greatest, from+l.panel(from, rate, n))
		quad.Legendre{}.FixedLocations(times, weights, from, to)
		panel.clear()
		for i, time := range times {
			point.fillPoisson(rate * time)
			panel.add(weights[i]/l.width(), point)
		}
		counts.add(1, panel)
		from = to
	}
	return counts
}

// panel returns the length of the panel that begins at from. The first panel at
// 0 may be longer in proportion to its place: with k ≥ 20 arrivals it hardly
// counts.
func (l uniform) panel(from, rate float64, n int) float64 {
	length := 4 / rate
	if from == 0 {
		return min(length, l.greatest/16)
	}
	return max(min(length, from*4/float64(n+1)), 0x1p-50*l.greatest)
}

// Draw implements [Law].
func (l uniform) Draw(random *rand.Rand) float64 { return l.least + l.width()*random.Float64() }

// String implements [Law], with the ends before any scaling by [ParseLaw].
func (l uniform) String() string { return l.text }
