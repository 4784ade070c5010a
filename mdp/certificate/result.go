// This file holds what a result is, and checks whether it is valid.

package certificate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Result is the answer to a question about a model, as a file keeps it. It has the question, too, so
// that the answer can be checked from the model alone.
//
// It may be partial: Values, Lower together with Upper, and Policy may be nil,
// and Status empty. What it has counts as claimed, except where a field says otherwise.
type Result struct {
	question.Question

	// Answer is "yes", "no" or "undecided" for a property with a threshold, and "" for others.
	Answer string `json:"answer,omitempty"`

	// Questions are the operators in the notation of PRISM from whose answers a property of the
	// criterion "compound" is computed; nil for others. Such a result has no certificate.
	Questions []string `json:"questions,omitempty"`

	// Evaluated says that the result is the value of one policy, not the optimum: of Policy or,
	// where that is nil, of a policy that the file does not have.
	Evaluated bool `json:"evaluated,omitempty"`

	// Status says how the solve ended: "converged", "iteration-limit",
	// "time-limit", "precision-limit", "stopped" or "interrupted"; "" where it is
	// not known.
	Status     string   `json:"status,omitempty"`
	Method     string   `json:"method,omitempty"`          // name of the method
	Choice     string   `json:"choice,omitempty"`          // why that method was chosen; "" where it was asked for
	Iterations int      `json:"iterations"`                // of the method
	Seconds    float64  `json:"elapsed_seconds,omitempty"` // that the solve took; 0 where it is not known
	Tolerance  *float64 `json:"tolerance,omitempty"`       // that was asked for; nil where it is not known

	// Classification is "unichain", "communicating", "weakly-communicating" or
	// "multichain", and "" where it is not known. Aperiodic says whether the model's maximal
	// end components (in a chain, the closed classes) have period 1; in continuous time it is
	// true. It is nil where that is not known.
	Classification string `json:"classification,omitempty"`
	Aperiodic      *bool  `json:"aperiodic,omitempty"`

	Initial int     `json:"initial"` // the initial state
	Value   float64 `json:"-"`       // of the initial state; 0 where Values and Constraints are nil

	// InitialStates lists the initial states if there are several, Initial first; nil otherwise.
	// Files also have their values.
	InitialStates []int32 `json:"initial_states,omitempty"`

	// Values, Lower and Upper hold the value of each state and its bounds; for
	// a long-run average the gain of the state. They may be infinite.
	Values Floats `json:"values,omitzero"`
	Lower  Floats `json:"lower,omitzero"`
	Upper  Floats `json:"upper,omitzero"`

	// Infinite says in a sentence why values are infinite; "" where none is, or the reason is not
	// known. It is no claim.
	Infinite string `json:"infinite,omitempty"`

	// Exact holds the values as fractions where they are known exactly, and is
	// nil otherwise; nil elements are infinite values.
	Exact []*big.Rat `json:"-"`

	// Relative holds the relative values of a long-run average, see mdp.Result.Bias; nil where they
	// are not known.
	Relative Floats `json:"relative_values,omitzero"`

	// Policy is the action of each state, by its number there; where the
	// criterion is "finite", that in the first step.
	Policy []int32 `json:"policy,omitzero"`

	// Policies has the policy of each step of a finite horizon, in order, so that the first is
	// Policy; nil where they are not known.
	Policies [][]int32 `json:"policies,omitzero"`

	// StepValues holds, for each step of a finite horizon in order, the values of what is earned
	// from that step to the end; nil where they were not asked for. They are no claim.
	StepValues *StepValues `json:"step_values,omitempty"`

	// Actions holds the values of actions; nil where they were not asked for. They are no claim.
	Actions *ActionValues `json:"action_values,omitempty"`

	// With constraints, the answer is about the initial state alone. Value is that of Mixture, and
	// lies between the two ValueBounds. Certificate then proves the bound on all policies.
	ValueBounds Floats      `json:"value_bounds,omitzero"`
	Mixture     []Component `json:"mixture,omitempty"`

	// Certificate proves the bounds; nil where there is none.
	Certificate *Certificate `json:"certificate,omitempty"`
}

// StepValues are values with their bounds, by step and state.
type StepValues struct {
	Values []Floats `json:"values"`
	Lower  []Floats `json:"lower"`
	Upper  []Floats `json:"upper"`
}

// ActionValues are bounds on the values of actions, by choice of the model. The value of an action
// is that of taking it once, and following an optimal policy afterwards.
type ActionValues struct {
	Lower Floats `json:"lower"`
	Upper Floats `json:"upper"`

	// Optimality says whether the action is "optimal", "suboptimal" or, where bounds do not tell,
	// "undecided".
	Optimality []string `json:"optimality"`
}

