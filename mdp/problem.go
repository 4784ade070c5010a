package mdp

// Problem declares a finite Markov decision process in discrete time over
// states S and actions A of the user's own types. Only the states that can be
// reached from Start are part of it; they are found by Compile.
//
// The functions append to dst and return it, as the built-in append does, so
// that a model of many states is compiled without an allocation for each row.
// They must be pure: the same arguments, the same answer.
type Problem[S comparable, A any] struct {
	// Start lists the states that exploration begins with, at least one. The
	// first becomes state 0 of the compiled model.
	Start []S

	// Actions appends the actions that may be chosen in s, at least one.
	Actions func(dst []A, s S) []A

	// Cost is the expected cost of the step that action a in state s starts;
	// any finite number. Where Rate is set it is the cost per unit of time.
	Cost func(s S, a A) float64

	// Next appends the possible next states with their probabilities, which
	// are ≥ 0 and sum to 1. A state may be named more than once (its
	// probabilities are added); outcomes of probability 0 are dropped.
	Next func(dst []Outcome[S], s S, a A) []Outcome[S]

	// Rate is the number of steps per unit of time where the steps are the
	// events of a uniformized continuous-time process ([ContinuousProblem]);
	// 0 stands for 1, the step itself as the unit of time. Cost is then a cost
	// per unit of time, and so is the gain.
	Rate float64

	// MemoryLimit bounds the bytes that Compile may take; 0 stands for the memory
	// limit of the Go runtime (GOMEMLIMIT), which is none by default. Compile
	// forecasts from what it has found so far and gives up with [ErrTooLarge]
	// before the memory is taken.
	MemoryLimit int64

	// explain says what is wrong with a row in the terms of the declaration
	// that this problem was made from.
	explain func(s S, a A) error
}

// Outcome is one possible next state of a [Problem] and its probability.
type Outcome[S comparable] struct {
	State       S
	Probability float64
}
