// Package implicit takes implicit steps of value iteration: it improves values by the
// equations of a policy's chain that stops in each step with some probability.
package implicit

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/mdpsolve/mdpsolve/mdp/internal/average"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Implicit steps: their horizon, when one is undone, and when they end.

const (
	// forcing is the share of the gap between the bounds that the residual of an
	// evaluation may be.
	forcing = 0.1

	// The horizon of a step is how many steps of the process it looks ahead on average.
	// firstHorizon is that of the first step: many times the sweeps before it. In a model with
	// a single policy it is chainHorizon: as far as values in float64 resolve the bounds. Where
	// discounting alone looks less far ahead than firstHorizon, it is mostHorizon, and the first
	// step finds the values of its policy. From a given policy it is startHorizon.
	firstHorizon, startHorizon, chainHorizon = 1e3, 1e6, 1e8

	// leastHorizon and mostHorizon bound the horizon. With the least one the equations of
	// a step are easy to solve.
	leastHorizon, mostHorizon = 10, 1e14

	// horizonGrowth is the factor by which the horizon grows after a good step, and
	// shrinks after a bad one.
	horizonGrowth = 30

	// stepSweeps bounds the sweeps after a step. A step finds the values of a policy;
	// with each sweep, better actions spread to the neighbouring states.
	stepSweeps = 10

	// If no action changes any more, another sweep follows only if the last one reduced the
	// span of the residual by the factor slowFall. Bounds that come closer by this factor
	// count as progress.
	slowFall = 0.95

	// After patience iterations without progress, iterations consist of fallbackSweeps
	// sweeps instead of a step; a method that yields ends if elimination solves the equations.
	patience, fallbackSweeps = 60, 32

	// The method ends after lastSteps iterations without progress if it is near the limit of
	// rounding: if the span is at most nearRounding times the rounding of a sweep. A method
	// that yields ends after one such iteration.
	lastSteps, nearRounding = 6, 32

	// Values whose residual has a span of far times the best one are not worth more digits.
	far = 1e3
)

// steps is the phase of implicit steps. With π the actions that attain T v and
// r = T v − v, a step is
//
//	v ← v + (I − γ·β·P_π)⁻¹·(r − g),  γ = H/(1+H),
//
// with the horizon H; g, the center, is the same number for all states. Some sweeps
// follow each step.
type steps struct {
	swept
	begun     bool
	evaluator evaluator

	best     snapshot      // with the closest bounds
	below    vector.Vector // made for the lower bound, at the end
	above    vector.Vector // made for the upper bound, at the end
	previous snapshot      // before the step

	horizon float64
	center  float64 // g: an estimate of the long-run mean of the residual

	// lowest and highest are the best bounds so far on one number that stands
	// for the answer: the gain, or the mean of the values times 1−β.
	lowest, highest float64

	ended  float64 // span of the residual after the last step and its sweeps
	stable int     // steps since an action changed

	span, gap float64 // of the best values, and between lowest and highest, when they last came closer
	idle      int     // iterations since then
	fallback  bool    // only sweeps remain
	done      bool    // the bounds are within the tolerance
	lost      bool    // rounding keeps them apart
}

// newSteps returns steps from values, whose memory they use.
func newSteps(task *method.Task, v []float64) *steps {
	return &steps{
		swept: newSwept(task, v), evaluator: evaluator{task: task, totals: evaluate.NewTotals(task.Sweeper.Team, len(v), evaluate.Operations)},
		best: noSnapshot(), previous: noSnapshot(),
		horizon: firstHorizon,
		lowest:  math.Inf(-1), highest: math.Inf(1),
		span: math.Inf(1), gap: math.Inf(1),
	}
}

// begin makes the first sweep.
func (it *steps) begin() error {
	if err := it.sweep(); err != nil {
		return err
	}
	it.begun = true
	if r := it.task.Rows; r != nil && r.NumChoices() == r.NumStates() {
		it.horizon = chainHorizon
	}
	if (1-it.discount)*firstHorizon >= 1 {
		it.horizon = mostHorizon
	}
	it.measure()
	it.center = it.least + (it.most-it.least)/2
	if it.task.Policy != nil {
		it.horizon = startHorizon
		copy(it.policy, it.task.Policy)
		it.task.Sweeper.Blocks(func(_, lo, hi int) { it.backupPolicy(lo, hi) })
	}
	return nil
}

// backupPolicy sets the residual to that of the policy.
func (it *steps) backupPolicy(lo, hi int) {
	var row []rows.Entry
	for s := lo; s < hi; s++ {
		var sum float64
		row, sum = it.task.Listed.AppendRow(row[:0], s, int(it.policy[s]))
		for _, e := range row {
			sum += float64(e.Probability * it.x[e.State])
		}
		it.residual[s] = sum - it.values.High[s]
	}
}

