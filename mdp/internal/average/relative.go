package average

import (
	"context"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
)

// Relative value iteration.

// Damping slows an aperiodic model by at most a ninth, and is far enough from 1 that a
// periodic one converges at a good rate.
const Damping = 0.9

// Relative is relative value iteration in progress.
type Relative struct {
	task         *method.Task
	shift        float64
	values, next []float64
	iterations   int
	done         bool // the bounds of the last sweep are within the tolerance
	lost         bool // rounding keeps them apart
}

// NewRelative starts relative value iteration.
func NewRelative(task *method.Task) *Relative {
	return &Relative{task: task, values: task.StartValues(1), next: make([]float64, task.Model.NumStates())}
}

// precisionInterval is the number of sweeps between two checks whether the span has come
// down to rounding.
const precisionInterval = 64

// Iterate makes one sweep.
func (it *Relative) Iterate(context.Context) (lower, upper float64, err error) {
	lower, upper = it.task.Sweeper.Sweep(it.next, it.values, Damping, it.shift)
	if err := method.CheckFinite(lower, upper); err != nil {
		return 0, 0, err
	}
	it.values, it.next = it.next, it.values
	it.shift = Damping * (lower + (upper-lower)/2)
	it.iterations++
	it.done = it.task.IsMet(lower, upper)
	it.lost = lower == upper || it.iterations%precisionInterval == 0 && upper-lower <= stall*bound.DifferenceError(it.values)
	return lower, upper, nil
}

// stall is the share of the worst rounding error below which the span counts as rounding.
// Actual errors stay well below the worst case.
const stall = 0.125

// IsFinished implements method.Iteration.
func (it *Relative) IsFinished() bool { return it.done || it.lost }

// IsExhausted implements method.Iteration.
func (it *Relative) IsExhausted() bool { return it.lost }

// Answer implements method.Iteration.
func (it *Relative) Answer() method.Answer { return method.AnswerOf(it.values) }
