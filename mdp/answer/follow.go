package answer

// This file follows given policies.

import (
	"context"
	"fmt"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Followed is a question about given policies: one for all steps, or one for each step of a
// finite horizon.
type Followed struct {
	*question.Asked                     // about the chain of the policy; about Whole if there are several
	Whole           *modelfile.Model    // the model with all its actions
	Policies        []*modelfile.Policy // at least one
}

// Follow asks a question about policies of a model; none stands for the only policy of a model
// without choices. ask puts the question to a model: it is [question.Question.On], or calls
// [question.OfProperty]. Errors are those of ask and of [modelfile.Model.Under]. A
// [*question.Error] says that there are several policies and the question is not about a finite
// horizon of as many steps, or that a policy reaches a state for which it has no action.
func Follow(m *modelfile.Model, policies []*modelfile.Policy, ask func(*modelfile.Model) (*question.Asked, error)) (*Followed, error) {
	if len(policies) == 0 {
		policies = []*modelfile.Policy{modelfile.NewPolicy(make([]int32, m.NumStates()))}
	}
	if n := len(policies); n > 1 {
		if slices.ContainsFunc(policies, func(p *modelfile.Policy) bool { return p.Probabilities != nil }) {
			return nil, &question.Error{Member: "policy", Reason: "is randomised in a step: use one action in each state and step"}
		}
		asked, err := ask(m)
		if err == nil && (asked.Criterion != question.Finite || asked.Steps() != n) {
			err = &question.Error{Member: "criterion", Reason: fmt.Sprintf("there is a policy for each of %d steps: use the criterion finite with horizon %d", n, n)}
		}
		return &Followed{asked, m, policies}, err
	}
	chain, err := m.Under(policies[0])
	if err != nil {
		return nil, err
	}
	asked, err := ask(chain)
	if err != nil {
		return nil, err
	}
	return &Followed{asked, m, policies}, Covers(policies[0], chain, asked.Decisive(), asked.Decisive())
}

// Covers returns a [*question.Error] if the chain of a policy can reach a state for which the policy
// has no action. Paths stop at the states in ends. States in target, which is ascending, need no
// action.
func Covers(p *modelfile.Policy, chain *modelfile.Model, ends, target []int32) error {
	if len(p.Missing) == 0 {
		return nil
	}
	met := Reached(chain, ends)
	for _, s := range p.Missing {
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

// actions returns the actions of the policy of each step. In the model of a property, a state that
// decides it has one action, 0.
func (f *Followed) actions() [][]int32 {
	all := certificate.ActionsOf(f.Policies)
	if f.Stated == nil {
		return all
	}
	for step, actions := range all {
		all[step] = slices.Clone(actions)
		for _, s := range f.Stated.Decided {
			all[step][s] = 0
		}
	}
	return all
}