// Floats is a list of numbers, which may be infinite.
type Floats []float64

// The words of a result.
var (
	optimalities    = []string{"optimal", "suboptimal", "undecided"}
	statuses        = []string{"", "converged", "iteration-limit", "time-limit", "precision-limit", "stopped", "interrupted"}
	classifications = []string{"", "unichain", "communicating", "weakly-communicating", "multichain"}
)

// Validate reports the first thing that is wrong with a result in itself: words
// that are not known, lists of different length, an initial state that does not exist,
// a value that is not that of the initial state, NaN.
func (r *Result) Validate() error {
	if err := r.validate(); err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	return nil
}

func (r *Result) validate() error {
	if err := r.Question.Validate(); err != nil {
		return err
	}
	if err := cmp.Or(wording.OneOf("status", r.Status, statuses), wording.OneOf("classification", r.Classification, classifications)); err != nil {
		return err
	}
	n, known, err := r.numStates()
	switch {
	case err != nil:
		return err
	case r.Initial < 0:
		return fmt.Errorf("initial state %d is negative: use a number from 0", r.Initial)
	case known && r.Initial >= n:
		return fmt.Errorf("initial state %d is not one of 0 … %d", r.Initial, n-1)
	case slices.ContainsFunc(r.InitialStates, func(s int32) bool { return s < 0 || known && int(s) >= n }):
		return fmt.Errorf("one of the initial states %d is not one of 0 … %d", r.InitialStates[:min(len(r.InitialStates), mostListed)], n-1)
	case r.Policies != nil && !r.HasSteps():
		return fmt.Errorf("criterion %s has no policies of steps: leave them out", r.Criterion)
	case r.Classification != "" && r.Aperiodic == nil:
		return errors.New(`found a result without aperiodic; expected a member "aperiodic", true or false`)
	case r.Actions != nil && (len(r.Actions.Lower) != len(r.Actions.Optimality) || len(r.Actions.Upper) != len(r.Actions.Optimality)):
		return fmt.Errorf("action_values have %d lower, %d upper bounds and %d words for optimality: use as many of each", len(r.Actions.Lower), len(r.Actions.Upper), len(r.Actions.Optimality))
	case r.Actions != nil && slices.ContainsFunc(r.Actions.Optimality, func(word string) bool { return !slices.Contains(optimalities, word) }):
		return fmt.Errorf("one of the words for optimality is not valid: use one of %s", wording.List(optimalities))
	case r.Iterations < 0:
		return fmt.Errorf("%d iterations are negative", r.Iterations)
	case !isCount(r.ToleranceOr(0)):
		return fmt.Errorf("tolerance %v is negative or infinite", *r.Tolerance)
	case !isCount(r.Seconds):
		return fmt.Errorf("%v seconds are negative or infinite", r.Seconds)
	case len(r.Values) > 0 && r.Value != r.Values[r.Initial]: // also NaN
		return fmt.Errorf("value %v is not that of the initial state, %v", r.Value, r.Values[r.Initial])
	}
	if err := cmp.Or(r.validateNumbers(), r.validatePolicies(), r.validateConstrained()); err != nil {
		return err
	}
	if !known { // [Check] knows how many states there are
		return nil
	}
	return r.Certificate.Validate(n)
}

// validatePolicies looks at the policies of steps.
func (r *Result) validatePolicies() error {
	if r.Policies == nil {
		return nil
	}
	if len(r.Policies) != r.Steps() || r.Steps() == 0 || !slices.Equal(r.Policies[0], r.Policy) {
		return fmt.Errorf("there are %d policies: use one for each of %d steps, of which policy is the first", len(r.Policies), r.Steps())
	}
	for step, policy := range r.Policies {
		if len(policy) != len(r.Policy) {
			return fmt.Errorf("the policy of step %d has %d actions, and that of the first %d", step+1, len(policy), len(r.Policy))
		}
		if s := slices.IndexFunc(policy, func(a int32) bool { return a < 0 }); s >= 0 {
			return fmt.Errorf("state %d has action %d in step %d", s, policy[s], step+1)
		}
	}
	return nil
}

// isFirstStep reports whether Policy is that of the first of several steps, and the others are
// not known.
func (r *Result) isFirstStep() bool {
	return r.HasSteps() && !r.Evaluated && r.Steps() > 1 && r.Policies == nil && r.Mixture == nil
}

