package mdp

// How much memory tables and solves take.

import (
	"context"

	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
)

// WithMemory returns ctx for [Solve], [Evaluate] and related functions in a program that may
// take so many bytes. They choose no method, and make no elimination, that takes more than
// half of them: if you name [PolicyIteration] the error is [ErrTooLarge]. Without WithMemory
// an elimination may take 8 GiB.
func WithMemory(ctx context.Context, bytes float64) context.Context {
	return limit.WithMemory(ctx, bytes)
}

// TableBytes returns the memory of a [Table] in bytes: 12 for a transition, 12 for a
// choice and 4 for a state. [SolveBytes] forecasts that of a solve.
func TableBytes(states, choices, transitions int) int64 {
	return 4*int64(states+1) + 12*int64(choices) + 4 + 12*int64(transitions)
}

// What solves of many sizes took, in bytes.
const (
	programBytes    = 24e6 // whatever the size
	sweepBytes      = 94   // by state: values, actions, a policy
	krylovBytes     = 1500 // by state: a basis and a multigrid
	graphBytes      = 100  // by transition: the graph, and an order to eliminate in
	numberBytes     = 8
	mostFactorBytes = 8 << 30 // an elimination that needs more is not made
	growth          = 1.15    // of a factorization, by garbage not collected yet
	growthTwice     = 1.6     // of the factorization of the solve and that of Evaluate after it
)

// SolveBytes forecasts the memory, in bytes, that a program takes for [Solve] with a
// method, 0 for the one that Solve chooses, and for [Evaluate] of the policy found. It
// does not include the rows of the model. transitions are those of all actions. fill is
// how many numbers an elimination keeps for each state: at most the number of states
// that separate the others into unconnected parts, and about 8·log₂(states) if the
// states lie on a plane grid (George 1973); 0 if the policy is not evaluated.
func SolveBytes(method Method, states, transitions, fill float64) float64 {
	factors := min(numberBytes*states*fill, mostFactorBytes)
	switch method {
	case RelativeValueIteration, ValueIteration, ModifiedPolicyIteration:
		return programBytes + sweepBytes*states + growth*factors
	default:
		return programBytes + graphBytes*transitions + max(krylovBytes*states, growthTwice*factors)
	}
}
