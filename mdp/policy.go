package mdp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Policies, the Markov chains that they make of a model, and their values.

// Policy says what a controller does: in each state one action, or a distribution over
// several; in a finite horizon, it may change from step to step.
//
//	mdp.Policy{Actions: result.Policy}
//
// is the policy that [Solve] found. [RandomizedPolicy] makes one of probabilities.
type Policy struct {
	// Actions are indices of actions. Without Start, there is one for each state. With Start,
	// of length n+1, state s takes Actions[i] with probability Probabilities[i], for
	// Start[s] ≤ i < Start[s+1]. The probabilities are positive and sum to 1 in each state.
	Start         []int32
	Actions       []int32
	Probabilities []*big.Rat

	// Steps, if not nil, are the policies of the steps of a [FiniteHorizon], in order; the other
	// fields are then empty.
	Steps []Policy
}

// RandomizedPolicy returns the policy that takes each choice of a model with a probability
// proportional to a weight, in the order of [TableArrays].Costs. Weights are finite and from 0 up,
// and each state has a positive one. They count as exact, so the probabilities are exact quotients.
func RandomizedPolicy(model withActions, weights []float64) (Policy, error) {
	p, k := Policy{Start: []int32{0}}, 0
	for s := range model.NumStates() {
		sum, from := new(big.Rat), len(p.Actions)
		for a := range model.NumActions(s) {
			if k == len(weights) {
				return Policy{}, fmt.Errorf("mdp: %d weights are too few: give one for each action of each state", len(weights))
			}
			w := weights[k]
			if k++; !(w >= 0) || math.IsInf(w, 1) {
				return Policy{}, fmt.Errorf("mdp: weight %v of action %d in state %d is not valid: use a finite number from 0 up", w, a, s)
			}
			if w > 0 {
				p.Actions, p.Probabilities = append(p.Actions, int32(a)), append(p.Probabilities, new(big.Rat).SetFloat64(w))
				sum.Add(sum, p.Probabilities[len(p.Probabilities)-1])
			}
		}
		if from == len(p.Actions) {
			return Policy{}, fmt.Errorf("mdp: all weights of state %d are 0: make one positive", s)
		}
		for _, x := range p.Probabilities[from:] {
			x.Quo(x, sum)
		}
		p.Start = append(p.Start, int32(len(p.Actions)))
	}
	if k < len(weights) {
		return Policy{}, fmt.Errorf("mdp: %d weights are too many: give one for each of %d choices", len(weights), k)
	}
	return p, nil
}

// At returns the actions that a stationary policy takes in a state, with their probabilities;
// these are nil for a single action, which has probability 1.
func (p Policy) At(s int) (actions []int32, probabilities []*big.Rat) {
	if p.Start == nil {
		return p.Actions[s : s+1], nil
	}
	from, to := p.Start[s], p.Start[s+1]
	if to-from == 1 {
		return p.Actions[from:to], nil
	}
	return p.Actions[from:to], p.Probabilities[from:to]
}

// InStep returns the policy of a step, counted from 0. A stationary policy is the same in every step.
func (p Policy) InStep(step int) Policy {
	if p.Steps == nil {
		return p
	}
	return p.Steps[step]
}

// Deterministic returns the action of each state, or nil if the policy is randomised or changes
// from step to step.
func (p Policy) Deterministic() []int32 {
	if p.Steps == nil && p.NumRandomized() == 0 {
		return p.Actions
	}
	return nil
}

// NumRandomized returns in how many states the policy takes more than one action, summed over all
// steps.
func (p Policy) NumRandomized() (states int) {
	for s := range max(len(p.Start)-1, 0) {
		if p.Start[s+1]-p.Start[s] > 1 {
			states++
		}
	}
	for _, step := range p.Steps {
		states += step.NumRandomized()
	}
	return states
}

// withActions is the part of a model that a policy has to fit; every [Explicit] has it.
type withActions interface {
	NumStates() int
	NumActions(s int) int
}