// PolicyOf returns the policy of a result for a model, nil for none, and the states in which a
// property is decided, so that it has no action there. It does not check that the policy fits the
// model. A mixture of several policies is an error.
func (r *Result) PolicyOf(m *modelfile.Model) (policy *mdp.Policy, missing []int32, err error) {
	switch {
	case len(r.Mixture) > 1:
		return nil, nil, fmt.Errorf("found a mixture of %d policies, one of which is drawn at the start and followed for ever; expected one policy, such as the lines of one in --output csv", len(r.Mixture))
	case r.Mixture != nil && r.HasSteps():
		p, err := r.Mixture[0].policyOfSteps(&r.Question, m)
		return &p, nil, err
	case r.Mixture != nil:
		p, err := r.Mixture[0].policy(m)
		return &p, nil, err
	case r.Policy == nil:
		return nil, nil, nil
	}
	if policy = r.ownPolicy(); r.Property == "" || r.Evaluated {
		return policy, nil, nil
	}
	asked, err := r.On(m)
	if err != nil {
		return nil, nil, err
	}
	return policy, asked.Stated.Decided, nil
}

// ownPolicy returns the policy of a result without limits.
func (r *Result) ownPolicy() *mdp.Policy {
	if len(r.Policies) < 2 {
		return &mdp.Policy{Actions: r.Policy}
	}
	p := &mdp.Policy{}
	for _, actions := range r.Policies {
		p.Steps = append(p.Steps, mdp.Policy{Actions: actions})
	}
	return p
}

// KeepPolicy sets Policy and Policies; to nil if the policy is randomised.
func (r *Result) KeepPolicy(p mdp.Policy) {
	r.Policy, r.Policies = p.InStep(0).Deterministic(), nil
	if p.NumRandomized() > 0 {
		r.Policy, p.Steps = nil, nil
	}
	for _, step := range p.Steps {
		r.Policies = append(r.Policies, step.Deterministic())
	}
}

// exactly returns the value of a state as a fraction; nil where it is not known.
func (r *Result) exactly(state int) *big.Rat {
	if r.Exact == nil {
		return nil
	}
	return r.Exact[state]
}

// mostListed bounds the numbers that an error lists.
const mostListed = 5

// isCount reports whether a number is finite and not negative.
func isCount(x float64) bool { return x >= 0 && x < math.Inf(1) }

// numStates returns the number of states by the length of the lists; known is false if there are
// none. Lists of different length are an error.
func (r *Result) numStates() (n int, known bool, err error) {
	for _, list := range []struct {
		name   string
		length int
		given  bool
	}{
		{"values", len(r.Values), r.Values != nil},
		{"lower bounds", len(r.Lower), r.Lower != nil},
		{"upper bounds", len(r.Upper), r.Upper != nil},
		{"actions of a policy", len(r.Policy), r.Policy != nil},
		{"exact values", len(r.Exact), r.Exact != nil},
	} {
		switch {
		case list.given && !known:
			n, known = list.length, true
		case list.given && list.length != n:
			return 0, false, fmt.Errorf("%d %s do not fit lists for %d states", list.length, list.name, n)
		}
	}
	switch {
	case (r.Lower == nil) != (r.Upper == nil):
		err = errors.New("there is one of lower and upper bounds without the other")
	case r.Exact != nil && r.Values == nil:
		err = errors.New("there are exact values without values")
	case r.Relative != nil && known && len(r.Relative) != n:
		err = fmt.Errorf("%d relative values do not fit lists for %d states", len(r.Relative), n)
	}
	return n, known, err
}

// validateNumbers looks at the numbers of states.
func (r *Result) validateNumbers() error {
	for _, list := range [][]float64{r.Values, r.Lower, r.Upper} {
		if areFinite(list) {
			continue
		}
		if s := slices.IndexFunc(list, math.IsNaN); s >= 0 {
			return fmt.Errorf("state %d has the value or bound %v", s, list[s])
		}
	}
	if s := slices.IndexFunc(r.Policy, func(a int32) bool { return a < 0 }); s >= 0 {
		return fmt.Errorf("state %d has action %d", s, r.Policy[s])
	}
	if s := slices.IndexFunc(r.Relative, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }); s >= 0 {
		return fmt.Errorf("state %d has relative value %v, which is not finite", s, r.Relative[s])
	}
	for s, x := range r.Exact {
		switch infinite := math.IsInf(r.Values[s], 0); {
		case infinite != (x == nil):
			return fmt.Errorf("state %d has value %v and exact value %v, which is to be a fraction for each finite value", s, r.Values[s], x)
		case x != nil && number.Nearest(x) != r.Values[s]:
			return fmt.Errorf("state %d has value %v, but the one nearest to its exact value is %v", s, r.Values[s], number.Nearest(x))
		}
	}
	return nil
}

var one = big.NewRat(1, 1)

// ToleranceOr returns the tolerance, or unknown where it is not known.
func (r *Result) ToleranceOr(unknown float64) float64 {
	if r.Tolerance == nil {
		return unknown
	}
	return *r.Tolerance
}
