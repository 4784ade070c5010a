package verify

import (
	"errors"
	"math"
)

// krylov solves the equations of a policy iteratively where an elimination would
// fill up: by the stabilised method of biconjugate gradients (van der Vorst
// 1992) with an incomplete elimination, which makes no new edges, as the
// preconditioner (Meijerink and van der Vorst 1977).
//
// The matrix M of a closed system is singular. M + 1·uᵀ is not, where u·x is a
// multiple of the mean of x, and its other eigenvalues are those of M (Brauer
// 1952); its solution x has the gain u·x.
type krylov struct {
	rows     *incomplete
	lift     float64 // u·x is this times the mean of x; 0 for a system that is left
	patience *int    // how many iterations may be made
	budget   *budget
}

const (
	// krylovTolerance is the residual, relative to the right-hand side, with
	// which solve is content: refinement does the rest.
	krylovTolerance = 0x1p-34
	// someIterations and maxIterations bound the iterations of one solution.
	someIterations = 1500
	maxIterations  = 5000
)

// errSlow is where someIterations are not enough.
var errSlow = errors.New("the iteration is slow")

func newKrylov(sys *system[ball], rates *numbers, policy []int32, closed bool, patience *int, b *budget) *krylov {
	k := &krylov{rows: newIncomplete(sys, rates, policy), patience: patience, budget: b}
	if closed {
		k.lift = mean(k.rows.total)
	}
	return k
}

// exact says that solutions are not good to most digits.
func (*krylov) exact() bool { return false }

// solve returns the gain, 0 for a system that is left, and a solution.
func (k *krylov) solve(right []float64) (gain float64, x []float64, err error) {
	n := len(right)
	x = make([]float64, n)
	rest := make([]float64, n)
	for i := range rest {
		rest[i] = right[i] / k.rows.total[i]
	}
	var (
		shadow      = append([]float64(nil), rest...)
		direction   = make([]float64, n)
		image       = make([]float64, n)
		second      = make([]float64, n)
		conditioned = make([]float64, n)
		enough      = krylovTolerance * norm(rest)
	)
	rho, alpha, omega, stuck := 1.0, 1.0, 1.0, false
	for iteration := 0; norm(rest) > enough; iteration++ {
		if iteration >= *k.patience || stuck {
			if *k.patience < maxIterations {
				return 0, nil, errSlow
			}
			break
		}
		if err := k.budget.spend(4 * (len(k.rows.columns) + n)); err != nil {
			return 0, nil, err
		}
		next := dot(shadow, rest)
		beta := next / rho * (alpha / omega)
		if stuck = next == 0 || !isFinite(beta); stuck {
			continue
		}
		rho = next
		for i := range direction {
			direction[i] = rest[i] + beta*(direction[i]-omega*image[i])
		}
		k.rows.condition(conditioned, direction)
		k.apply(image, conditioned)
		alpha = rho / dot(shadow, image)
		if stuck = !isFinite(alpha); stuck {
			continue
		}
		for i := range rest {
			rest[i] -= alpha * image[i]
			x[i] += alpha * conditioned[i]
		}
		k.rows.condition(conditioned, rest)
		k.apply(second, conditioned)
		omega = stabilizer(second, rest)
		if stuck = !isFinite(omega); stuck {
			continue
		}
		for i := range rest {
			rest[i] -= omega * second[i]
			x[i] += omega * conditioned[i]
		}
	}
	middle := mean(x)
	gain = k.lift * middle
	for i := range x {
		if k.lift > 0 {
			x[i] -= middle
		}
	}
	return gain, x, nil
}

// stabilizer returns the multiple of x that is to be taken from y: the one that
// leaves the least, or more where that is nearly nothing (Sleijpen and van der
// Vorst 1995).
func stabilizer(x, y []float64) float64 {
	overlap := dot(x, y)
	omega := overlap / dot(x, x)
	if cosine := math.Abs(overlap) / (norm(x) * norm(y)); cosine < leastCosine {
		omega *= leastCosine / cosine
	}
	return omega
}

// leastCosine is the cosine of the angle up to which the multiple that leaves the
// least is taken.
const leastCosine = 0.7

func isFinite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// apply sets y to the matrix times x.
func (k *krylov) apply(y, x []float64) {
	k.rows.apply(y, x)
	if k.lift > 0 {
		gain := k.lift * mean(x)
		for i := range y {
			y[i] += gain / k.rows.total[i]
		}
	}
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func norm(x []float64) float64 { return math.Sqrt(dot(x, x)) }

func mean(x []float64) float64 {
	sum := 0.0
	for _, value := range x {
		sum += value
	}
	return sum / float64(len(x))
}
