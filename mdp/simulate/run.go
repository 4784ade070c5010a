package simulate

// This file runs simulations: their settings, and the paths of replications.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sort"

	"github.com/mdpsolve/mdpsolve/internal/replicate"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// Settings say how to simulate. Each replication begins in State.
type Settings struct {
	State int

	// Horizon is the length of a replication, in steps or units of time. Only averages and
	// discounted sums use it; a sum leaves out what is earned later.
	Horizon float64

	// Rate is the discount rate in continuous time, per unit of time. It replaces the factor of
	// [mdp.Discounted], which is per step.
	Rate float64

	// WarmUp is the time before the horizon, in steps or units of time, that an average leaves
	// out. Batches is the number of equal parts of the horizon: with one replication, their
	// averages are the observations. 0 stands for 1.
	WarmUp  float64
	Batches int

	Replications int     // at least 1
	Seed         uint64  // equal seeds give equal results, to the bit
	Confidence   float64 // of the interval, between 0 and 1
	Workers      int     // goroutines, on which results do not depend; 0 stands for GOMAXPROCS
	Done         func()  // if not nil, called after each replication, by several goroutines at once
}

// Result is the outcome of a simulation.
type Result struct {
	Value        Interval
	Observations []float64 // by replication or, with ByBatch, by batch of the only replication
	ByBatch      bool
	Replications int   // the number that came to their end
	Steps        int64 // of all of them, those of the warm-up included
}

// Run simulates a policy and estimates its value by a criterion. A total needs a target that the
// policy reaches with probability 1; otherwise Run ends only with the context. In continuous time
// there are averages, totals, [mdp.TimeHorizon], and [mdp.Discounted] with a rate in the settings.
// A policy that changes from step to step needs an [mdp.FiniteHorizon] of as many steps.
//
// Errors are invalid settings, [mdp.ErrUnsupported], a policy that does not fit the process, and
// that of the context. The last comes with the result of the replications before the first that
// did not end, nil if there are none.
func Run(ctx context.Context, p *Process, policy mdp.Policy, criterion mdp.Criterion, settings Settings) (*Result, error) {
	g, err := newSimulation(p, policy, criterion, settings)
	if err != nil {
		return nil, err
	}
	players, err := replicate.Run(ctx, settings.Replications, cmp.Or(settings.Workers, runtime.GOMAXPROCS(0)), settings.Seed,
		func(random *rand.Rand) (replication, error) {
			p := replication{simulation: g, ctx: ctx, random: random, state: int32(settings.State), choice: -1}
			err := p.run()
			return p, err
		}, settings.Done)
	if len(players) == 0 {
		return nil, err
	}
	found := &Result{Replications: len(players)}
	for i := range players {
		found.Steps += players[i].steps
		found.Observations = append(found.Observations, players[i].value)
	}
	if settings.Replications == 1 && len(players[0].parts) > 1 {
		found.Observations, found.ByBatch = players[0].parts, true
	}
	found.Value = NewInterval(found.Observations, settings.Confidence)
	return found, err
}

// simulation is a process with a policy and a criterion.
type simulation struct {
	Process
	chances   []float64 // see cumulate; by transition, for each choice
	rules     []rule    // of the steps; the only one for all
	only      []int32   // the choice of each state, if the policy is stationary and not randomised
	isAverage bool
	horizon   float64 // steps, or time; infinite for a total
	warmUp    float64
	batches   int
	discount  float64   // 1 for none
	rate      float64   // of discounting in continuous time; 0 for none
	ends      []bool    // by state
	ending    []float64 // terminal rewards, by state; nil for none
}

