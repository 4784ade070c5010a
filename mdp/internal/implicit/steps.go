package implicit

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/dense"
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/howard"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Implicit steps: how far each goes, when it is taken back, and when steps end.

const (
	// forcing is the share of the gap between the bounds that the residual of an
	// evaluation may be.
	forcing = 0.1

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

	// firstHorizon is the horizon of the first step: many times the sweeps by
	// then. startHorizon is that of a policy to start from.
	firstHorizon, startHorizon = 1e3, 1e6
	// leastHorizon and mostHorizon bound it. With the shortest, equations are
	// easily solved.
	leastHorizon, mostHorizon = 10, 1e14
	// horizonGrowth is by how much it becomes longer after a good step, and
	// shorter after a bad one.
	horizonGrowth = 30

	// leastSweeps and mostSweeps bound the sweeps after a step. Within them they
	// take half the time of the step: equations know what is done, and sweeps
	// spread from state to state what is better to do now.
	leastSweeps, mostSweeps = 3, 30
)

// steps is inexact policy iteration where it steps.
type steps struct {
	swept
	start     []int32 // policy of the first step, rather than the greedy one; nil for none
	begun     bool
	chain     Chain
	evaluator Evaluator // nil before the first step

	correction []float64 // of the last step
	work       float64   // what it took to find it, in sweeps over all actions

	best     snapshot      // with the closest bounds
	below    vector.Vector // made for the lower bound in the end, as above for the upper
	above    vector.Vector
	previous snapshot // before the step

	horizon float64
	center  float64 // g: estimate of the long-run mean of the residual

	// lowest and highest are the best bounds so far on one number that stands
	// for the answer: the gain, or the mean of the values times 1−β.
	lowest, highest float64

	choices float64 // how many times longer a sweep over all actions takes than one with a policy
	ended   float64 // span of the residual after the last step and its sweeps
	stable  int     // steps since an action changed

	span, gap float64 // of the best values, and between lowest and highest, when they last came closer
	idle      int     // iterations since then
	rest      int     // iterations of sweeps still to come
	rests     int     // how often sweeps took over
	done      bool    // the bounds are within the tolerance
	lost      bool    // they come no closer because of rounding
}

// newSteps steps from values, which it keeps.
func newSteps(task *method.Task, v []float64) *steps {
	return &steps{
		swept: newSwept(task, v),
		best:  noSnapshot(), previous: noSnapshot(),
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
	it.measure()
	it.center = it.least + (it.most-it.least)/2
	if it.start != nil {
		it.horizon = startHorizon
		copy(it.policy, it.start)
		it.task.Sweeper.Blocks(func(_, lo, hi int) { it.backupPolicy(lo, hi) })
	}
	return nil
}

// backupPolicy sets the residual to that of the policy.
func (it *steps) backupPolicy(lo, hi int) {
	var row []rows.Entry
	for s := lo; s < hi; s++ {
		var sum float64
		row, sum = it.model.AppendRow(row[:0], s, int(it.policy[s]))
		for _, e := range row {
			sum += float64(e.Probability * it.x[e.State])
		}
		it.residual[s] = sum - it.values.High[s]
	}
}

// iterate makes one step, and the sweeps that follow it.
func (it *steps) Iterate(ctx context.Context) (lower, upper float64, err error) {
	if !it.begun {
		if err := it.begin(); err != nil {
			return 0, 0, err
		}
	}
	if it.rest > 0 {
		it.rest--
		err = it.sweepOn(ctx, restSweeps)
	} else {
		err = it.step(ctx)
	}
	if err == nil {
		err = it.settle()
	}
	lower, upper = it.bounds(&it.best)
	return lower, upper, err
}

// step makes an implicit step and sweeps, or takes the step back.
func (it *steps) step(ctx context.Context) error {
	gap := it.highest - it.lowest
	allowed := it.highest + 2*forcing*gap + it.noise()
	it.keep(&it.previous)
	stop := (1 - it.discount) + it.discount/(1+it.horizon)
	good, err := it.solve(ctx, stop)
	if err != nil {
		return err
	}
	it.move(stop)
	if err := it.sweep(); err == nil {
		it.measure()
	}
	if now := it.offset() + it.most; !(now <= allowed) { // also where it is NaN
		it.horizon = max(it.horizon/(horizonGrowth*horizonGrowth), leastHorizon)
		return it.goBack(&it.previous)
	}
	changed := it.changed
	if !it.extended {
		if err := it.sweepOn(ctx, min(max(int(it.work/2), leastSweeps), mostSweeps)); err != nil {
			return err
		}
	}
	it.adapt(good, changed)
	return nil
}

// adapt chooses the horizon after a step that changed so many actions. It becomes
// longer if the equations were solved and the policy is about right for the
// present one: the residual, which rises when policies far from that for the
// horizon are evaluated, is low or falls, or actions hardly change.
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
	if it.stable++; !slices.Equal(it.policy, it.chain.Policy) {
		it.stable = 0
	}
}

