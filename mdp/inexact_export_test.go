package mdp

import (
	"context"

	"github.com/mdpsolve/mdpsolve/mdp/internal/implicit"
)

// Stepping is InexactPolicyIteration without sweeps at first, so that tests see
// its steps on small models too.
type Stepping struct {
	InexactPolicyIteration
	Iterative bool // never eliminate
}

func (m Stepping) start(_ context.Context, task *task) (iteration, error) {
	it, err := m.prepare(task)
	if err != nil {
		return nil, err
	}
	it.step(startValues(task))
	if m.Iterative {
		it.steps.evaluator = implicit.NewIterative(task.sweeper.Team, task.settings.Workers, task.model.NumStates())
	}
	return it, nil
}