// areDear reports whether the first step takes as long as many of the sweeps before it. isFirst says
// that these are judged for the first time.
func (it *steps) areDear(ctx context.Context, isFirst bool) (bool, error) {
	operations, err := it.evaluator.operations(ctx, it.policy)
	transitions := len(it.evaluator.moves.Columns)
	if it.task.Rows != nil {
		transitions = len(it.task.Rows.Columns)
	}
	return operations > dearOperations*float64(transitions) && (isFirst && it.discount < 1 || !math.IsInf(operations, 1)), err
}

// Iterate makes one step and the sweeps that follow it, or only sweeps.
func (it *steps) Iterate(ctx context.Context) (lower, upper float64, err error) {
	if !it.begun {
		if err := it.begin(); err != nil {
			return 0, 0, err
		}
	}
	if it.fallback {
		err = it.sweepOn(ctx, fallbackSweeps)
	} else {
		err = it.step(ctx)
	}
	if err == nil {
		err = it.settle()
	}
	lower, upper = it.bounds(&it.best)
	return lower, upper, err
}

// step makes an implicit step and sweeps, or undoes the step.
func (it *steps) step(ctx context.Context) error {
	gap := it.highest - it.lowest
	allowed := it.highest + 2*forcing*gap + it.noise()
	it.keep(&it.previous)
	stop := (1 - it.discount) + it.discount/(1+it.horizon)
	correction, good, err := it.solve(ctx, stop)
	if err != nil {
		return err
	}
	it.move(correction, stop)
	if err := it.sweep(); err == nil {
		it.measure()
	}
	if now := it.offset() + it.most; !(now <= allowed) { // also where it is NaN
		it.horizon = max(it.horizon/(horizonGrowth*horizonGrowth), leastHorizon)
		return it.goBack(&it.previous)
	}
	changed := it.changed
	if !it.extended {
		if err := it.sweepOn(ctx, stepSweeps); err != nil {
			return err
		}
	}
	it.adapt(good, changed)
	return nil
}

// adapt chooses the horizon after a step. good says that the equations of the step were
// solved, and changed is the number of actions that it changed. The horizon grows if the policy is
// close to the best one for the present horizon: if the residual is small or falls (it
// rises while policies far from the best are evaluated), or if actions hardly change.
func (it *steps) adapt(good bool, changed int) {
	span := it.most - it.least
	low := span <= 3*(it.highest-it.lowest) || span <= it.ended/2
	switch {
	case !good:
		it.horizon = max(it.horizon/horizonGrowth, leastHorizon)
	case low || changed <= len(it.x)/1000:
		it.horizon = min(it.horizon*math.Pow(horizonGrowth, float64(1+it.stable)), mostHorizon)
	}
	it.ended = span
	if it.stable++; !slices.Equal(it.policy, it.evaluator.policy) {
		it.stable = 0
	}
}

// solve finds the correction of a step whose chain stops with the given probability. It
// reports whether the residual meets its tolerance, which shrinks with every step in
// which no action changes.
func (it *steps) solve(ctx context.Context, stop float64) (correction []float64, good bool, err error) {
	it.center = min(max(it.center, it.least), it.most)
	it.task.Sweeper.Blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			it.residual[i] -= it.center
		}
	})
	tolerance := math.Pow(forcing, float64(1+it.stable)) * (it.highest - it.lowest)
	if !it.extended {
		tolerance = max(tolerance, it.noise())
	}
	return it.evaluator.solve(ctx, it.policy, it.residual, stop, tolerance)
}

// move adds the correction to the values, and one number to all of them: for the long-run
// average the one that keeps their mean, and so keeps them small; for
// discounted values g/(1−β), the discounted sum of the center.
func (it *steps) move(correction []float64, stop float64) {
	it.task.Sweeper.Blocks(func(block, lo, hi int) { it.sums[block] = floats.Sum(correction[lo:hi]) })
	mean := floats.Sum(it.sums) / float64(len(correction))
	number, rest := -mean, it.center
	if it.discount < 1 {
		number, rest = it.center/(1-it.discount), 0
	}
	it.add(correction, 1, number)
	it.center = rest + (stop-(1-it.discount))*mean
}

// offset is the difference between the number that stands for the answer and the
// residual.
func (it *steps) offset() float64 { return (1 - it.discount) * it.mean }

// measure updates the best bounds by those of a sweep.
func (it *steps) measure() {
	it.lowest = max(it.lowest, it.offset()+it.least)
	it.highest = min(it.highest, it.offset()+it.most)
	if it.most-it.least < it.best.span() {
		it.keep(&it.best)
	}
}

// sweepOn makes at most the given number of sweeps. It ends early if no action changes
// and the span hardly falls.
func (it *steps) sweepOn(ctx context.Context, times int) error {
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
		if !it.fallback && it.changed == 0 && it.most-it.least > slowFall*before {
			return nil
		}
	}
	return nil
}

