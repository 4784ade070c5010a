// Package dual solves separable concave problems under a budget: it maximises
// Σf_i(x_i) over rates with Σx_i ≤ R, l_i ≤ x_i ≤ u_i and caps on the sums of groups
// of pages. It searches for the price λ of the budget at which the pages demand
// exactly R, and for the prices of the groups whose caps bind.
package dual

import (
	"context"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// Objective gives values and demands of blocks of pages. See refresh.Objective,
// whose methods these are with the fields of the pages as slices.
type Objective interface {
	// Demand sets rates[i] to the rate at which the marginal value of page i has
	// fallen to the multiplier, and slopes[i] to −dx/d ln λ.
	Demand(rates, slopes, changeRates, weights []float64, multiplier float64)
	// Measure sets values[i] and marginals[i] to f and f′ of page i at rates[i].
	Measure(values, marginals, changeRates, weights, rates []float64)
}

// Cornered is an Objective with corners, see refresh.Cornered.
type Cornered interface {
	Corner(marginals, changeRates, weights, rates []float64, multiplier float64)
}

// Problem is a valid problem of package refresh, whose documentation says what the
// fields mean.
type Problem struct {
	Pages
	Objective Objective
	Minimize  bool // the objective is a cost
	Bandwidth float64
	Fastest   float64 // greatest rate of any page
	Hosts     []int32 // may be nil
	HostCaps  []float64
	Flanks    bool // the demand falls steeply where a page is given up

	// Remote looks at the pages where they are not here: Problem says how many there are,
	// Hosts is nil or empty, and so are Least and Greatest. Each element of HostCaps is then
	// a group, of which one at most, that of all pages without a cap, is infinite.
	Remote    Remote
	Elsewhere int
}

// Pages are pages with optional weights and bounds.
type Pages struct{ ChangeRates, Weights, Least, Greatest []float64 }

// Len returns the number of pages.
func (p *Problem) Len() int {
	if p.Remote != nil {
		return p.Elsewhere
	}
	return len(p.ChangeRates)
}

// Result is the solution of a [Problem], with the fields of refresh.Solution.
type Result struct {
	Rates                              []float64
	Value, Bound, Multiplier, Residual float64
	HostMultipliers                    []float64
	Used                               float64
	Active, Passes                     int
	Precise                            bool // it keeps to what is promised
}

// An InfeasibleError is that of package refresh.
type InfeasibleError struct {
	Host    int
	Least   float64
	Allowed float64
}

func (e *InfeasibleError) Error() string { return "the least rates do not fit" }

// The greatest relative errors of the conditions of optimality, of the bandwidth
// and caps, and of the value beside its bound: those that the search works for, and
// those that [Result.Precise] promises.
const (
	accuracy = 1e-13
	promise  = 1e-12
)

// Solve fills rates with the best rates. If ctx ends, its error comes with a result
// that keeps to all limits; after an error of [Remote] there is none. The rates do not depend on the guess of the multiplier.
func Solve(ctx context.Context, p *Problem, rates []float64, guess float64, team *parallel.Team) (*Result, error) {
	s := newSolver(newSweeper(p, team))
	if err := s.prepare(guess); err != nil {
		return nil, err
	}
	for {
		stop := s.find(ctx)
		result := s.finish(rates)
		if err := s.sweeper.err; err != nil {
			return nil, err
		}
		if stop != nil || s.done(result) || !s.refine() {
			result.Passes = s.sweeper.passes
			result.Precise = s.met(result, promise)
			return result, stop
		}
	}
}
