package mdp

// Processes in continuous time, declared by rates, and their uniformization.

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// ContinuousProblem declares a finite Markov decision process in continuous
// time. In state s under action a, events occur at exponential times with
// given rates; meanwhile cost accrues at a rate, and an event may cost a lump
// of its own. [ContinuousProblem.Uniformize] turns it into a [Problem].
type ContinuousProblem[S comparable, A any] struct {
	// Start lists the states that exploration begins with, at least one.
	Start []S

	// Actions appends the actions that may be chosen in s, at least one.
	Actions func(dst []A, s S) []A

	// CostRate is the cost per unit of time in s under a; nil for none.
	CostRate func(s S, a A) float64

	// Events appends the events that can end the stay in s under a. An event
	// may lead back to s (a lost customer, say): it only costs its lump.
	Events func(dst []Event[S], s S, a A) []Event[S]
}

// Event is one possible event of a [ContinuousProblem].
type Event[S comparable] struct {
	State S       // the next state
	Rate  float64 // of the exponential time until the event, ≥ 0
	Cost  float64 // lump cost, paid when the event occurs
}

// Uniformize returns the discrete-time problem in which steps occur at the
// given uniformization rate Λ in every state: an event of rate r has
// probability r/Λ, and with the rest of the probability nothing happens
// (Lippman 1975; Puterman 1994, §11.5.2). Its cost, and so its gain, is per
// unit of time: CostRate(s,a) + Σ over events of Rate·Cost.
//
// Λ must be at least the largest total rate at which any reachable state is
// left; Λ = 0 asks for that largest rate. Any larger Λ gives the same gain and
// the same policies. Uniformize explores the reachable states under ctx. A rate
// that is not allowed comes back as [ErrRate]; that of an event within a
// [*ModelError] that names the state and the action.
//
// Uniformize panics if Actions or Events is nil.
func (p ContinuousProblem[S, A]) Uniformize(ctx context.Context, rate float64) (Problem[S, A], error) {
	if p.Actions == nil || p.Events == nil {
		panic("mdp: ContinuousProblem needs Actions and Events")
	}
	if !(rate >= 0) || math.IsInf(rate, 1) {
		return Problem[S, A]{}, fmt.Errorf("mdp: %w: uniformization rate %v is not valid: use a positive number, or 0 for the least", ErrRate, rate)
	}
	largest, err := p.largestRate(ctx, rate)
	if err != nil {
		return Problem[S, A]{}, err
	}
	if rate == 0 {
		rate = largest
	}
	return Problem[S, A]{
		Start:   p.Start,
		Actions: p.Actions,
		Rate:    rate,
		Cost: func(s S, a A) float64 {
			cost := 0.0
			if p.CostRate != nil {
				cost = p.CostRate(s, a)
			}
			for _, e := range p.Events(nil, s, a) {
				if e.Cost != 0 {
					cost += e.Rate * e.Cost
				}
			}
			return cost
		},
		Next: func(dst []Outcome[S], s S, a A) []Outcome[S] {
			leaving := 0.0
			for _, e := range p.Events(nil, s, a) {
				if e.State != s {
					leaving += e.Rate
					dst = append(dst, Outcome[S]{State: e.State, Probability: e.Rate / rate})
				}
			}
			return append(dst, Outcome[S]{State: s, Probability: max(1-leaving/rate, 0)})
		},
	}, nil
}

// largestRate explores the reachable states for the largest total rate at which one is
// left, and checks it against the uniformization rate, 0 for none. It returns 1 where no
// state is ever left, for which any rate serves.
func (p ContinuousProblem[S, A]) largestRate(ctx context.Context, rate float64) (float64, error) {
	largest := 0.0
	states, seen := slices.Clone(p.Start), make(map[S]bool)
	for _, s := range states {
		seen[s] = true
	}
	for i := 0; i < len(states); i++ {
		if i%contextInterval == 0 && ctx.Err() != nil {
			return 0, fmt.Errorf("mdp: exploring for the uniformization rate stopped after %d states: %w", i, context.Cause(ctx))
		}
		s := states[i]
		for _, a := range p.Actions(nil, s) {
			fail := func(format string, values ...any) error {
				fault := fmt.Errorf("%w: "+format, append([]any{ErrRate}, values...)...)
				return &ModelError{State: fmt.Sprint(s), Action: fmt.Sprint(a), Err: fault}
			}
			leaving := 0.0
			for _, e := range p.Events(nil, s, a) {
				if !(e.Rate >= 0) || math.IsInf(e.Rate, 1) {
					return 0, fail("event to %v at rate %v: rates are finite and not negative", e.State, e.Rate)
				}
				if e.State != s {
					leaving += e.Rate
				}
				if e.Rate > 0 && !seen[e.State] {
					seen[e.State] = true
					states = append(states, e.State)
				}
			}
			if rate > 0 && 1-leaving/rate < -rowSumTolerance {
				return 0, fail("events leave the state at rate %v, more than the uniformization rate %v", leaving, rate)
			}
			largest = max(largest, leaving)
		}
	}
	if largest == 0 {
		return 1, nil
	}
	return largest, nil
}