func newSimulation(p *Process, policy mdp.Policy, criterion mdp.Criterion, settings Settings) (*simulation, error) {
	n := p.NumStates()
	switch {
	case settings.State < 0 || settings.State >= n:
		return nil, fmt.Errorf("simulate: state %d is not valid: use 0 … %d", settings.State, n-1)
	case settings.Replications < 1:
		return nil, fmt.Errorf("simulate: %d replications are not valid: use 1 or more", settings.Replications)
	case !(settings.Confidence > 0 && settings.Confidence < 1):
		return nil, fmt.Errorf("simulate: confidence %v is not valid: use a number between 0 and 1", settings.Confidence)
	case !p.fits():
		return nil, errors.New("simulate: the lists of the process do not fit: use those of mdp.TableArrays, and one number for each choice or transition")
	}
	g := &simulation{Process: *p, chances: slices.Clone(p.Weights), discount: 1, horizon: settings.Horizon, ends: make([]bool, n)}
	for k, first := range p.RowStart[:len(p.RowStart)-1] {
		cumulate(g.chances[first:p.RowStart[k+1]])
	}
	if err := policy.Validate(p); err != nil {
		return nil, err
	}
	for step := range max(1, len(policy.Steps)) {
		g.rules = append(g.rules, p.rule(policy.InStep(step)))
	}
	if policy.Steps == nil && len(g.rules[0].choices) == n {
		g.only = g.rules[0].choices
	}
	ok, isTimed, isFinite := true, p.Exits != nil, false
	switch c := criterion.(type) {
	case mdp.LongRunAverage:
		g.isAverage, g.warmUp, g.batches = true, settings.WarmUp, max(settings.Batches, 1)
		if !(g.horizon > 0) || math.IsInf(g.horizon, 1) || !(g.warmUp >= 0) || math.IsInf(g.warmUp, 1) {
			return nil, fmt.Errorf("simulate: horizon %v after warm-up %v is not valid: use a finite horizon above 0, and a finite warm-up of 0 or more", g.horizon, g.warmUp)
		}
		if !isTimed && (g.horizon != math.Floor(g.horizon) || settings.WarmUp != math.Floor(settings.WarmUp) || float64(settings.Batches) > g.horizon) {
			return nil, fmt.Errorf("simulate: an average of %v steps after %v in %d batches is not valid: use whole numbers of steps, and at most as many batches",
				g.horizon, settings.WarmUp, settings.Batches)
		}
	case mdp.Discounted:
		ok, g.discount, g.rate = isTimed == (settings.Rate > 0) && !math.IsInf(settings.Rate, 1), c.Discount, settings.Rate
		if !isTimed && !(g.discount >= 0 && g.discount < 1) {
			return nil, fmt.Errorf("simulate: discount %v is not valid: use a number from 0 to below 1", g.discount)
		}
		if !(g.horizon >= 0) || math.IsInf(g.horizon, 1) {
			return nil, fmt.Errorf("simulate: a horizon of %v is not valid: use a finite number of 0 or more", g.horizon)
		}
	case mdp.TotalCost:
		ok, g.horizon = c.Target != nil, math.Inf(1)
		for _, s := range c.Target {
			if s < 0 || int(s) >= n {
				return nil, fmt.Errorf("simulate: target %d is not valid: use 0 … %d", s, n-1)
			}
			g.ends[s] = true
		}
	case mdp.FiniteHorizon:
		ok, isFinite = !isTimed && c.At == nil && (policy.Steps == nil || len(policy.Steps) == c.Steps), true
		g.horizon, g.ending, g.discount = float64(c.Steps), c.Terminal, cmp.Or(c.Discount, 1)
		if c.Steps < 0 || !(g.discount > 0 && g.discount <= 1) {
			return nil, fmt.Errorf("simulate: %d steps with discount %v are not valid: use 0 steps or more, and a discount above 0, up to 1", c.Steps, g.discount)
		}
	case mdp.TimeHorizon:
		ok, g.horizon, g.ending = isTimed, c.Time, c.Terminal
		if !(c.Time >= 0) || math.IsInf(c.Time, 1) {
			return nil, fmt.Errorf("simulate: time %v is not valid: use a finite number of 0 or more", c.Time)
		}
	default:
		ok = false
	}
	if g.ending != nil && len(g.ending) != n {
		return nil, fmt.Errorf("simulate: terminal rewards of %d states are not valid for %d", len(g.ending), n)
	}
	if !ok || policy.Steps != nil && !isFinite {
		return nil, fmt.Errorf("simulate: %w: %T of this process and policy", mdp.ErrUnsupported, criterion)
	}
	return g, nil
}

