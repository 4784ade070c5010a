package mdp

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
)

// ValueIteration is successive approximation for [Discounted],
//
//	v ← T v,  (T v)(s) = min over a of { c(s,a) + β·Σ_j p(j|s,a)·v(j) }.
//
// Each sweep bounds the values by the least and the greatest of T v − v
// (MacQueen 1966), whose span falls faster than the values approach their
// limit: by the mixing of the chain on top of β. It needs no power of the model
// but Backup, and an iteration is one sweep.
type ValueIteration struct {
	// GaussSeidel puts sweeps in place before each sweep that bounds: they use
	// new values as soon as there are any, within blocks of states, from the last
	// state of a block to the first, as states that were found by exploration lead
	// to later ones. That needs a [Table], and pays where a model has a direction.
	GaussSeidel bool
}

// String returns "value iteration" or "Gauss-Seidel value iteration".
func (m ValueIteration) String() string {
	if m.GaussSeidel {
		return "Gauss-Seidel value iteration"
	}
	return "value iteration"
}

func (m ValueIteration) start(_ context.Context, task *method.Task) (method.Iteration, error) {
	if err := needsCriterion(task, m, Discounted{}); err != nil || !m.GaussSeidel {
		return method.NewDiscounted(task, 0, nil), err
	}
	table, ok := tableOf(task.Model)
	if !ok {
		return nil, fmt.Errorf("mdp: %s: %w: it is no Table", m, ErrUnsupported)
	}
	return method.NewDiscounted(task, 0, table.rows), nil
}

// DefaultPartialSweeps is the number of sweeps of [ModifiedPolicyIteration]
// where none is set.
const DefaultPartialSweeps = 20

// ModifiedPolicyIteration is value iteration for [Discounted] in which a sweep
// over all actions is followed by sweeps with the actions it found (Puterman
// and Shin 1978): these cost a fraction, and most policies are good long before
// their values are. The better the policy proves to be, the further they go. It
// needs a model that is a [PolicyBackuper]; an iteration is one sweep over all actions with
// those that follow it.
type ModifiedPolicyIteration struct {
	// Sweeps is the greatest number of sweeps with a fixed policy in an iteration;
	// 0 stands for DefaultPartialSweeps.
	Sweeps int
}

// String returns "modified policy iteration".
func (ModifiedPolicyIteration) String() string { return "modified policy iteration" }

func (m ModifiedPolicyIteration) start(_ context.Context, task *method.Task) (method.Iteration, error) {
	if _, ok := task.Model.(PolicyBackuper); !ok {
		return nil, fmt.Errorf("mdp: modified policy iteration: %w: it cannot sweep with a fixed policy (interface PolicyBackuper)", ErrUnsupported)
	}
	sweeps := m.Sweeps
	if sweeps == 0 {
		sweeps = DefaultPartialSweeps
	}
	if sweeps < 0 {
		return nil, fmt.Errorf("mdp: ModifiedPolicyIteration.Sweeps %d is not valid: use a positive number, or 0 for %d", m.Sweeps, DefaultPartialSweeps)
	}
	if err := needsCriterion(task, m, Discounted{}); err != nil {
		return nil, err
	}
	return method.NewDiscounted(task, sweeps, nil), nil
}
