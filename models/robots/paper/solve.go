// This file holds the authors' iteration.

package paper

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/sweep"
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

// Solve runs relative value iteration exactly as the authors of the paper
// ran it, on all states (q,r,s): from h = 0,
//
//	h ← (1−τ)·h + τ·(T h − T h(x̂)),
//
// until no value changes by Tolerance or more relative to what it was
// (0/0 counts as 0; the reference state, whose value is 0, is ignored).
// Gain is their cost T h(x̂) of the last iteration, and Iterations is their
// count.
//
// Their rule stops when values have stopped moving, which does not bound the error of the
// gain. The bounds, from the last iteration's h, do, and the status is [mdp.Stopped] unless
// they are within the tolerance of settings.
// They are those of [robots.Model] for W, the expectation of h over the next event.
// Of the settings, Tolerance, MaxIterations, TimeLimit and Record count; errors are as of
// [robots.Solve].
//
// Source: Talim, Liu, Nain and Coffman, Proposition 4 (where θ = τT(h)(x̂) is a
// slip for T(h)(x̂)) and section 4.
func Solve(ctx context.Context, p robots.Parameters, settings mdp.Settings) (*robots.Solution, error) {
	begin := time.Now()
	if err := checkPlain(p); err != nil {
		return nil, err
	}
	m, err := robots.NewModel(p)
	if err != nil {
		return nil, err
	}
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	if settings.MaxIterations == 0 {
		settings.MaxIterations = mdp.DefaultMaxIterations
	}
	it := newIteration(p)
	status, stop := it.run(ctx, settings, begin)
	policy := make([]int32, m.NumStates())
	lower, upper := mdp.LongRunAverage{}.Improve(m, mdp.Vector{High: it.pairs()}, policy, make([]float64, m.NumStates()))
	if math.IsNaN(lower+upper) || math.IsInf(lower, 0) || math.IsInf(upper, 0) {
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
	if solution.Policy, err = robots.NewPolicy(p, func(s robots.State) robots.Decisions {
		index := m.Index(s)
		return m.Decisions(index, int(policy[index]))
	}); err != nil {
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

// iteration holds h and W, whose step is, with ν = λN+μ,
//
//	(T h)(q,r,s) = γ·1(q=0) + ν·1(q=K, s=1) + min over a of W(q',r')
//	W(q,r) = (μ/ν)·1(q>0)·h(q,r,0) + (λr/ν)·h(q,r,1) + (1 − (μ·1(q>0) + λr)/ν)·h(q,r,2)
//
// where (q',r') is the pair after the decision:
//
//	s = 0: (q−1, min(r+a,N)); a = 1 is forced at (1,0,0)
//	s = 1: (min(q+1,K), r+a−1)
//	s = 2: (q, r); a = 0 is forced
//
// Source: section 3.1, equations (18)-(21) and (24), with these slips corrected: arrivals
// after a departure have rate λ·min(r+a,N), the last line of (19) has the wrong sign, and
// q+1 is cut off at K in all of (20).
type iteration struct {
	parameters robots.Parameters
	law        *sweep.Law
	h, next    [3][]float64 // by event, at q·(N+1)+r: h of the last iteration, and what it became
	w          []float64    // W of h, at q·(N+1)+r; the value at (0,0), no pair, is that at (0,1)
	gain       float64
	iterations int
}

func newIteration(p robots.Parameters) *iteration {
	pairs := (p.Buffer + 1) * (p.Robots + 1)
	it := &iteration{
		parameters: p,
		law:        sweep.NewLaw(p.Robots, p.Buffer, p.ArrivalRate, p.ServiceRate, p.StarvationWeight),
		w:          make([]float64, pairs),
	}
	for e := range it.h {
		it.h[e], it.next[e] = make([]float64, pairs), make([]float64, pairs)
	}
	return it
}

// pairs returns W in the order of [robots.Model].
func (it *iteration) pairs() []float64 { return it.w[1:] }

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

// expect sets W.
func (it *iteration) expect() {
	n := it.parameters.Robots
	for q := range it.parameters.Buffer + 1 {
		next := it.law.At(q)
		for r := range n + 1 {
			i := q*(n+1) + r
			it.w[i] = float64(next.Departure*it.h[Departure][i]) + float64(next.Arrival[r]*it.h[Arrival][i]) + float64(next.Fictitious[r]*it.h[Fictitious][i])
		}
	}
	it.w[0] = it.w[1]
}

// iterate does one iteration and returns the largest relative change, and the
// bounds on the gain that it gives.
func (it *iteration) iterate() (change, lower, upper float64) {
	if it.iterations > 0 {
		it.h, it.next = it.next, it.h
	}
	it.iterations++
	it.expect()
	n, full := it.parameters.Robots, it.parameters.Buffer
	at := func(q, r int) int { return q*(n+1) + r }
	reference := at(1, 1) // of x̂ = (1,1,1)
	it.gain = min(it.w[at(2, 0)], it.w[at(2, 1)])
	lower, upper = math.Inf(1), math.Inf(-1)
	update := func(e robots.Event, i int, t float64) {
		h := it.h[e][i]
		lower, upper = min(lower, t-h), max(upper, t-h)
		next := float64((1-Damping)*h) + float64(Damping*(t-it.gain))
		it.next[e][i] = next
		if d := math.Abs(next - h); d > 0 && (e != Arrival || i != reference) {
			change = max(change, d/math.Abs(h))
		}
	}
	for q := range full + 1 {
		cost, costArrival := 0.0, 0.0
		switch q {
		case 0:
			cost, costArrival = it.parameters.StarvationWeight, it.parameters.StarvationWeight
		case full:
			costArrival = it.law.Rate
		}
		above := min(q+1, full)
		for r := range n + 1 {
			i := at(q, r)
			if q > 0 {
				update(Departure, i, cost+min(it.w[at(q-1, r)], it.w[at(q-1, min(r+1, n))]))
			}
			if r > 0 {
				update(Arrival, i, costArrival+min(it.w[at(above, r-1)], it.w[at(above, r)]))
			}
			if q+r > 0 {
				update(Fictitious, i, cost+it.w[i])
			}
		}
	}
	return change, lower, upper
}
