package verify

import (
	"errors"
	"math"
	"slices"
)

// evaluator is policy iteration in some arithmetic.
type evaluator interface {
	// evaluate finds the values of a policy.
	evaluate(policy []int32) error

	// improve changes the policy where another choice is better by more than
	// is uncertain, and says where.
	improve(policy []int32) (where []bool, err error)
}

// maxPolicies bounds the policies of policy iteration.
const maxPolicies = 200

var errPolicies = errors.New("policy iteration does not come to an end")

// iterate does policy iteration (Howard 1960): at its end the evaluator holds
// the values of the policy, and knows no better one, unless it was ended by
// errPolicies. mend changes an improved policy, where need be, so that it can be
// evaluated.
func iterate(e evaluator, policy []int32, mend func(policy, before []int32, improved []bool) error) error {
	for count := 1; ; count++ {
		if err := e.evaluate(policy); err != nil {
			return err
		}
		if count == maxPolicies {
			return errPolicies
		}
		before := slices.Clone(policy)
		improved, err := e.improve(policy)
		if err != nil || !slices.Contains(improved, true) {
			return err
		}
		if err := mend(policy, before, improved); err != nil {
			return err
		}
	}
}

// mendProper takes improvements back where they lead to staying for ever.
func (s *system[V]) mendProper(policy, before []int32, improved []bool) error {
	for {
		proper, is := s.leaving(policy)
		if is {
			return nil
		}
		back := false
		for i := range policy {
			if !proper[i] && improved[i] {
				policy[i], improved[i] = before[i], false
				back = true
			}
		}
		if !back || !slices.Contains(improved, true) {
			return errImproper
		}
	}
}

// mendClosed leads to one closed class: one in which something was improved, if
// there is one, as its gain is less. (If there is none the old class is the only
// one.) See Haviv and Puterman (1991).
func (s *system[V]) mendClosed(policy, _ []int32, improved []bool) error {
	count, component := s.graph(policy).components()
	closed := slices.Repeat([]bool{true}, count)
	better := make([]bool, count)
	for i, k := range policy {
		better[component[i]] = better[component[i]] || improved[i]
		if leaves(component, component[i], s.next(k)) {
			closed[component[i]] = false
		}
	}
	chosen := int32(outside)
	for c := range int32(count) {
		if closed[c] && (chosen == outside || better[c] && !better[chosen]) {
			chosen = c
		}
	}
	// States that come to another closed class are led to the chosen one.
	lost := make([]bool, len(policy))
	for i, c := range component {
		lost[i] = closed[c] && c != chosen
	}
	s.graph(policy).reverse().reach(lost)
	for i := range lost {
		lost[i] = !lost[i]
	}
	s.lead(policy, lost)
	return nil
}

// improve changes the policy to better choices.
func (a *approximation) improve(policy []int32) ([]bool, error) {
	if err := a.budget.spend(20 * len(a.system.columns)); err != nil {
		return nil, err
	}
	improved := make([]bool, len(policy))
	for i := range policy {
		first, last := a.system.start[i], a.system.start[i+1]
		if last-first == 1 {
			continue
		}
		current, best := policy[i], 0.0
		for k := first; k < last; k++ {
			if k == current {
				continue
			}
			by := a.above(k).high + 8*math.Abs(a.missing[i]) + improvement*a.size(k)
			if by < best {
				best, policy[i], improved[i] = by, k, true
			}
		}
	}
	return improved, nil
}

// improvement is by how much a choice must be better than what the values say of
// the present one, relative to the terms of its equation, beside what the values
// of that are off.
const improvement = 0x1p-98
