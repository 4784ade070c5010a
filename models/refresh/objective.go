package refresh

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/queue"
)

// An Objective says what the accesses to pages are worth. Its methods work on
// blocks of pages, so that there is no call for each page; they keep no
// reference to the slices, which all have the length of pages, and are safe for
// use by several goroutines at once.
//
// The value f(x) of accessing a page at rate x ≥ 0 is concave (or its cost
// convex) and differentiable, and its marginal value f′(x), the gain of value or
// drop of cost for each further unit of rate, is nonnegative and does not
// increase with x. A page that gains nothing (weight or change rate 0) has the
// marginal value 0. Where f′ has a limit above 0 as x grows, as for a linear f,
// rates need a bound, that of [Limited].
type Objective interface {
	// Demand sets rates[i] to the rate at which the marginal value of page i
	// has fallen to the multiplier λ ≥ 0: the x ≥ 0 that maximises f(x) − λx.
	// It is 0 where f′(0) ≤ λ, and +Inf where f′ stays above λ. It sets
	// slopes[i] to −dx/d ln λ, 0 where x is 0 or +Inf. Rates are wanted to a
	// few units in the last place, slopes to a few digits.
	Demand(rates, slopes []float64, pages Pages, multiplier float64)

	// Measure sets values[i] to the value or cost of page i at rates[i] and
	// marginals[i] to f′ there, both to a few units in the last place.
	Measure(values, marginals []float64, pages Pages, rates []float64)

	// Minimizes reports whether Measure gives costs, whose sum is minimised.
	Minimizes() bool

	// String returns the name of the objective.
	String() string
}

// Limited is an [Objective] that does not allow every change rate, or every
// rate of access.
type Limited interface {
	// Limits returns the greatest change rate and the greatest rate of access
	// to one page that the objective allows.
	Limits() (changeRate, rate float64)
}

// Cornered is an [Objective] whose values may have corners, at which the marginal value
// is any number between the derivatives on both sides.
type Cornered interface {
	// Corner sets marginals[i] to the multiplier where that is among the marginal values
	// of page i at rates[i], to the rounding of the rate.
	Corner(marginals []float64, pages Pages, rates []float64, multiplier float64)
}

// weightAt returns weights[i], 1 where there are none.
func weightAt(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// named are the objectives that have names, in the order of help. The last two need a law of
// access times, which is not known here.
var named = []Objective{
	FixedOrder{}, Random{}, Discrete{}, Decaying{}, Age{}, Harmonic{}, Signals{}, Coffman{}, CoffmanRandomized{},
}

// ObjectiveNames returns the names that [ParseObjective] reads.
func ObjectiveNames() []string {
	names := make([]string, len(named))
	for i, objective := range named {
		names[i] = objective.String()
	}
	return names
}

// ParseObjective returns the objective with one of the [ObjectiveNames]. "coffman" and
// "coffman-randomized" need a law of access times, which may be nil for the others.
func ParseObjective(name string, law queue.Law) (Objective, error) {
	names := ObjectiveNames()
	at := slices.Index(names, name)
	if at < 0 {
		last := len(names) - 1
		return nil, invalid("objective", wording.Quote(name), strings.Join(names[:last], ", ")+" or "+names[last])
	}
	objective := named[at]
	_, even := objective.(Coffman)
	_, randomized := objective.(CoffmanRandomized)
	switch {
	case !even && !randomized:
		return objective, nil
	case law == nil:
		return nil, fmt.Errorf("refresh: objective %s needs a law of access times", name)
	case randomized:
		return NewCoffmanRandomized(law), nil
	}
	return NewCoffman(law), nil
}
