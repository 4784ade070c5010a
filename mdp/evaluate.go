package mdp

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
)

// Evaluation is the long-run behaviour of a policy, as [Evaluate] computes it.
type Evaluation struct {
	// Gain is the long-run average cost per unit of time from each state.
	Gain []float64

	// Bias is the total excess of cost over the gain from each state, in units
	// of cost: with g the gain and P* the limiting matrix of the chain it is
	// the solution of h = c − g + P·h, P*·h = 0 (Puterman 1994, §8.2.3).
	Bias []float64

	// Classes are the closed classes of the chain, ordered by their least
	// state. A state outside all of them is transient.
	Classes []Class

	chain *evaluate.Chain
}

// Reachable returns the indices, ascending, of the Classes that the chain can reach from
// a state.
func (e *Evaluation) Reachable(state int) []int {
	_, seen := e.chain.Reached([]int32{int32(state)}, make([]bool, e.chain.NumStates()))
	var reachable []int
	for i, class := range e.Classes {
		if seen[class.States[0]] {
			reachable = append(reachable, i)
		}
	}
	return reachable
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

// Evaluate computes gain, bias, closed classes and stationary distributions of
// a policy, which holds the index of an action for each state. The chain of the policy
// may have any structure.
//
// Evaluate eliminates without subtractions (Grassmann, Taksar and Heyman
// 1985). The stationary distributions, and the gain if all costs have the same
// sign, have a relative error of a few n·2⁻⁵³ at most, however small they are
// and however badly conditioned the chain is. The bias has an error of that size
// relative to the largest cost times the longest mean time to reach a state that is
// often visited. These bounds assume that products of probabilities along paths stay
// above 10⁻³⁰⁸; if they underflow, the error may be [ErrPrecisionLimit].
//
// Time and memory depend on how many states separate the others: n states
// on a line take O(n) of both, on a plane grid O(n^1.5) and O(n log n), and a full
// matrix O(n³) and O(n²). Errors are [ErrTooLarge] if that needs too much memory, a
// policy that does not fit the model, [ErrMissing], and the context's.
func Evaluate(ctx context.Context, model Explicit, policy []int32) (*Evaluation, error) {
	if err := checkGiven("model", "", model); err != nil {
		return nil, err
	}
	if err := checkPolicy(model, policy); err != nil {
		return nil, err
	}
	chain := evaluate.NewChain(model, policy)
	system, gain, bias, err := evaluate.LongRun(ctx, chain)
	if err != nil {
		return nil, err
	}
	rate := rateOf(model)
	for i := range bias {
		bias[i] /= rate
	}
	evaluation := &Evaluation{Gain: gain, Bias: bias, chain: chain}
	for _, class := range system.Classes {
		states := make([]int, len(class.States))
		for i, s := range class.States {
			states[i] = int(s)
		}
		evaluation.Classes = append(evaluation.Classes, Class{
			States:     states,
			Stationary: system.Stationary(class),
			Gain:       gain[class.Root],
		})
	}
	return evaluation, nil
}

// checkPolicy returns an error unless the policy names an action in every state.
func checkPolicy(model Explicit, policy []int32) error {
	if len(policy) != model.NumStates() {
		return fmt.Errorf("mdp: a policy of length %d is not valid: the model has %d states", len(policy), model.NumStates())
	}
	for s, a := range policy {
		if n := model.NumActions(s); a < 0 || int(a) >= n {
			return fmt.Errorf("mdp: policy: action %d of state %d is not valid: use 0 … %d", a, s, n-1)
		}
	}
	return nil
}
