package robots

import (
	"context"
	"fmt"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Solution is an answer of [Solve] or [SolvePaper].
type Solution struct {
	// Parameters are those that were solved.
	Parameters Parameters

	// Gain is the best estimate of the optimal cost per unit of time: what
	// Policy costs where that is known, otherwise as the method found it (and
	// always so for SolvePaper). Lower and Upper enclose the exact one, of the
	// process whose parameters are any numbers that round to those of
	// Parameters: 1/10 as well as the float64 nearest to it.
	Gain, Lower, Upper float64

	// Status says how the solve ended.
	Status mdp.Status

	// Method is the name of the method; Choice says why it was chosen, where
	// that was left open.
	Method, Choice string

	// Iterations counts sweeps of value iteration, evaluations of policy
	// iteration.
	Iterations int

	// Elapsed is the time that solving took, measures not included.
	Elapsed time.Duration

	// Policy is the best policy found, Curves its switching curves, Measures
	// its long-run behaviour; Measures is nil where that would take more memory
	// or, after an interruption, more time than there is, and where the policy
	// makes probabilities that are too small for float64.
	Policy   *Policy
	Curves   Curves
	Measures *Measures
}

// patience bounds the time for the measures of a policy after an interruption.
const patience = 5 * time.Second

// Solve minimises the long-run cost per unit of time over all ways to switch
// robots on and off, on the post-decision pairs ([PairModel]). Settings are
// those of [mdp.Solve], and so are the errors: where its result would not be
// nil the solution is not, and holds the best answer so far.
func Solve(ctx context.Context, p Parameters, settings mdp.Settings) (*Solution, error) {
	m, err := NewPairModel(p)
	if err != nil {
		return nil, err
	}
	result, stop := mdp.Solve(ctx, m, mdp.LongRunAverage{}, settings)
	if result == nil {
		return nil, stop
	}
	solution := &Solution{
		Parameters: p,
		Gain:       result.Gain,
		Lower:      result.Lower,
		Upper:      result.Upper,
		Status:     result.Status,
		Method:     result.Method,
		Choice:     result.Reason,
		Iterations: result.Iterations,
		Elapsed:    result.Elapsed,
	}
	if err := solution.describe(ctx, pairPolicy(m, result.Policy)); err != nil {
		stop = err
	}
	if solution.Measures != nil {
		// What the policy costs is closer to the optimum than the middle of the
		// bounds, above all where a limit came first.
		solution.Gain = min(max(solution.Measures.Gain, solution.Lower), solution.Upper)
	}
	return solution, stop
}

// describe fills in the policy and what follows from it. An interrupted ctx
// does not stop it at once; if ctx ends meanwhile, that interrupts the solve.
func (s *Solution) describe(ctx context.Context, policy *Policy) error {
	s.Policy = policy
	s.Curves = policy.Curves()
	if s.Status == mdp.Interrupted {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
	}
	measures, err := Measure(ctx, policy)
	switch {
	case err == nil:
		s.Measures = &measures
	case ctx.Err() != nil && s.Status != mdp.Interrupted:
		s.Status = mdp.Interrupted
		return fmt.Errorf("robots: measuring the policy: %w", context.Cause(ctx))
	}
	return nil
}
