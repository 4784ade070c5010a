package certificate

// This file holds what a result is about: its question, in the model where it is asked.

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// About returns the question that a result answers, with the model that it is about, and the result
// restated for that model. For a property, this is the model that the property makes. For an evaluated
// policy it is the chain of the policy. Otherwise it is m; a randomised policy that depends on the
// step adds its choices to m, see [modelfile.Model.With]. policy replaces the policy of the result;
// nil keeps it.
//
// It fails if the result is no answer to a question about m, as [Check] describes.
func (r *Result) About(m *modelfile.Model, policy *mdp.Policy) (*question.Asked, *Result, error) {
	if n, length := m.NumStates(), max(len(r.Values), len(r.Lower), len(r.Policy)); length != 0 && length != n {
		return nil, nil, fmt.Errorf("certificate: a result about %d states does not fit the model, which has %d", length, n)
	}
	if k := m.NumChoices(); r.Actions != nil && r.Property == "" && len(r.Actions.Optimality) != k {
		return nil, nil, fmt.Errorf("certificate: action_values of %d actions do not fit the model, which has %d", len(r.Actions.Optimality), k)
	}
	if v := r.StepValues; v != nil && (len(v.Values) != r.Steps() || len(v.Lower) != r.Steps() || len(v.Upper) != r.Steps()) {
		return nil, nil, fmt.Errorf("certificate: step_values are not those of %d steps", r.Steps())
	}
	if policy != nil || r.Evaluated {
		own := *r
		r = &own
		var err error
		if m, err = r.follow(m, policy); err != nil {
			return nil, nil, err
		}
	}
	asked, err := r.On(m)
	if err != nil {
		return nil, nil, fmt.Errorf("certificate: %w", err)
	}
	if asked.Criterion == question.Compound {
		return nil, nil, errors.New("certificate: a property that is answered by several questions has bounds but no certificate: check the answer to each of them")
	}
	if r.Property != "" {
		err = r.compare(asked)
	}
	return asked, r, err
}

// follow makes a result one about the given policy or, for nil, about its own policy. It returns the
// model that the result is then about.
func (r *Result) follow(m *modelfile.Model, policy *mdp.Policy) (*modelfile.Model, error) {
	r.Evaluated = true
	switch {
	case policy != nil:
	case r.Policy == nil && m.NumChoices() > m.NumStates():
		return nil, errors.New("certificate: a result about one policy needs that policy, but has none")
	case r.Policy == nil:
		return m, nil
	default:
		policy = r.ownPolicy()
	}
	if policy.Steps != nil {
		more, own, err := m.With(*policy)
		r.KeepPolicy(own)
		return more, err
	}
	r.KeepPolicy(mdp.Policy{Actions: make([]int32, m.NumStates())})
	return m.Under(*policy)
}

// compare returns an error if the members of a result contradict its property.
func (r *Result) compare(asked *question.Asked) error {
	own := r.Question
	own.Property, own.Uncertainty, own.Constraints = asked.Given.Property, asked.Uncertainty, asked.Given.Constraints
	switch {
	case !reflect.DeepEqual(own, asked.Given), !slices.EqualFunc(r.Constraints, asked.Given.Constraints, isSameLimit):
		return errors.New("certificate: its criterion, sense, reward, target, horizon, discount or terminal are not those of its property: use the file that solve wrote")
	case r.Answer != "" && (!asked.Parsed.HasThreshold() || r.Lower == nil || r.Answer != r.Verdict(asked)):
		return errors.New("certificate: its answer does not follow from its bounds: use the file that solve wrote")
	}
	return nil
}

func isSameLimit(x, y question.Constraint) bool {
	return x.Reward == y.Reward && x.Sense == y.Sense && x.Bound.Cmp(y.Bound) == 0
}

// Verdict says whether the bounds of a result meet the threshold of a property from all initial
// states of the model: "yes", "no" or "undecided".
func (r *Result) Verdict(asked *question.Asked) string {
	answer := "yes"
	for _, s := range asked.Model.Initial {
		verdict := asked.Stated.Verdict(int(s), r.Lower[s], r.Upper[s], r.exactly(int(s)))
		if verdict == "no" {
			return verdict
		}
		if verdict == property.Undecided {
			answer = verdict
		}
	}
	return answer
}
