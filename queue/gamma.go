package queue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/mdpsolve/mdpsolve/internal/special"
)

// gamma is the law with density proportional to t^{r−1}·e^{−rt/m}, r the shape
// and m the mean. Its Laplace transform is (1+xm/r)^{−r}.
type gamma struct {
	shape, mean float64
	phases      int // the shape of an Erlang law; 0 for others
}

// NewGamma returns the gamma law with shape r and mean m. It returns an error if r, m or
// m/r is not a positive finite number. The variance is m²/r: larger than that of the
// exponential law for shapes below 1, smaller for shapes above 1.
func NewGamma(shape, mean float64) (Law, error) {
	if err := checkMean(mean); err != nil {
		return nil, err
	}
	if !isPositive(shape) || !isPositive(mean/shape) {
		return nil, fmt.Errorf("shape %v is not valid: use a finite number above 0", shape)
	}
	return gamma{shape: shape, mean: mean}, nil
}

func parseGamma(t lawText) (Law, error) {
	shape, err := parsePositive(t.argument)
	if err != nil {
		return nil, fmt.Errorf("gamma: shape %w", err)
	}
	return NewGamma(shape, t.mean)
}

// NewErlang returns the law of the sum of independent exponential phases of equal mean:
// the [NewGamma] law whose shape is their number. mean is that of the sum. It returns an
// error if there is no phase or the mean is not a positive finite number.
func NewErlang(phases int, mean float64) (Law, error) {
	if phases < 1 {
		return nil, fmt.Errorf("%d phases are not valid: use 1 or more", phases)
	}
	if _, err := NewGamma(float64(phases), mean); err != nil {
		return nil, err
	}
	return gamma{float64(phases), mean, phases}, nil
}

func parseErlang(t lawText) (Law, error) {
	phases, err := strconv.ParseUint(t.argument, 10, 31)
	if err != nil || phases == 0 {
		return nil, fmt.Errorf("%q is not valid: use erlang:k with a whole number k from 1 to %d",
			"erlang:"+t.argument, 1<<31-1)
	}
	return NewErlang(int(phases), t.mean)
}

// Mean implements [Law].
func (l gamma) Mean() float64 { return l.mean }

// Variance implements [Law].
func (l gamma) Variance() float64 { return l.mean * (l.mean / l.shape) }

// Laplace implements [Law]: exp(−r·ln(1+xm/r)).
func (l gamma) Laplace(x float64) float64 {
	if x < 0 {
		return math.NaN()
	}
	return math.Exp(-l.exponent(x))
}

// LaplaceComplement implements [Law].
func (l gamma) LaplaceComplement(x float64) float64 {
	if x < 0 {
		return math.NaN()
	}
	return -math.Expm1(-l.exponent(x))
}

// exponent returns r·ln(1+xm/r).
func (l gamma) exponent(x float64) float64 {
	ratio := x * l.mean / l.shape
	if math.IsInf(ratio, 1) && !math.IsInf(x, 1) { // the logarithm does not overflow
		return l.shape * (math.Log(x) + math.Log(l.mean) - math.Log(l.shape))
	}
	return l.shape * math.Log1p(ratio)
}

// Arrivals implements [Law]; the number of arrivals is negative binomial. It
// takes time proportional to n and the mean number of arrivals. The relative
// error of a_k is a few units in the last place times k + |ln a_0|, since one
// rounding of the ratio of successive terms enters k times.
func (l gamma) Arrivals(rate float64, n int) Arrivals {
	counts, ok := newArrivals(rate, n)
	if ok {
		counts.fillNegativeBinomial(rate*l.mean, l.shape)
	}
	return counts
}

// LaplaceExcess implements [Law]. With y = x·mean, u = y/r and
// v = r·ln(1+u) it is (e^{−v} − 1 + v) + (y − v), both terms being positive.
func (l gamma) LaplaceExcess(x float64) float64 {
	if !(x >= 0) {
		return math.NaN()
	}
	u := x * l.mean / l.shape
	if y := x * l.mean; math.IsInf(u, 1) {
		return y - l.LaplaceComplement(x) // v = r·ln(1+u) is negligible compared with y = ru
	}
	return special.ExpExcess(l.shape*math.Log1p(u)) + l.shape*logDeficit(u)
}

// String implements [Law].
func (l gamma) String() string {
	if l.phases > 0 {
		return fmt.Sprintf("erlang:%d", l.phases)
	}
	return "gamma:" + formatNumber(l.shape)
}

// mostSummed is the number of exponential times whose sum takes about as long
// to draw as a gamma variable.
const mostSummed = 16

// Draw implements [Law]. It adds up the phases of an Erlang law. Otherwise it uses
// rejection from a cubed normal variable (G. Marsaglia and W.W. Tsang, A simple method for generating
// gamma variables, ACM Transactions on Mathematical Software 26 (2000), 363-372); a
// shape below 1 is raised by 1 and the draw multiplied by U^{1/shape}.
func (l gamma) Draw(random *rand.Rand) float64 {
	scale := l.mean / l.shape
	if l.phases > 0 && l.phases <= mostSummed {
		sum := 0.0
		for range l.phases {
			sum += random.ExpFloat64()
		}
		return scale * sum
	}
	shape := l.shape
	if shape < 1 {
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := random.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-random.Float64()) >= x*x/2+d-d*v+d*math.Log(v) {
			continue
		}
		if l.shape < 1 {
			return scale * d * v * math.Pow(1-random.Float64(), 1/l.shape)
		}
		return scale * d * v
	}
}

// PhaseType returns the phases of an Erlang law, which follow each other.
func (l gamma) PhaseType() (*PhaseType, error) {
	k := l.phases
	switch {
	case k == 0:
		return nil, errNoPhaseType(l)
	case k > maxPhases:
		return nil, fmt.Errorf("%v is not valid: use a law of at most %d phases", l, maxPhases)
	}
	rate := float64(k) / l.mean
	phases := &PhaseType{
		name: l.String(), mean: l.mean,
		start: make([]float64, k), exits: make([]float64, k), remaining: make([]float64, k),
	}
	phases.start[0], phases.exits[k-1] = 1, rate
	for i := range k {
		phases.moves = append(phases.moves, make([]float64, k))
		if i < k-1 {
			phases.moves[i][i+1] = rate
		}
		phases.remaining[i] = l.mean * (float64(k-i) / float64(k))
	}
	phases.walk = newWalk(phases)
	return phases, nil
}

// logDeficit returns u − ln(1+u) for u ≥ 0.
func logDeficit(u float64) float64 {
	if u >= 1 {
		return u - math.Log1p(u)
	}
	// With q = u/(2+u), ln(1+u) = 2·artanh(q) = 2q + 2q³/3 + 2q⁵/5 + …, and
	// u − 2q = uq.
	q := u / (2 + u)
	sum := 0.0
	for k := 35; k >= 3; k -= 2 {
		sum = 1/float64(k) + q*q*sum
	}
	return q * (u - 2*q*q*sum)
}
