package mdp

// Processes in continuous time, declared by rates, and their uniformization.

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// ContinuousProblem declares a finite Markov decision process in continuous
// time. In state s under action a, events occur after exponential times with
// given rates. Cost accrues at a rate until then, and an event may have a lump
// cost. [ContinuousProblem.Uniformize] turns it into a [Problem].
type ContinuousProblem[S comparable, A any] struct {
	// Start lists the states where exploration begins, at least one.
	Start []S

	// Actions appends the actions that are allowed in s, at least one.
	Actions func(dst []A, s S) []A

	// CostRate is the cost per unit of time in s under a; nil for none.
	CostRate func(s S, a A) float64

	// Events appends the events that can occur in s under a. An event that leads
	// back to s, such as a lost customer, only has its lump cost.
	Events func(dst []Event[S], s S, a A) []Event[S]
}

// Event is one possible event of a [ContinuousProblem].
type Event[S comparable] struct {
	State S       // the next state
	Rate  float64 // of the exponential time until the event, ≥ 0
	Cost  float64 // lump cost, paid when the event occurs
}

// Uniformize returns the discrete-time problem whose steps occur at the
// uniformization rate Λ in every state: an event of rate r has probability r/Λ,
// and with the remaining probability the state stays (Lippman 1975; Puterman 1994,
// §11.5.2). Cost and gain are per unit of time: CostRate(s,a) + Σ over events of
// Rate·Cost.
//
// Λ must be at least the largest total rate of the events that leave a reachable
// state; 0 stands for that rate. Any larger Λ gives the same gain and the same
// policies. Uniformize explores the reachable states until ctx ends. It returns
// [ErrRate] for a rate that is not allowed, in a [*ModelError] that names the state
// and the action if it is that of an event.
//
// Uniformize panics if Actions or Events is nil.
func (p ContinuousProblem[S, A]) Uniformize(ctx context.Context, rate float64) (Problem[S, A], error) {
	if p.Actions == nil || p.Events == nil {
		panic("mdp: ContinuousProblem needs Actions and Events")
	}
	if !(rate >= 0) || math.IsInf(rate, 1) {
		return Problem[S, A]{}, fmt.Errorf("mdp: %w: uniformization rate %v is not valid: use a positive number, or 0 for the least possible", ErrRate, rate)
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

// largestRate explores the reachable states for the largest total rate of events that
// leave one, and checks it against the uniformization rate, 0 for none. If no state is
// ever left any rate will do; it returns 1.
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
					return 0, fail("event to %v at rate %v: use a finite rate of 0 or more", e.State, e.Rate)
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
				return 0, fail("events leave the state at rate %v: use a uniformization rate of at least that, not %v", leaving, rate)
			}
			largest = max(largest, leaving)
		}
	}
	if largest == 0 {
		return 1, nil
	}
	return largest, nil
}