// solve finds the correction of a step in which the chain stops with the given
// probability, and says whether it is as good as it should be: the better the
// longer no action has changed.
func (it *steps) solve(ctx context.Context, stop float64) (good bool, err error) {
	team := it.task.Sweeper.Team
	it.chain.Follow(team, it.model, it.policy, stop)
	if it.evaluator == nil {
		if it.evaluator, err = NewEvaluator(ctx, team, it.task.Limits.Workers, it.model, &it.chain); err != nil {
			return false, err
		}
	}
	if it.correction == nil {
		it.correction = make([]float64, len(it.x))
		it.choices = float64(rows.CountTransitions(it.model)) / float64(max(it.chain.NumTransitions(), 1))
	}
	it.center = min(max(it.center, it.least), it.most)
	it.task.Sweeper.Blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			it.residual[i] = (it.residual[i] - it.center) / (1 - stop)
		}
	})
	tolerance := math.Pow(forcing, float64(1+it.stable)) * (it.highest - it.lowest)
	if !it.extended {
		tolerance = max(tolerance, it.noise())
	}
	good, work, err := it.evaluator.Evaluate(ctx, &it.chain, it.correction, it.residual, tolerance)
	it.work = work / it.choices
	return good, err
}

// move adds the correction to the values, and a number to all of them: for the
// average one that keeps them small, for discounted ones what the center makes.
func (it *steps) move(stop float64) {
	it.task.Sweeper.Blocks(func(block, lo, hi int) { it.sums[block] = dense.Sum(it.correction[lo:hi]) })
	mean := dense.Sum(it.sums) / float64(len(it.correction))
	number, rest := -mean, it.center
	if it.discount < 1 {
		number, rest = it.center/(1-it.discount), 0
	}
	it.add(it.correction, 1, number)
	it.center = rest + (stop-(1-it.discount))*mean
}

// offset is what to add to bounds on the residual for bounds on the number that
// stands for the answer.
func (it *steps) offset() float64 { return (1 - it.discount) * it.mean }

// measure takes down the bounds of a sweep.
func (it *steps) measure() {
	it.lowest = max(it.lowest, it.offset()+it.least)
	it.highest = min(it.highest, it.offset()+it.most)
	if it.most-it.least < it.best.span() {
		it.keep(&it.best)
	}
}

// sweepOn sweeps as long as that brings something, up to a number of times.
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
		if it.changed == 0 && it.most-it.least > slowFall*before {
			return nil
		}
	}
	return nil
}

// settle looks at what an iteration has brought.
func (it *steps) settle() error {
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
	case it.margin() > 0 && (forcing*gap < nearRounding*it.noise() || it.met(&it.best, 0)):
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
func (it *steps) margin() float64 {
	if it.extended || it.discount < 1 {
		return 0
	}
	return it.noise()
}

// extend goes over to double-double, and forgets the bounds found so far, in
// which rounding counts.
func (it *steps) extend() error {
	it.extended, it.values.Low = true, make([]float64, len(it.x))
	it.lowest, it.highest, it.best = math.Inf(-1), math.Inf(1), noSnapshot()
	it.span, it.gap = math.Inf(1), math.Inf(1)
	if err := it.sweep(); err != nil {
		return err
	}
	it.measure()
	return nil
}

func (it *steps) IsFinished() bool { return it.done || it.lost }

func (it *steps) IsExhausted() bool { return it.lost }

// Answer is the values of the closest bounds.
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

// confirmed says whether the bounds of the best values are within the tolerance with
// what the model admits, which sweeps leave out: they look for the solution of the
// table as it is.
func (it *steps) confirmed() bool {
	inexact := it.task.Listed.Inexact
	if inexact == 0 || !it.extended {
		return true
	}
	greedy := bound.Explicit(it.task.Listed, it.task.Sweeper, it.best.values, it.policy, slices.Clone(it.policy))
	return it.task.IsMet(max(greedy.Lower, greedy.Cheapest), greedy.Upper)
}

const (
	// encloseStop is the probability of stopping at which the equations of the
	// margins are solved: so small that it hardly counts beside the margins.
	encloseStop = 0x1p-30

	// encloseShare is the share of the tolerance that the solution may leave.
	encloseShare = 1.0 / 32
)

// enclose makes values for the bounds, as [howard.Iteration] does, where
// elimination is too much. The error that a row may have is what keeps bounds apart
// that are the same for all states, although a state with large numbers may hardly
// ever be visited. With δ the solution of
//
//	δ = m + (1−σ)·P·δ
//
// for margins m that outweigh the errors and a small probability σ of stopping, T h
// − h rises by m in every state for the values h − δ, and falls by σ·P·δ, which is
// about the mean of m, the same number for all states. The solution need not be
// closer than a share of the tolerance.
func (it *steps) enclose(ctx context.Context) error {
	if err := it.goBack(&it.best); err != nil {
		return err
	}
	margin := howard.Margins(it.task.Sweeper, it.task.Listed, it.values, it.policy)
	for s := range margin {
		margin[s] /= 1 - encloseStop
	}
	gain := max(it.lowest, -it.highest, 0)
	shift := vector.New(len(it.x))
	it.chain.Follow(it.task.Sweeper.Team, it.model, it.policy, encloseStop)
	_, _, err := it.evaluator.Evaluate(ctx, &it.chain, shift.High, margin, encloseShare*it.task.Tolerance*gain)
	if err != nil {
		return err
	}
	it.policy = slices.Clone(it.policy)
	it.below, it.above = it.values.Plus(shift.Negative()), it.values.Plus(shift)
	return nil
}
