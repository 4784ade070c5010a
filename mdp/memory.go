package mdp

// How much memory the engine takes.

// TableBytes returns the memory that a [Table] of so many states, choices and
// transitions takes: 12 bytes for a transition, 12 for a choice and 4 for a
// state. [SolveBytes] says what solving takes on top.
func TableBytes(states, choices, transitions int) int64 {
	return 4*int64(states+1) + 12*int64(choices) + 4 + 12*int64(transitions)
}

// What solves of many sizes were seen to take.
const (
	programBytes    = 24e6 // whatever the size
	sweepBytes      = 150  // by state: values, actions, a policy
	krylovBytes     = 1500 // by state: a basis and a multigrid
	graphBytes      = 100  // by transition: the graph, and an order to eliminate in
	numberBytes     = 8
	mostFactorBytes = 8 << 30 // an elimination that needs more is not made
	growth          = 1.15    // of a factorization: what the garbage collector lets lie about
	growthTwice     = 1.6     // of the factorization of the solve and that of Evaluate after it
)

// SolveBytes forecasts the memory that a program takes for [Solve] with a method, 0
// for the one that Solve chooses, and for [Evaluate] of the policy found. The model has
// so many states and, over all actions, transitions; rows that it stores itself come on
// top. fill is how many numbers by state an elimination keeps: at most the number of
// states that separate the model into parts that do not touch, and some 8·log₂(states)
// where the states lie on a plane grid (George 1973); 0 if the policy is not evaluated.
func SolveBytes(method Method, states, transitions, fill float64) float64 {
	factors := min(numberBytes*states*fill, mostFactorBytes)
	switch method {
	case RelativeValueIteration, ValueIteration, ModifiedPolicyIteration:
		return programBytes + sweepBytes*states + growth*factors
	default:
		return programBytes + graphBytes*transitions + max(krylovBytes*states, growthTwice*factors)
	}
}
