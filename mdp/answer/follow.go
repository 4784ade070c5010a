package answer

// This file follows given policies.

import (
	"context"
	"fmt"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Followed is a question about a given policy.
type Followed struct {
	// Asked is about the chain of the policy. If the policy changes from step to step, it is about a
	// model with the choices of each step.
	*question.Asked
	Whole  *modelfile.Model // the model with all its actions
	Policy mdp.Policy

	steps []mdp.Policy // what Policy does in the model of Asked, if it changes from step to step
}

// Follow asks a question about a policy of a model; nil stands for the only policy of a model
// without choices. ask puts the question to a model, as [question.Question.On] or
// [question.OfProperty] do. Errors are those of ask and of [modelfile.Model.Under]. A
// [*question.Error] says that the policy changes from step to step, but the question is not about a
// finite horizon with the same number of steps.
func Follow(m *modelfile.Model, policy *mdp.Policy, ask func(*modelfile.Model) (*question.Asked, error)) (*Followed, error) {
	if policy == nil {
		policy = &mdp.Policy{Actions: make([]int32, m.NumStates())}
	}
	n := len(policy.Steps)
	if n == 0 {
		chain, err := m.Under(*policy)
		if err != nil {
			return nil, err
		}
		asked, err := ask(chain)
		return &Followed{Asked: asked, Whole: m, Policy: *policy}, err
	}
	more, own, err := m.With(*policy)
	if err != nil {
		return nil, err
	}
	asked, err := ask(more)
	if err == nil && (!asked.HasSteps() || asked.Steps() != n) {
		err = &question.Error{Member: "criterion", Reason: fmt.Sprintf("there is a policy for each of %d steps: use the criterion finite with horizon %d", n, n)}
	}
	if err != nil {
		return nil, err
	}
	if asked.Stated != nil { // in the model of a property, a state that decides the property has one action
		for t := range own.Steps {
			own.Steps[t].Actions = slices.Clone(own.Steps[t].Deterministic())
			for _, s := range asked.Stated.Decided {
				own.Steps[t].Actions[s] = 0
			}
		}
	}
	return &Followed{Asked: asked, Whole: m, Policy: *policy, steps: own.Steps}, nil
}

// Covers returns a [*question.Error] if the chain of a policy can reach one of the states for which
// the policy has no action. Paths stop at the states in ends. States in target, which is ascending,
// need no action.
func Covers(missing []int32, chain *modelfile.Model, ends, target []int32) error {
	if len(missing) == 0 {
		return nil
	}
	met := Reached(chain, ends)
	for _, s := range missing {
		if _, over := slices.BinarySearch(target, s); met[s] && !over {
			return &question.Error{Member: "policy", Reason: fmt.Sprintf("reaches state %s, but has no action for that state: give one", chain.StateName(int(s)))}
		}
	}
	return nil
}

// Reached marks the states that a chain can reach from its initial states, on paths that stop at
// the states in ends.
func Reached(chain *modelfile.Model, ends []int32) []bool {
	return graph.OfChain(chain.RowStart, chain.Columns).Met(chain.Initial, ends)
}

// Evaluate finds the value of a given policy in each state, with proved bounds: see [Solve].
func Evaluate(ctx context.Context, f *Followed, settings Settings) (*Answer, error) {
	a := begin(f.Asked, settings)
	a.followed = f
	a, err := a.finish(ctx)
	if err == nil {
		a.Result.Evaluated = true
		a.Result.KeepPolicy(f.Policy)
	}
	return a, err
}

// isByStep reports whether the answer is the value of a policy that changes from step to step.
func (a *Answer) isByStep() bool { return a.followed != nil && a.followed.steps != nil }