// Validate returns an error unless the policy, or the policy of each step, has valid actions and
// probabilities for every state of a model.
func (p Policy) Validate(model withActions) error {
	for step, own := range p.Steps {
		if own.Steps != nil {
			return fmt.Errorf("mdp: the policy of step %d has steps itself: use a stationary policy for each step", step)
		}
		if err := own.Validate(model); err != nil {
			return fmt.Errorf("%w (in step %d)", err, step)
		}
	}
	n := model.NumStates()
	switch {
	case p.Steps != nil:
		return nil
	case p.Start == nil && len(p.Actions) != n:
		return fmt.Errorf("mdp: a policy for %d states does not fit the model, which has %d", len(p.Actions), n)
	case p.Start != nil:
		if err := p.checkShares(n); err != nil {
			return err
		}
	}
	for s := range n {
		actions, _ := p.At(s)
		for _, a := range actions {
			if most := model.NumActions(s); a < 0 || int(a) >= most {
				return fmt.Errorf("mdp: policy: action %d of state %d is not valid: use 0 … %d", a, s, most-1)
			}
		}
	}
	return nil
}

// check returns an error unless the policy is a stationary one of a model.
func (p Policy) check(model Explicit) error {
	if p.Steps != nil {
		return fmt.Errorf("mdp: %w: the policy changes from step to step: use FiniteHorizon", ErrUnsupported)
	}
	return p.Validate(model)
}

// checkShares checks the probabilities of a randomised policy for n states.
func (p Policy) checkShares(n int) error {
	if err := checkStarts("Policy.Start", p.Start, len(p.Actions)); err != nil {
		return err
	}
	isRandomized := len(p.Actions) > n
	if len(p.Start) != n+1 || isRandomized && len(p.Probabilities) != len(p.Actions) {
		return fmt.Errorf("mdp: a policy for %d states, of %d actions with %d probabilities, is not valid for a model of %d states",
			len(p.Start)-1, len(p.Actions), len(p.Probabilities), n)
	}
	for s := range n {
		actions, shares := p.At(s)
		sum := new(big.Rat)
		for _, x := range shares {
			if x == nil || x.Sign() <= 0 {
				return fmt.Errorf("mdp: policy: a probability in state %d is not above 0", s)
			}
			sum.Add(sum, x)
		}
		if len(actions) == 0 || shares != nil && sum.Cmp(big.NewRat(1, 1)) != 0 {
			return fmt.Errorf("mdp: policy: the probabilities of state %d sum to %s, not to 1", s, sum.RatString())
		}
	}
	return nil
}

// Under returns the Markov chain of a stationary policy on a model: a model with one action in
// each state. With π(a|s) the probability of action a in state s,
//
//	p(j|s) = Σ_a π(a|s)·p(j|s,a),   c(s) = Σ_a π(a|s)·c(s,a).
//
// The chain of a randomised policy is [Approximate], with the relative error of these sums.
// Errors are a policy that does not fit the model, [ErrPrecisionLimit] where costs cancel in
// c(s), and [ErrMissing].
func Under(model Explicit, policy Policy) (Approximate, error) {
	if err := checkGiven("model", "", model); err != nil {
		return nil, err
	}
	if err := policy.check(model); err != nil {
		return nil, err
	}
	return policy.under(model, nil)
}

// under returns the chain of a policy that fits the model. It stays in the states that ends
// marks, at no cost.
func (p Policy) under(model Explicit, ends []bool) (approximateTable, error) {
	n := model.NumStates()
	r, off := rows.New(n, n, 0), relativeError(model)
	var row []Entry
	var costs []float64 // of the actions that a state takes
	for s := range n {
		if len(ends) > 0 && ends[s] {
			r.Add(int32(s), 1)
			r.EndChoice(0)
			r.EndState()
			continue
		}
		actions, shares := p.At(s)
		costs = costs[:0]
		for i, a := range actions {
			share := 1.0
			if shares != nil {
				share, _ = shares[i].Float64()
			}
			var cost float64
			row, cost = model.AppendRow(row[:0], s, int(a))
			costs = append(costs, cost)
			for _, e := range row {
				if e.Probability > 0 {
					r.Add(e.State, share*e.Probability)
				}
			}
		}
		if shares != nil {
			r.Merge()
		}
		cost, errorBound := p.mean(s, costs, relativeError(model))
		off = max(off, errorBound)
		r.EndChoice(cost)
		r.EndState()
	}
	chain := approximateTable{&Table{rows: r, rate: rateOf(model)}, off}
	if math.IsInf(off, 1) {
		return chain, fmt.Errorf("mdp: costs of a randomised policy cancel: %w", ErrPrecisionLimit)
	}
	return chain, nil
}

