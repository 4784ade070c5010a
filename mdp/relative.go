package mdp

import (
	"context"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// DefaultDamping is the damping of [RelativeValueIteration] where none is
// set: near 1, so that it slows an aperiodic model by at most a ninth, and far
// enough from it that a periodic one converges at a good rate.
const DefaultDamping = 0.9

// RelativeValueIteration is the method of successive approximation for the
// long-run average,
//
//	h ← h + τ·(T h − h) − shift,
//
// with the shift (the same for all states) that keeps the values from growing.
// Each sweep bounds the gain by the least and the greatest of T h − h, a span
// that never grows. It converges on every communicating and every unichain
// model, periodic or not where τ < 1: the aperiodicity transformation
// (Schweitzer 1971; Puterman 1994, §8.5.4 and §8.5.5).
//
// It needs no power of the model but Backup, and an iteration is one sweep.
type RelativeValueIteration struct {
	// Damping is τ, in (0, 1]; 0 stands for DefaultDamping.
	Damping float64
}

// String returns "relative value iteration".
func (RelativeValueIteration) String() string { return "relative value iteration" }

func (m RelativeValueIteration) start(_ context.Context, task *task) (iteration, error) {
	if err := onlyAverage(task, m); err != nil {
		return nil, err
	}
	damping := m.Damping
	if damping == 0 {
		damping = DefaultDamping
	}
	if !(damping > 0 && damping <= 1) {
		return nil, fmt.Errorf("mdp: RelativeValueIteration.Damping %v is not valid: use a number in (0, 1], or 0 for %v",
			m.Damping, DefaultDamping)
	}
	n := task.model.NumStates()
	it := &relativeIteration{task: task, damping: damping, values: make([]float64, n), next: make([]float64, n)}
	if task.settings.Values != nil {
		it.values = vector.Scaled(task.settings.Values, rateOf(task.model))
	}
	return it, nil
}

// onlyAverage returns an error unless the task is the long-run average.
func onlyAverage(task *task, method Method) error {
	if _, ok := task.criterion.(LongRunAverage); !ok {
		return fmt.Errorf("mdp: %s: %w: criterion %s is not valid: use average", method, ErrUnsupported, task.criterion)
	}
	return nil
}

type relativeIteration struct {
	task         *task
	damping      float64
	shift        float64
	values, next []float64
	iterations   int
	done         bool // the bounds of the last sweep are within the tolerance
	lost         bool // their gap is lost in rounding
}

// precisionInterval is how many sweeps lie between two looks at whether the
// span has come down to rounding.
const precisionInterval = 64

func (it *relativeIteration) Iterate(context.Context) (lower, upper float64, err error) {
	lower, upper = it.task.sweeper.Sweep(it.next, it.values, it.damping, it.shift)
	if math.IsNaN(lower) || math.IsInf(lower, 0) || math.IsInf(upper, 0) {
		return 0, 0, limit.ErrNotFinite
	}
	it.values, it.next = it.next, it.values
	it.shift = it.damping * (lower + (upper-lower)/2)
	it.iterations++
	it.done = it.task.met(lower, upper)
	if it.iterations%precisionInterval == 0 {
		it.lost = upper-lower <= stall*bound.Stalled(it.values)
	}
	return lower, upper, nil
}

// stall is the share of the worst case of rounding at which the span counts as
// lost in it. Actual errors stay well below the worst case.
const stall = 0.125

func (it *relativeIteration) IsFinished() bool { return it.done || it.lost }

func (it *relativeIteration) exhausted() bool { return it.lost }

func (it *relativeIteration) answer() answer {
	return answer{values: vector.Vector{High: it.values}, gain: math.NaN()}
}
