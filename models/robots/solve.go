package robots

import (
	"context"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Solution is an answer of [Solve], or of the authors' iteration in package paper.
type Solution struct {
	// Parameters are the parameters solved.
	Parameters Parameters

	// Gain is the best estimate of the optimal cost per unit of time. For the plain process it
	// is the cost of Policy if known, and otherwise the method's estimate. Lower and Upper
	// enclose the optimum for all parameters that round to Parameters: for 1/10 as well as for
	// the float64 nearest to it.
	Gain, Lower, Upper float64

	// Status says how the solve ended.
	Status mdp.Status

	// Method is the name of the method; Reason says why it was chosen if Settings left that
	// open.
	Method, Reason string

	// Iterations counts sweeps of value iteration, evaluations of policy
	// iteration.
	Iterations int

	// Elapsed is the time that solving took, measures not included.
	Elapsed time.Duration

	// Policy is the best policy found, and Measures its long-run behaviour: nil if that takes
	// too much memory, or too much time after an interruption or a time limit, or if the
	// policy makes probabilities too small for float64.
	Policy   *Policy
	Measures *Measures
}

// Solve minimises the long-run cost per unit of time over all ways to switch
// robots on and off, on the [Model]. Settings are those of [mdp.Solve]. Errors are those of
// mdp.Solve and [NewModel]; beside an error of a solve that ended early, the solution has
// the best answer so far.
func Solve(ctx context.Context, p Parameters, settings mdp.Settings) (*Solution, error) {
	m, err := NewModel(p)
	if err != nil {
		return nil, err
	}
	result, stop := mdp.Solve(ctx, m, mdp.LongRunAverage{}, settings)
	if result == nil {
		return nil, stop
	}
	solution := &Solution{
		Parameters: m.Parameters(),
		Gain:       result.Gain,
		Lower:      result.Lower,
		Upper:      result.Upper,
		Status:     result.Status,
		Method:     result.Method,
		Reason:     result.Reason,
		Iterations: result.Iterations,
		Elapsed:    result.Elapsed,
		Policy:     policyOf(m, result.Policy),
	}
	if err := solution.Finish(ctx); err != nil {
		stop = err
	}
	if solution.Measures != nil && m.plain != nil {
		// The cost of the policy is closer to the optimum than the middle of the bounds, above
		// all after an early end.
		solution.Gain = min(max(solution.Measures.Gain, solution.Lower), solution.Upper)
	}
	return solution, stop
}
