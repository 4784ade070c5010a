package implicit

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/average"
	"github.com/mdpsolve/mdpsolve/mdp/internal/discounted"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Inexact policy iteration: sweeps first, then implicit steps.

// The sweeping methods are first judged after a number of iterations, their patience, and
// given up if they would need a given number more. A step takes as long as some tens of
// sweeps over all actions, and there are six steps or more; an iteration of modified policy
// iteration is several sweeps.
const (
	relativePatience, relativeIterations = 24, 200
	modifiedPatience, modifiedIterations = 4, 30
)

// judgedSweeps is the most sweeps with a policy in an iteration before the first judgement. Policies change much
// at first, and more sweeps would be wasted if steps follow.
const judgedSweeps = 6

// Few iterations do not show the pace of later ones. Where steps are dear, sweeps go on to a greater number:
// where elimination takes more than dearOperations for each transition of the model or, at the first judgement
// of discounted values, where the equations are not eliminated.
const (
	dearOperations                     = 300
	relativeDearFrom, modifiedDearFrom = 192, 12
)

// Iteration is inexact policy iteration in progress. It has two phases: sweeps and, if
// they are too slow, implicit steps. On a model that does not list its rows it ends after the first phase.
type Iteration struct {
	task   *method.Task
	sweeps method.Iteration // nil after its phase
	trend  trend            // of sweeps

	modified *discounted.Iteration // the sweeps, if they are modified policy iteration
	partial  int                   // sweeps with a policy in an iteration after the first judgement
	steps    *steps                // nil before its phase
	ended    bool                  // the sweeps are too slow, and no steps follow
}

// New starts inexact policy iteration: with steps if there is a policy to start from,
// otherwise with sweeps. partial is the number of sweeps with a policy in an iteration of
// modified policy iteration.
func New(task *method.Task, partial int) *Iteration {
	it := &Iteration{task: task, trend: trend{next: relativePatience, most: relativeIterations}}
	_, follows := task.Model.(sweep.PolicyBackuper)
	switch {
	case task.Policy != nil && task.Listed.Lister != nil:
		it.step(task.StartValues(1))
	case task.Discount == 1:
		it.sweeps = average.NewRelative(task)
	case follows:
		it.modified, it.partial = discounted.New(task, min(partial, judgedSweeps)), partial
		it.sweeps = it.modified
		it.trend = trend{next: modifiedPatience, most: modifiedIterations, policyPace: float64(partial) * math.Log(task.Discount)}
	default:
		it.sweeps = discounted.New(task, 0)
	}
	return it
}

// NewSteps starts inexact policy iteration with steps; with iterative, it never
// eliminates. It is for tests of the steps on small models.
func NewSteps(task *method.Task, iterative bool) *Iteration {
	it := &Iteration{task: task}
	it.step(task.StartValues(1))
	if iterative {
		it.steps.evaluator.totals = evaluate.NewTotals(task.Sweeper.Team, task.Model.NumStates(), 0)
	}
	return it
}

// phase returns the iteration of the current phase.
func (it *Iteration) phase() method.Iteration {
	if it.steps != nil {
		return it.steps
	}
	return it.sweeps
}

// Iterate implements method.Iteration.
func (it *Iteration) Iterate(ctx context.Context) (lower, upper float64, err error) {
	if it.modified != nil && it.trend.judgements > 0 {
		it.modified.Partial = it.partial
	}
	lower, upper, err = it.phase().Iterate(ctx)
	switch {
	case err != nil:
	case it.steps != nil:
		if it.steps.extended && it.steps.IsFinished() {
			err = it.steps.enclose(ctx)
		}
	case it.sweeps.IsExhausted() && upper > lower,
		!it.sweeps.IsFinished() && it.trend.tooSlow(upper-lower, func() float64 { return it.goal(lower, upper) }):
		if it.task.Listed.Lister == nil {
			it.ended = true
			break
		}
		return lower, upper, it.leaveSweeps(ctx)
	}
	return lower, upper, err
}

// leaveSweeps begins the phase of steps, unless they are dear and sweeps were few.
func (it *Iteration) leaveSweeps(ctx context.Context) error {
	sweeps, from := it.sweeps, modifiedDearFrom
	if it.task.Discount == 1 {
		from = relativeDearFrom
	}
	it.step(sweeps.Answer().Values.High)
	if err := it.steps.begin(); err != nil || it.trend.iterations >= from || sweeps.IsExhausted() {
		return err
	}
	areDear, err := it.steps.areDear(ctx, it.trend.judgements == 1)
	if areDear {
		it.steps, it.sweeps, it.trend.next = nil, sweeps, max(from, it.trend.next)
	}
	return err
}

// step begins the phase of steps from values, whose memory the steps use.
func (it *Iteration) step(v []float64) {
	it.steps, it.sweeps = newSteps(it.task, v), nil
}

// IsFinished implements method.Iteration.
func (it *Iteration) IsFinished() bool { return it.ended || it.phase().IsFinished() }

// IsExhausted implements method.Iteration.
func (it *Iteration) IsExhausted() bool { return it.ended || it.phase().IsExhausted() }

// Answer implements method.Iteration.
func (it *Iteration) Answer() method.Answer { return it.phase().Answer() }

// goal returns the gap between bounds at which the answer is good enough.
func (it *Iteration) goal(lower, upper float64) float64 {
	magnitude := max(math.Abs(lower), math.Abs(upper))
	if it.task.Discount < 1 {
		magnitude = vector.LargestMagnitude(it.sweeps.Answer().Values.High) / it.task.Rate
	}
	return it.task.Tolerance * magnitude / it.task.Strictness
}

// trend extrapolates how the gap between the bounds closes. It judges after numbers of
// iterations that double each time.
type trend struct {
	next       int     // the number of iterations after which it judges next
	most       float64 // how many more iterations are acceptable
	iterations int
	judgements int     // of a pace
	policyPace float64 // that of the values of one policy
	half       float64 // the gap after half of next
}

// Where the gap grows by more than this rate in an iteration, it is that of new policies, and shows no pace.
const grows = 0.1

// tooSlow records the gap after an iteration. It reports whether the goal is too many
// iterations away at the rate of the second half of the iterations so far.
func (t *trend) tooSlow(gap float64, goal func() float64) bool {
	t.iterations++
	if 2*t.iterations == t.next {
		t.half = gap
	}
	if t.iterations < t.next {
		return false
	}
	pace := math.Log(gap/t.half) / float64(t.iterations-t.next/2) // below 0 where the gap closes
	t.half, t.next = gap, 2*t.iterations
	if pace > grows {
		return false
	}
	if t.judgements++; t.iterations < modifiedDearFrom { // policies that change hide how fast their values are found
		pace = min(pace, t.policyPace)
	}
	left := math.Log(goal()/gap) / pace
	return !(pace < 0) || left > t.most
}