// mean returns the expected cost of a policy in state s, given the costs of the actions that it takes
// there. errorBound bounds the relative error of this mean, and of probabilities that are mixed in the
// same way; off bounds the relative error of the costs.
func (p Policy) mean(s int, costs []float64, off float64) (mean, errorBound float64) {
	_, shares := p.At(s)
	if shares == nil {
		return costs[0], off
	}
	sum, size := new(big.Rat), new(big.Rat)
	for i, cost := range costs {
		part := new(big.Rat).SetFloat64(cost)
		sum.Add(sum, part.Mul(part, shares[i]))
		size.Add(size, part.Abs(part))
	}
	mean, _ = sum.Float64()
	errorBound = off + 8*float64(len(costs))*rounding.Unit
	if off > 0 && size.Sign() > 0 { // else the mean is rounded once
		absolute, _ := size.Float64()
		errorBound *= absolute / math.Abs(mean)
	}
	return mean, errorBound
}

// Evaluate finds the value of a policy by a criterion, with bounds: it solves the chain of the
// policy, see [Under]. A chain leaves no choice, so the sense of the criterion only says whether
// costs or rewards are summed. A policy that changes from step to step needs a [FiniteHorizon] of
// as many steps. The model is [Explicit] or [Uncertain]: there nature chooses, and the policy takes
// one action in each state. Errors are those of [Under] and [Solve].
//
// For an average, [LongRun] also gives the share of time that the policy spends in each state.
// Package simulate estimates values by simulation.
func Evaluate(ctx context.Context, model Model, policy Policy, criterion Criterion, settings Settings) (*Result, error) {
	finite, ok := criterion.(FiniteHorizon)
	switch {
	case policy.Steps != nil && (!ok || finite.Steps != len(policy.Steps)):
		return nil, fmt.Errorf("mdp: %w: a policy of %d steps: use FiniteHorizon with as many", ErrUnsupported, len(policy.Steps))
	case policy.Steps != nil || ok && finite.At != nil:
		at := finite.At
		finite.At = func(step int) (of Model, err error) {
			if of = model; at != nil {
				of, err = at(step)
			}
			if err != nil {
				return nil, err
			}
			return chainOf(of, policy.InStep(step))
		}
		return policy.solved(Solve(ctx, model, finite, settings))
	}
	chain, err := chainOf(model, policy)
	if err != nil {
		return nil, err
	}
	return policy.solved(Solve(ctx, chain, criterion, settings))
}

// chainOf returns the chain of a stationary policy. If the model is [Uncertain], nature still has its
// choice in it.
func chainOf(model Model, policy Policy) (Model, error) {
	switch m := model.(type) {
	case *Uncertain:
		return m.under(policy)
	case Explicit:
		return Under(m, policy)
	}
	return nil, cmp.Or(checkGiven("model", "", model), fmt.Errorf("mdp: %w: the model does not list its rows (interface Explicit)", ErrUnsupported))
}

// solved sets the Policy of a result that was found for the chain of p: to the actions of the first
// step, and to nil if they are randomised.
func (p Policy) solved(result *Result, err error) (*Result, error) {
	if len(p.Steps) > 0 {
		p = p.Steps[0]
	}
	if result != nil {
		result.Policy = p.Deterministic()
	}
	return result, err
}
