package mdp

import (
	"context"

	"github.com/mdpsolve/mdpsolve/mdp/internal/implicit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
)

// Stepping is InexactPolicyIteration without sweeps at first, so that tests see
// its steps on small models too.
type Stepping struct {
	InexactPolicyIteration
	Iterative bool // never eliminate
}

func (m Stepping) start(_ context.Context, task *method.Task) (method.Iteration, error) {
	return implicit.NewSteps(task, m.Iterative), needsRows(task, m)
}
