package refresh

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// ErrPrecision says that floating-point numbers did not allow rates as close to
// the conditions of optimality as [Solution.Status] promises. The solution
// beside it is complete, with its bound.
var ErrPrecision = errors.New("refresh: rounding keeps the rates from the conditions of optimality")

// tolerances are the lengths of Newton's step, in ln λ, at which a search is
// ended, one after the other as long as the rates do not pass the test. What the
// last step leaves is of the order of its square. With 0, the two sides of the
// search have to meet.
var tolerances = []float64{longestStep, 0x1p-48, 0}

const longestStep = 0x1p-28

// ownTolerances are the same for hosts, whose few pages leave more to chance and
// take less time.
var ownTolerances = tolerances[1:]

// accuracy is what the rates are held to: the relative errors of the conditions
// of optimality, of the bandwidth and of caps, and the relative distance of the
// value from its bound. A search is refined as long as
// less than a digit to spare is left of what [Solution.Status] promises.
const (
	accuracy = 1e-13
	promise  = 1e-12
)

// maxObservations ends a search that rounding keeps from its end.
const maxObservations = 500

// Optimize finds the best rates. The multiplier λ of the bandwidth is the root
// of Σ x_i(λ) = R, found by Newton's method in λ^{−1/2} with a bracket, from a
// sample of the pages to begin with: O(n) a pass, without sorting, 4 to 7 passes
// as a rule, of which one or two look at two multipliers at once. Sums are
// compensated and taken in the order of fixed blocks, so that the answer is the
// same to the bit at any number of workers.
//
// A page that is about to be given up may lose its last rate within the rounding
// of λ, from 3% of its change rate on with [FixedOrder]. Where there is such a page,
// the rates are those at the two float64 next to the root, mixed so that they meet
// the bandwidth.
//
// With caps for hosts, a host whose pages would ask for more than its cap at λ
// has a multiplier of its own, at which they ask for the cap: the pages of host
// h see max(λ, λ_h). The root of Σ_h min(S_h(λ), C_h) = R is found first, then
// every λ_h, all at the same time.
//
// Where more than one choice is optimal, as with pages of equal merit, equal
// pages get equal rates. Where the bandwidth is more than the pages can use, the
// rest is left unused.
//
// The error is that of [Problem.Validate], or an [*InfeasibleError].
// If ctx ends, its error comes with a solution as good as it had become;
// [ErrPrecision] too comes with a solution.
func Optimize(ctx context.Context, p Problem, settings Settings) (*Solution, error) {
	begin := time.Now()
	workers := settings.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	if err := p.validate(workers); err != nil {
		return nil, err
	}
	rates := settings.Rates
	if rates == nil {
		rates = make([]float64, p.Len())
	} else if len(rates) != p.Len() {
		panic("refresh: Settings.Rates and the pages have different lengths")
	}
	team := parallel.NewTeam(workers)
	defer team.Close()

	s := newSolver(newOptimizer(&p, team))
	if err := s.prepare(settings.Multiplier); err != nil {
		return nil, err
	}
	var solution *Solution
	var stop error
	for {
		stop = s.find(ctx)
		solution = s.finish(rates)
		if stop != nil || s.done(solution) || !s.refine() {
			break
		}
	}
	solution.Passes = s.passes
	solution.Elapsed = time.Since(begin)
	switch {
	case stop != nil:
		solution.Status = mdp.Interrupted
		return solution, stop
	case !s.met(solution, promise):
		solution.Status = mdp.PrecisionLimit
		return solution, ErrPrecision
	}
	solution.Status = mdp.Converged
	return solution, nil
}