// replication is one run of a simulation.
type replication struct {
	*simulation
	ctx    context.Context //nolint:containedctx // that of one call
	random *rand.Rand
	state  int32
	choice int32 // under way; −1 for none
	steps  int64
	value  float64
	parts  []float64 // means over the batches of an average
}

// lookEvery is the number of steps between two checks of the context.
const lookEvery = 1 << 16

// choose returns the choice of the policy.
func (p *replication) choose() int32 {
	at := int64(0)
	if len(p.rules) > 1 { // one for each step of the horizon
		at = p.steps
	}
	r := &p.rules[at]
	first, end := r.start[p.state], r.start[p.state+1]
	if end-first > 1 {
		first += int32(sort.SearchFloat64s(r.chances[first:end], p.random.Float64()))
	}
	return r.choices[first]
}

// jump ends a choice, goes to the next state and returns what that earns.
func (p *replication) jump(k int32) (earned float64) {
	p.steps++
	lo, hi := p.RowStart[k], p.RowStart[k+1]
	e := lo
	if hi-lo > 1 {
		e += int32(sort.SearchFloat64s(p.chances[lo:hi], p.random.Float64()))
	}
	p.state = p.Columns[e]
	if len(p.Choices) > 0 {
		earned = p.Choices[k]
	}
	if len(p.Transitions) > 0 {
		earned += p.Transitions[e]
	}
	return earned
}

// run goes on to the end of the replication.
func (p *replication) run() (err error) {
	if !p.isAverage {
		p.value, err = p.pass(p.horizon)
		return err
	}
	if _, err := p.pass(p.warmUp); err != nil {
		return err
	}
	from := p.warmUp
	for part := range p.batches {
		to := p.warmUp + p.horizon*float64(part+1)/float64(p.batches)
		if p.Exits == nil {
			to = math.Floor(to)
		}
		earned, err := p.pass(to - from)
		if err != nil {
			return err
		}
		p.parts = append(p.parts, earned/(to-from))
		p.value += earned / p.horizon
		from = to
	}
	return nil
}

// pass goes on for a number of steps, for a time, or until the target, and returns what is earned.
// That is discounted by the factor in each step, or at the rate. Exponential times have no memory,
// so each pass may draw a new one for a choice that the last pass left open.
func (p *replication) pass(length float64) (earned float64, err error) {
	weight := 1.0
	for left := length; left > 0 && !p.ends[p.state]; {
		if p.steps%lookEvery == 0 && p.ctx.Err() != nil {
			return 0, context.Cause(p.ctx)
		}
		k, stay, now := p.choice, 1.0, 0.0
		if p.only != nil {
			k = p.only[p.state]
		} else if k < 0 {
			k = p.choose()
		}
		if p.Exits != nil {
			if stay = math.Inf(1); p.Exits[k] > 0 {
				stay = p.random.ExpFloat64() / p.Exits[k]
			}
		}
		held, atJump, later := min(stay, left), 1.0, p.discount
		if p.rate > 0 { // a jump comes after the time until then
			atJump = math.Exp(-p.rate * held)
			held, later = -math.Expm1(-p.rate*held)/p.rate, atJump
		}
		if len(p.Rates) > 0 && p.Rates[k] != 0 {
			now = p.Rates[k] * held
		}
		if stay > left || stay > math.MaxFloat64 {
			earned += weight * now
			p.choice = k
			break
		}
		earned += weight * (now + atJump*p.jump(k))
		p.choice = -1
		weight *= later
		left -= stay
	}
	if p.ending != nil {
		earned += weight * p.ending[p.state]
	}
	return earned, nil
}
