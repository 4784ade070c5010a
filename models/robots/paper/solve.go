// This file holds the authors' iteration.

package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// The constants of the authors' iteration. Their source is section 4 of the
// paper; the reference state is one that reproduces every printed number.
const (
	// Damping is τ.
	Damping = 0.99999
	// Tolerance bounds the largest relative change of a value in the last
	// iteration.
	Tolerance = 1e-5
)

// reference is the reference state x̂.
var reference = State{Queue: 1, Active: 1, Event: Arrival}

// Solve runs relative value iteration exactly as the authors of the paper
// ran it, on all states (q,r,s): from h = 0,
//
//	h ← (1−τ)·h + τ·(T h − T h(x̂)),
//
// until no value changes by Tolerance or more relative to what it was
// (0/0 counts as 0; the reference state, whose value is 0, is passed over).
// Gain is their cost T h(x̂) of the last iteration, and Iterations is their
// count.
//
// Their rule stops when values have stopped moving, which is no statement about
// the gain: the bounds, from the last iteration's h, tell how good it is, and
// the status is [mdp.Stopped] unless they are within the tolerance of settings.
// Of the settings, Tolerance, MaxIterations, TimeLimit, Workers
// (for the bounds) and Record count; errors are as of [robots.Solve].
//
// Source: Talim, Liu, Nain and Coffman, Proposition 4 (where θ = τT(h)(x̂) is a
// slip for T(h)(x̂)) and section 4.
func Solve(ctx context.Context, p robots.Parameters, settings mdp.Settings) (*robots.Solution, error) {
	begin := time.Now()
	m, err := NewEventModel(p)
	if err != nil {
		return nil, err
	}
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	if settings.MaxIterations == 0 {
		settings.MaxIterations = mdp.DefaultMaxIterations
	}
	it := newIteration(m)
	status, stop := it.run(ctx, settings, begin)
	bias := it.bias()
	for i := range bias {
		bias[i] *= m.Rate() // as Improve has it
	}
	if slices.ContainsFunc(bias, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		return nil, fmt.Errorf("paper: %w", mdp.ErrOverflow)
	}
	policy := make([]int32, len(bias))
	lower, upper := mdp.LongRunAverage{}.Improve(m, mdp.Vector{High: bias}, policy, make([]float64, len(bias)))
	if math.IsNaN(lower) || math.IsNaN(upper) {
		return nil, fmt.Errorf("paper: %w", mdp.ErrOverflow)
	}
	solution := &robots.Solution{
		Parameters: p,
		Gain:       it.gain,
		Lower:      max(lower, 0), // no step costs less
		Upper:      upper,
		Status:     status,
		Method:     "the authors' iteration",
		Iterations: it.iterations,
	}
	if status != mdp.Interrupted && settings.Met(solution.Lower, solution.Upper) {
		solution.Status, stop = mdp.Converged, nil
	}
	solution.Elapsed = time.Since(begin)
	if solution.Policy, err = m.policy(policy); err != nil {
		return nil, err
	}
	if err := solution.Finish(ctx); err != nil {
		stop = err
	}
	if stop != nil {
		stop = fmt.Errorf("paper: the authors' iteration stopped in iteration %d, gain between %v and %v: %w",
			it.iterations, solution.Lower, solution.Upper, stop)
	}
	return solution, stop
}

type iteration struct {
	model      *EventModel
	origin     int
	h, next    []float64 // h of the last iteration, and what it became
	gain       float64
	iterations int
}

func newIteration(m *EventModel) *iteration {
	n := m.NumStates()
	return &iteration{model: m, origin: m.Index(reference), h: make([]float64, n), next: make([]float64, n)}
}

// bias returns h of the last iteration in units of cost.
func (it *iteration) bias() []float64 {
	bias := make([]float64, len(it.h))
	for i, x := range it.h {
		bias[i] = x / it.model.Rate()
	}
	return bias
}

func (it *iteration) run(ctx context.Context, settings mdp.Settings, begin time.Time) (mdp.Status, error) {
	for {
		switch {
		case ctx.Err() != nil:
			return mdp.Interrupted, context.Cause(ctx)
		case it.iterations == settings.MaxIterations:
			return mdp.IterationLimit, mdp.ErrIterationLimit
		case settings.TimeLimit > 0 && time.Since(begin) >= settings.TimeLimit:
			return mdp.TimeLimit, mdp.ErrTimeLimit
		}
		change, lower, upper := it.iterate()
		if settings.Record != nil {
			progress := mdp.Progress{Iteration: it.iterations, Lower: lower, Upper: upper, Elapsed: time.Since(begin)}
			if err := settings.Record(progress); err != nil {
				return mdp.Interrupted, err
			}
		}
		if change < Tolerance {
			return mdp.Stopped, nil
		}
	}
}

// iterate does one iteration and returns the largest relative change, and the
// bounds on the gain that it gives.
func (it *iteration) iterate() (change, lower, upper float64) {
	if it.iterations > 0 {
		it.h, it.next = it.next, it.h
	}
	it.iterations++
	it.model.Backup(it.next, nil, it.h, 0, len(it.h))
	it.gain = it.next[it.origin]
	lower, upper = math.Inf(1), math.Inf(-1)
	for i, t := range it.next {
		lower, upper = min(lower, t-it.h[i]), max(upper, t-it.h[i])
		it.next[i] = float64((1-Damping)*it.h[i]) + float64(Damping*(t-it.gain))
		if d := math.Abs(it.next[i] - it.h[i]); i != it.origin && d > 0 {
			change = max(change, d/math.Abs(it.h[i]))
		}
	}
	return change, lower, upper
}
