package mdp

import (
	"context"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
)

// LongRunBehaviour is what a policy does in the long run, as [LongRun] computes it.
type LongRunBehaviour struct {
	// Gain is the long-run average cost per unit of time from each state.
	Gain []float64

	// Bias is the total excess of cost over the gain from each state, in units
	// of cost: with g the gain and P* the limiting matrix of the chain it is
	// the solution of h = c − g + P·h, P*·h = 0 (Puterman 1994, §8.2.3).
	Bias []float64

	// Classes are the closed classes of the chain, ordered by their least
	// state. A state outside all of them is transient.
	Classes []Class

	system *evaluate.System
	rate   float64 // steps per unit of time
}

// Reachable returns the indices, ascending, of the Classes that the chain can reach from
// a state.
func (b *LongRunBehaviour) Reachable(state int) []int {
	_, seen := b.system.Chain.Reached([]int32{int32(state)}, make([]bool, b.system.Chain.NumStates()))
	var reachable []int
	for i, class := range b.Classes {
		if seen[class.States[0]] {
			reachable = append(reachable, i)
		}
	}
	return reachable
}

// From returns where the chain is when it starts in a state: the long-run share of time in each
// state, which is 0 outside the Classes, and the expected time before the chain enters a class, in
// each state outside them. Time is in steps, or in units of time for a model in continuous time.
func (b *LongRunBehaviour) From(state int) (shares, passing []float64) {
	shares, passing = b.system.Visits(int32(state))
	for i := range passing {
		passing[i] /= b.rate
	}
	return shares, passing
}

// Class is a closed class of the Markov chain of a policy: a set of states
// that the chain never leaves, and each of which it visits infinitely often.
type Class struct {
	// States are the states of the class, ascending.
	States []int
	// Stationary is the long-run share of time in each of the States.
	Stationary []float64
	// Gain is the long-run average cost per unit of time in the class.
	Gain float64
}

// LongRun computes gain, bias, closed classes and stationary distributions of a stationary
// policy, whose chain may have any structure.
//
// LongRun eliminates without subtractions (Grassmann, Taksar and Heyman
// 1985). The stationary distributions, and the gain if all costs have the same
// sign, have a relative error of a few n·2⁻⁵³ at most, however small they are
// and however badly conditioned the chain is. The bias has an error of that size
// relative to the largest cost times the longest mean time to reach a state that is
// often visited. These bounds assume that products of probabilities along paths stay
// above 10⁻³⁰⁸; if they underflow, the error may be [ErrPrecisionLimit].
//
// Time and memory depend on how few states separate the graph of the chain into parts: n states
// on a line take O(n) of both, on a plane grid O(n^1.5) and O(n log n), and a full
// matrix O(n³) and O(n²). Errors are [ErrTooLarge] if that needs too much memory, those of
// [Under], and the context's.
func LongRun(ctx context.Context, model Explicit, policy Policy) (*LongRunBehaviour, error) {
	if err := checkGiven("model", "", model); err != nil {
		return nil, err
	}
	if err := policy.check(model); err != nil {
		return nil, err
	}
	listed, actions := model, policy.Deterministic()
	if actions == nil {
		under, err := policy.under(model, nil)
		if err != nil {
			return nil, err
		}
		listed, actions = under, make([]int32, under.NumStates())
	}
	chain := evaluate.NewChain(listed, actions)
	system, gain, bias, err := evaluate.LongRun(ctx, chain)
	if err != nil {
		return nil, err
	}
	rate := rateOf(model)
	for i := range bias {
		bias[i] /= rate
	}
	behaviour := &LongRunBehaviour{Gain: gain, Bias: bias, system: system, rate: rate}
	for _, class := range system.Classes {
		states := make([]int, len(class.States))
		for i, s := range class.States {
			states[i] = int(s)
		}
		behaviour.Classes = append(behaviour.Classes, Class{
			States:     states,
			Stationary: system.Stationary(class),
			Gain:       gain[class.Root],
		})
	}
	return behaviour, nil
}
