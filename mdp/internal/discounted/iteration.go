// Package discounted solves for discounted costs. It has value iteration, the bounds, and
// the stochastic shortest path problem of an exact solution.
package discounted

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
)

// Value iteration and modified policy iteration.

// patience is the number of iterations without closer bounds after which rounding is
// assumed to be the reason.
const patience = 64

// longPatience is the number of iterations in which the distance of the bounds must halve
// if float64 does not hold the digits of the tolerance. With a discount factor close to 1,
// bounds may need some 1/(1−β) sweeps for that, as in a model of several closed classes.
const longPatience = 10_000

// leastDiscount is the least discount factor that iterations use: they divide by it.
const leastDiscount = 0x1p-60

// partialShare is the greatest share of the uncertainty after a sweep over all
// actions at which the sweeps that follow it may end early.
const partialShare = 0.5

// Iteration is value iteration or modified policy iteration in progress. It iterates on
// x = β·v, as a backup of x is T v.
type Iteration struct {
	Partial int // sweeps with a policy in an iteration, at most; 0 for value iteration

	task       *method.Task
	discount   float64
	follower   sweep.PolicyBackuper
	x, next    []float64
	policy     []int32 // of the last sweep over all actions; nil without partial sweeps
	middle     float64 // of the bounds on v* − v after the last sweep
	least      float64 // of the values after the last sweep over all actions
	greatest   float64 // likewise
	radius     float64 // the largest error of values after the last sweep over all actions
	closest    float64 // the least radius of an iteration
	iterations int

	closestIteration int
	done             bool // the bounds of the last sweep are within the tolerance
	lost             bool // rounding keeps them apart
}

// New starts value iteration; with partial > 0, modified policy iteration with up to
// partial sweeps with a policy, for a model that is a PolicyBackuper.
func New(task *method.Task, partial int) *Iteration {
	beta := max(task.Discount, leastDiscount)
	it := &Iteration{
		task:     task,
		discount: beta,
		Partial:  partial,
		x:        task.StartValues(beta),
		next:     make([]float64, task.Model.NumStates()),
		closest:  math.Inf(1),
	}
	if partial > 0 {
		it.follower, it.policy = task.Model.(sweep.PolicyBackuper), make([]int32, len(it.x))
	}
	return it
}

// Iterate makes one sweep over all actions, and sweeps with their policy.
func (it *Iteration) Iterate(ctx context.Context) (lower, upper float64, err error) {
	radius, err := it.sweep(func(lo, hi int) { it.task.Model.Backup(it.next, it.policy, it.x, lo, hi) })
	if err != nil {
		return 0, 0, err
	}
	it.iterations++
	it.measure()
	it.done = it.met(radius)
	it.lost = it.isStuck(radius) || it.task.Yields && it.task.IsBeyond(rounding.Unit/2, it.least, it.greatest)
	value := (it.x[0]/it.discount + it.middle) / it.task.Rate
	if !it.IsFinished() {
		err = it.follow(ctx, it.share(radius)*radius)
	}
	it.radius = radius
	return value - radius, value + radius, err
}

// isStuck reports whether rounding keeps the bounds apart. That is so if they are as close
// as rounding allows and have come no closer for a while, or if float64 does not hold the
// digits of the tolerance and they hardly come closer.
func (it *Iteration) isStuck(radius float64) bool {
	leave, progress := 1-it.discount, 1.0
	isOutOfReach := it.task.Tolerance*leave < rounding.Unit/2
	if isOutOfReach {
		progress = 0.5
	}
	if radius < progress*it.closest {
		it.closest, it.closestIteration = radius, it.iterations
	}
	idle := it.iterations - it.closestIteration - it.iterations/8
	return radius == 0 || idle >= patience && radius*it.task.Rate*leave <= bound.DifferenceError(it.x) || idle >= longPatience && isOutOfReach
}

