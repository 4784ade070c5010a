package answer

// This file follows given policies.

import (
	"context"
	"fmt"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Followed is a question about given policies: one for all steps, or one for each step of a
// finite horizon.
type Followed struct {
	*question.Asked                     // about the chain of the first policy
	Whole           *modelfile.Model    // with all its actions
	Policies        []*modelfile.Policy // at least one
}

// UncoveredError says that a policy comes to a state for which it has no action.
type UncoveredError struct{ State int }

// Error names the state.
func (e *UncoveredError) Error() string {
	return fmt.Sprintf("answer: the policy reaches state %d, but has no action for it: give one", e.State)
}

// StepsError says that there are policies of some steps, and another question than one about as
// many.
type StepsError struct{ Steps int }

// Error names the number of steps.
func (e *StepsError) Error() string {
	return fmt.Sprintf("answer: there is a policy for each of %d steps: use the criterion finite with horizon %d", e.Steps, e.Steps)
}

// Follow asks a question about policies of a model; none stands for the only one of a model
// without choices. Errors are those of [question.Question.On] and of [modelfile.Model.Under],
// [*UncoveredError] and [*StepsError].
func Follow(m *modelfile.Model, policies []*modelfile.Policy, q question.Question) (*Followed, error) {
	if len(policies) == 0 {
		policies = []*modelfile.Policy{modelfile.NewPolicy(make([]int32, m.NumStates()))}
	}
	if err := FitSteps(policies, q); err != nil {
		return nil, err
	}
	chain, err := m.Under(policies[0])
	if err != nil {
		return nil, err
	}
	asked, err := q.On(chain)
	if err != nil {
		return nil, err
	}
	return &Followed{asked, m, policies}, Covers(policies[0], chain, asked.Ends, asked.Ends)
}

// FitSteps returns a [*StepsError] for policies of several steps and another question than one about
// as many.
func FitSteps(policies []*modelfile.Policy, q question.Question) error {
	if n := len(policies); n > 1 && (q.Criterion != question.Finite || q.Steps() != n) {
		return &StepsError{n}
	}
	return nil
}

// Covers returns an [*UncoveredError] where a policy has no action for a state that its chain
// comes to, the way ending at some states, unless that state is in the target.
func Covers(p *modelfile.Policy, chain *modelfile.Model, ends, target []int32) error {
	if len(p.Missing) == 0 {
		return nil
	}
	met := Reached(chain, ends)
	for _, s := range p.Missing {
		if _, over := slices.BinarySearch(target, s); met[s] && !over {
			return &UncoveredError{int(s)}
		}
	}
	return nil
}

// Reached marks the states that a chain can come to from its initial ones, the way ending at some
// states.
func Reached(chain *modelfile.Model, ends []int32) []bool {
	return graph.OfChain(chain.RowStart, chain.Columns).Met(chain.Initial, ends)
}

// Evaluate finds the value of given policies in each state, with proved bounds: see [Solve].
func Evaluate(ctx context.Context, f *Followed, settings Settings) (*Answer, error) {
	a := begin(f.Asked, settings)
	a.followed = f
	a, err := a.finish(ctx)
	if err == nil {
		r := a.Result
		r.Evaluated, r.Policy, r.Policies = true, f.Policies[0].Deterministic(), nil
		if a.isByStep() {
			r.Policies = certificate.ActionsOf(f.Policies)
		}
	}
	return a, err
}

// isByStep reports whether the answer is the value of a policy that changes from step to step.
func (a *Answer) isByStep() bool { return a.followed != nil && len(a.followed.Policies) > 1 }

// ordinary returns the model that is solved: with all its actions under a policy that changes
// from step to step.
func (a *Answer) ordinary() *modelfile.Model {
	if a.isByStep() {
		return a.followed.Whole
	}
	return a.Model
}

// policyOfSteps returns the policy for the engine.
func (f *Followed) policyOfSteps() (all mdp.Policy) {
	for _, p := range f.Policies {
		all.Steps = append(all.Steps, mdp.Policy{Actions: p.Actions})
	}
	return all
}
