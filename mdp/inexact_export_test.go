package mdp

import (
	"github.com/mdpsolve/mdpsolve/mdp/internal/implicit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
)

// Stepping is InexactPolicyIteration without sweeps at first, so that tests see its steps
// on small models too; SteppingIterative never eliminates.
var Stepping, SteppingIterative = stepping(false), stepping(true)

func stepping(iterative bool) Method {
	facts := methods[InexactPolicyIteration]
	facts.start = func(task *method.Task) method.Iteration { return implicit.NewSteps(task, iterative) }
	methods = append(methods, facts)
	return Method(len(methods) - 1)
}
