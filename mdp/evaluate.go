package mdp

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
)

// Evaluation is the long-run behaviour of one fixed policy, as [Evaluate]
// computes it.
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

// Reachable returns which of the Classes the chain can end up in from a state,
// ascending.
func (e *Evaluation) Reachable(state int) []int {
	seen := make([]bool, e.chain.NumStates())
	seen[state] = true
	queue := []int32{int32(state)}
	for i := 0; i < len(queue); i++ {
		for _, j := range e.chain.Next(queue[i]) {
			if !seen[j] {
				seen[j] = true
				queue = append(queue, j)
			}
		}
	}
	var reachable []int
	for i, class := range e.Classes {
		if seen[class.States[0]] {
			reachable = append(reachable, i)
		}
	}
	return reachable
}

// Class is a closed class of the Markov chain of a policy: a set of states
// that the chain never leaves, and all of which it visits for ever.
type Class struct {
	// States are the members, ascending.
	States []int
	// Stationary is the long-run share of time in each member.
	Stationary []float64
	// Gain is the long-run average cost per unit of time.
	Gain float64
}

// Evaluate computes gain, bias, closed classes and stationary distributions of
// a policy, the index of an action for each state, whatever the structure of
// its chain.
//
// It solves by elimination without subtractions (Grassmann, Taksar and Heyman
// 1985): the stationary distributions, and the gain where costs are of one
// sign, carry a relative error of a few n·2⁻⁵³ at most however small they are
// or badly conditioned the chain is. The bias has an error of that size
// relative to the largest cost times the longest mean way to a state that is
// often visited. All this holds as long as no product of probabilities along
// the way falls below 10⁻³⁰⁸; where the chain is lost in such products the
// error is [ErrPrecisionLimit].
//
// Time and memory grow with what separates the states from each other: n states
// on a line take O(n), on a plane grid O(n^1.5) and O(n log n), and where all
// are connected O(n³) and O(n²). Errors: [ErrTooLarge] where that is more than can
// be held, a policy that does not fit the model, and the context's.
func Evaluate(ctx context.Context, model Explicit, policy []int32) (*Evaluation, error) {
	if err := checkGiven("model", model); err != nil {
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

// checkPolicy returns an error unless the policy names an action of each state.
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