// settle decides how to go on after an iteration.
func (it *steps) settle() error {
	gap := max(it.highest-it.lowest, 0)              // rounding may have crossed them
	isNoise := !it.extended && it.span <= it.noise() // rounding may lower the span further, by chance
	falls := it.best.span() < slowFall*it.span && !isNoise
	if it.idle++; falls || gap < slowFall*it.gap {
		it.idle, it.span, it.gap = 0, it.best.span(), gap
	}
	near := it.extended && (it.stable > 0 || it.fallback)
	it.lost = near && (it.idle >= lastSteps || it.best.span() == 0) || it.mustYield(near)
	extends := !it.extended && it.isRounding(gap)
	isOpen := extends && it.task.Strictness > 1 // bounds as close as these were too wide for some states
	it.done = it.met(&it.best, it.margin()) && !isOpen
	switch {
	case it.done, it.lost:
	case extends:
		return it.extend()
	case it.idle >= patience && !it.fallback:
		it.fallback, it.idle = true, 0
		return it.goBack(&it.best)
	}
	return nil
}

// mustYield reports whether exact evaluation should take over.
func (it *steps) mustYield(isNear bool) bool {
	return it.task.Yields && (isNear && it.idle > 0 || it.idle >= patience && !it.evaluator.totals.IsIterative() || it.isBeyond(it.task.Listed.RelativeError))
}

// isBeyond is [method.Task.IsBeyond] for the values.
func (it *steps) isBeyond(relativeError float64) bool {
	return it.task.IsBeyond(relativeError, slices.Min(it.values.High), slices.Max(it.values.High))
}

// isRounding reports whether float64 hardly resolves the bounds any more, which are a gap apart.
func (it *steps) isRounding(gap float64) bool {
	if it.discount < 1 {
		return it.idle > 0 && it.best.span() <= nearRounding*it.noise() || it.isBeyond(rounding.Unit/2)
	}
	return forcing*gap < nearRounding*it.noise() || it.met(&it.best, 0)
}

// margin bounds the rounding error of a bound on the gain in float64.
func (it *steps) margin() float64 {
	if it.extended || it.discount < 1 {
		return 0
	}
	return it.noise()
}

// extend switches to double-double. It discards the bounds found so far, which rounding
// may have moved.
func (it *steps) extend() error {
	if it.most-it.least > far*it.best.span() {
		copy(it.values.High, it.best.values.High)
		it.rescale(0, len(it.x))
	}
	it.extended, it.values.Low = true, make([]float64, len(it.x))
	it.lowest, it.highest, it.best = math.Inf(-1), math.Inf(1), noSnapshot()
	it.span, it.gap = math.Inf(1), math.Inf(1)
	if err := it.sweep(); err != nil {
		return err
	}
	it.measure()
	return nil
}

// IsFinished implements method.Iteration.
func (it *steps) IsFinished() bool { return it.done || it.lost }

// IsExhausted implements method.Iteration.
func (it *steps) IsExhausted() bool { return it.lost }

// Answer implements method.Iteration: the values of the closest bounds.
func (it *steps) Answer() method.Answer {
	if it.best.values.High == nil {
		return method.Answer{Values: it.values, Gain: math.NaN()}
	}
	found := method.Answer{Values: it.best.values, Gain: math.NaN()}
	if it.below.High != nil {
		found.Policy, found.Below, found.Above = it.policy, it.below, it.above
	}
	return found
}

const (
	// encloseStop is the probability of stopping at which the equations of the
	// margins are solved: so small that it hardly counts beside the margins.
	encloseStop = 0x1p-30

	// encloseShare is the residual of the solution, as a share of the tolerance.
	encloseShare = 1.0 / 32
)

// enclose makes values that give closer bounds, as [average.Iteration] does, where
// elimination is too expensive. Bounds that hold for all states are as far apart as the
// largest error of a row, even if its state is hardly ever visited. Let δ solve
//
//	δ = m + (1−σ)·P·δ
//
// for margins m that outweigh the errors and a small probability σ of stopping. Under the
// policy, T h − h of the values h − δ is that of h plus m, which covers the error of each
// row, minus σ·P·δ. The last term is about the long-run mean of m, the same number for
// all states. δ is needed only to within a share of the tolerance.
func (it *steps) enclose(ctx context.Context) error {
	if err := it.goBack(&it.best); err != nil {
		return err
	}
	margins := average.Margins(it.task.Sweeper, it.task.Listed, it.values, it.policy)
	gain := max(it.lowest, -it.highest, 0)
	high, _, err := it.evaluator.solve(ctx, it.policy, margins, encloseStop, encloseShare*it.task.Tolerance*gain)
	if err != nil {
		return err
	}
	it.policy = slices.Clone(it.policy)
	shift := vector.Extended(high)
	it.below, it.above = it.values.Plus(shift.Negative()), it.values.Plus(shift)
	return nil
}
