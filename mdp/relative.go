package mdp

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
)

// DefaultDamping is the damping of [RelativeValueIteration] where none is
// set: near 1, so that it slows an aperiodic model by at most a ninth, and far
// enough from it that a periodic one converges at a good rate.
const DefaultDamping = method.Damping

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

func (m RelativeValueIteration) start(_ context.Context, task *method.Task) (method.Iteration, error) {
	if err := needsCriterion(task, m, LongRunAverage{}); err != nil {
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
	return method.NewRelative(task, damping), nil
}
