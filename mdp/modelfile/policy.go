// This file holds what a policy is.

package modelfile

import (
	"fmt"
	"math/big"
)

// Policy is a stationary policy: in each state a distribution over its actions.
//
// State s takes action Actions[i], a number among those of the state, with
// probability Probabilities[i], for i from Start[s] to Start[s+1]−1; actions of a
// state are in ascending order.
type Policy struct {
	Start   []int32 // length n+1, from 0, increasing
	Actions []int32

	// Probabilities are positive and sum to 1 in each state. They are nil where
	// every state takes one action for certain.
	Probabilities []*big.Rat

	// Missing lists the states, ascending, for which a file names no action
	// though they have several: schedulers leave out states that they never come
	// to. The policy takes the first action there.
	Missing []int32
}

// NewPolicy returns the policy that takes one action in each state.
func NewPolicy(actions []int32) *Policy {
	p := &Policy{Start: make([]int32, len(actions)+1), Actions: actions}
	for s := range actions {
		p.Start[s+1] = int32(s + 1)
	}
	return p
}

// NumStates returns the number of states.
func (p *Policy) NumStates() int { return len(p.Start) - 1 }

// Deterministic returns the action of each state, or nil where a state takes more
// than one.
func (p *Policy) Deterministic() []int32 {
	if p.Probabilities != nil {
		return nil
	}
	return p.Actions
}

// NumRandomized returns in how many states the policy takes more than one action.
func (p *Policy) NumRandomized() int {
	count := 0
	for s := range p.NumStates() {
		if p.Start[s+1]-p.Start[s] > 1 {
			count++
		}
	}
	return count
}

// Validate says why a policy is not one of a model, nil if it is.
func (p *Policy) Validate(m *Model) error {
	if n := m.NumStates(); p.NumStates() != n {
		return fmt.Errorf("modelfile: a policy for %d states does not fit the model, which has %d", p.NumStates(), n)
	}
	for s := range p.NumStates() {
		actions := m.StateStart[s+1] - m.StateStart[s]
		for _, a := range p.Actions[p.Start[s]:p.Start[s+1]] {
			if a < 0 || a >= actions {
				return fmt.Errorf("modelfile: action %d of the policy in state %d is not one of 0 … %d", a, s, actions-1)
			}
		}
	}
	return nil
}
