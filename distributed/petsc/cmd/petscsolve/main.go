// Command petscsolve solves Markov decision processes on many ranks of MPI, with PETSc, and
// proves its answers.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/mdpsolve/mdpsolve/distributed/petsc"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
)

const usage = `petscsolve solves Markov decision processes that are too large for one machine.

  petscsolve MODEL [options]     find the best policy, with proved bounds

MODEL is
  robots --robots N --buffer K --lambda L --mu M --gamma G     robots of a crawler, switched on and off
  model FILE [--reward NAME]                                   a model file of mdpsolve

Options
  --criterion average|discounted   what to optimise (average for robots)
  --discount b                     discount factor of --criterion discounted
  --minimize, --maximize           for model FILE with choices: one of them
  --tolerance e                    relative gap between the bounds (1e-9)
  --max-iterations n               most evaluations of policies (1000)
  --time-limit SECONDS             stop after this time
  --out FILE                       write the values as a binary vector of PETSc
  --progress                       print a line for each evaluation to standard error

The answer is a line of JSON. On several ranks: mpirun -n 4 petscsolve MODEL [options].
PETSC_OPTIONS sets options of PETSc, such as -ksp_gmres_restart 100 or -pc_type gamg.

Exit status: 0 converged, 1 failure, 2 bad usage or input, 3 stopped at a limit, 130 interrupted.
`

// Exit statuses.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitLimit       = 3
	exitInterrupted = 130
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	asks := func(word string) bool { return word == "-h" || word == "-help" || word == "--help" }
	if len(args) == 0 || args[0] == "help" || slices.ContainsFunc(args, asks) {
		fmt.Print(usage)
		return 0
	}
	world, err := petsc.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "petscsolve: "+wording.Line(err.Error()))
		return exitFailure
	}
	defer world.Close()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	err = world.Agree(perform(ctx, world, args))
	if err == nil {
		return 0
	}
	status := int(world.Most(float64(statusOf(err))))                        // of the rank with the fault; others only know that one failed
	if world.Rank == 0 && status != exitLimit && status != exitInterrupted { // the answer says these
		fmt.Fprintln(os.Stderr, "petscsolve: "+wording.Line(err.Error()))
	}
	return status
}

// statusOf returns the exit status for an error, which is not nil.
func statusOf(err error) int {
	var usage *usageError
	switch {
	case errors.Is(err, mdp.ErrIterationLimit), errors.Is(err, mdp.ErrTimeLimit), errors.Is(err, mdp.ErrPrecisionLimit):
		return exitLimit
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage), errors.Is(err, petsc.ErrNoEngine):
		return exitUsage
	}
	return exitFailure
}

// usageError is a fault of the command line or of the input.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func faultf(format string, values ...any) error {
	return &usageError{fmt.Sprintf(format, values...)}
}
