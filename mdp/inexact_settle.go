package mdp

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

const (
	// slowFall is how far a sweep must bring the residual down for another one
	// to be worth it if no action changes any more, and how far bounds must come
	// closer for it to count as progress.
	slowFall = 0.95

	// patience is how many iterations may be without progress before sweeps take
	// over, restSweeps how many of them make an iteration, and leastRest how many
	// such iterations there are the first time. They double.
	patience, restSweeps, leastRest = 60, 32, 8

	// lastSteps is how many steps may be without progress where rounding is
	// near, and nearRounding how many times the noise of a sweep counts as near.
	lastSteps, nearRounding = 6, 32
)

// offset is what to add to bounds on the residual for bounds on the number that
// stands for the answer.
func (it *implicitSteps) offset() float64 { return (1 - it.discount) * it.mean }

// measure takes down the bounds of a sweep.
func (it *implicitSteps) measure() {
	it.lowest = max(it.lowest, it.offset()+it.least)
	it.highest = min(it.highest, it.offset()+it.most)
	if it.most-it.least < it.best.span() {
		it.keep(&it.best)
	}
}

// sweepOn sweeps as long as that brings something, up to a number of times.
func (it *implicitSteps) sweepOn(ctx context.Context, times int) error {
	for range times {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		before := it.most - it.least
		it.advance()
		if err := it.sweep(); err != nil {
			return err
		}
		it.measure()
		if it.changed == 0 && it.most-it.least > slowFall*before {
			return nil
		}
	}
	return nil
}

// settle looks at what an iteration has brought.
func (it *implicitSteps) settle() error {
	if it.done = it.met(&it.best, it.margin()); it.done {
		return nil
	}
	gap := it.highest - it.lowest
	if it.idle++; it.best.span() < it.span || gap < slowFall*it.gap {
		it.idle, it.span, it.gap = 0, it.best.span(), gap
	}
	near := it.extended || it.discount < 1 && it.best.span() <= nearRounding*it.noise()
	it.lost = near && it.idle >= lastSteps && (it.stable > 0 || it.discount < 1)
	switch {
	case it.lost:
	case it.margin() > 0 && (it.forcing*gap < nearRounding*it.noise() || it.met(&it.best, 0)):
		return it.extend()
	case it.idle >= patience:
		it.rest, it.idle, it.horizon = leastRest<<min(it.rests, 20), 0, firstHorizon
		it.rests++
		return it.goBack(&it.best)
	}
	return nil
}

// margin is how much closer the bounds on the gain must be for what float64 does
// to them.
func (it *implicitSteps) margin() float64 {
	if it.extended || it.discount < 1 {
		return 0
	}
	return it.noise()
}

// extend goes over to double-double, and forgets the bounds found so far, in
// which rounding counts.
func (it *implicitSteps) extend() error {
	it.extended, it.values.Low = true, make([]float64, len(it.x))
	it.lowest, it.highest, it.best = math.Inf(-1), math.Inf(1), noSnapshot()
	it.span, it.gap = math.Inf(1), math.Inf(1)
	if err := it.sweep(); err != nil {
		return err
	}
	it.measure()
	return nil
}

func (it *implicitSteps) finished() bool { return it.done || it.lost }

func (it *implicitSteps) exhausted() bool { return it.lost }

// answer is the values of the closest bounds.
func (it *implicitSteps) answer() answer {
	if it.best.values == nil {
		return answer{values: it.values, gain: math.NaN()}
	}
	found := answer{values: vector.Vector{High: it.best.values, Low: it.best.low}, gain: math.NaN()}
	if it.below.High != nil {
		found.policy, found.below, found.above = it.policy, it.below, it.above
	}
	return found
}