// share returns the share of the radius at which the sweeps with a policy end. A more
// accurate evaluation would be wasted, as the next sweep over all actions changes the
// policy.
//
// Policy iteration is Newton's method (Puterman and Brumelle 1979), so evaluation
// should become exact as the policy approaches the optimum. The share is the square of
// the factor by which the radius fell from one sweep over all actions to the next, as in
// Eisenstat and Walker (1996, choice 2) for Newton's method with inexact steps.
func (it *Iteration) share(radius float64) float64 {
	if it.iterations == 1 {
		return partialShare
	}
	fall := radius / it.radius
	return min(partialShare, fall*fall)
}

// follow sweeps with the policy of the last sweep over all actions, until the radius
// is small enough.
func (it *Iteration) follow(ctx context.Context, enough float64) error {
	for i := 0; i < it.Partial && ctx.Err() == nil; i++ {
		radius, err := it.sweep(func(lo, hi int) { it.follower.BackupPolicy(it.next, it.policy, it.x, lo, hi) })
		if err != nil {
			return err
		}
		if radius <= enough || it.met(radius) {
			break
		}
	}
	return nil
}

// measure finds the least and the greatest value.
func (it *Iteration) measure() {
	sweeper := it.task.Sweeper
	sweeper.Blocks(func(block, lo, hi int) {
		least, greatest := math.Inf(1), math.Inf(-1)
		for _, x := range it.x[lo:hi] {
			if x < least {
				least = x
			}
			if x > greatest {
				greatest = x
			}
		}
		sweeper.Least[block], sweeper.Most[block] = least, greatest
	})
	least, greatest := sweeper.Extremes()
	it.least, it.greatest = least/it.discount+it.middle, greatest/it.discount+it.middle
}

// met reports whether values with errors of at most the radius are good enough.
func (it *Iteration) met(radius float64) bool {
	return it.task.IsMetBy(radius, it.least, it.greatest)
}

// sweep makes one sweep of the backup and sets x to β times its result. The
// fixed point of the backup is within the radius, in units of cost, of v plus the
// middle: with least and greatest those of β·(T v − v), it exceeds T v by at least
// least/(1−β) and at most greatest/(1−β).
func (it *Iteration) sweep(backup func(lo, hi int)) (radius float64, err error) {
	sweeper := it.task.Sweeper
	sweeper.Blocks(func(block, lo, hi int) {
		backup(lo, hi)
		sweeper.Least[block], sweeper.Most[block] = discount(it.next[lo:hi], it.x[lo:hi], it.discount)
	})
	it.x, it.next = it.next, it.x
	least, greatest := sweeper.Extremes()
	if err := method.CheckFinite(least, greatest); err != nil {
		return 0, err
	}
	leave := 1 - it.discount
	it.middle = (least + (greatest-least)/2) / leave
	return (greatest - least) / 2 / leave / it.task.Rate, nil
}

// discount sets y to β·y and returns the least and the greatest of β·y − x.
func discount(y, x []float64, beta float64) (least, greatest float64) {
	least, greatest = math.Inf(1), math.Inf(-1)
	x = x[:len(y)]
	for i := range y {
		y[i] *= beta
		d := y[i] - x[i]
		if d < least {
			least = d
		}
		if d > greatest {
			greatest = d
		}
	}
	return least, greatest
}

// IsFinished implements method.Iteration.
func (it *Iteration) IsFinished() bool { return it.done || it.lost }

// IsExhausted implements method.Iteration.
func (it *Iteration) IsExhausted() bool { return it.lost }

// Answer implements method.Iteration. It overwrites the values of the sweep before the
// last.
func (it *Iteration) Answer() method.Answer {
	v := it.next
	it.task.Sweeper.Blocks(func(_, lo, hi int) {
		for s := lo; s < hi; s++ {
			v[s] = it.x[s]/it.discount + it.middle
		}
	})
	return method.AnswerOf(v)
}
