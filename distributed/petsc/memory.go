package petsc

import (
	"fmt"
	"runtime/debug"

	"github.com/mdpsolve/mdpsolve/distributed/petsc/internal/share"
	"github.com/mdpsolve/mdpsolve/internal/memory"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// The memory that a rank needs and has.

const (
	// programBytes is the memory of a rank without a model: PETSc, MPI and the program.
	programBytes = 60e6

	// stateBytes are those of vectors by state: values twice, and once as they were best,
	// residual, correction and policies, with a restarted GMRES's basis of 30 vectors and
	// 6 more.
	stateBytes = 8*(2+2+2) + 4*4 + 8*36

	// ghostBytes are those of two ghosted vectors, and of PETSc's data for each ghost.
	ghostBytes = 8*2 + 32

	// systemBytes are those of a transition of a policy: in Go, in PETSc, and in its incomplete
	// factors. Multigrid, if it is needed, takes three times as much.
	systemBytes = 12 + 12 + 20
)

// forecast returns the bytes that a rank takes to evaluate policies.
func forecast(p *share.Plan) float64 {
	own := float64(p.Last - p.First)
	return programBytes + p.Bytes() + stateBytes*own + ghostBytes*float64(p.Ghosts()) + systemBytes*(float64(p.Widest)+own)
}

// fit refuses a share that needs more memory than its machine has for each of its ranks,
// or than the Go runtime may use (GOMEMLIMIT).
func (w *World) fit(p *share.Plan) error {
	needed, available := forecast(p), min(memory.Available()/float64(w.node), float64(debug.SetMemoryLimit(-1)))
	if needed <= available {
		return nil
	}
	return fmt.Errorf("%w: rank %d needs %.3g GB for %d states, and has %.3g GB: use more machines, or a smaller model",
		mdp.ErrTooLarge, w.Rank, needed/1e9, p.Last-p.First, available/1e9)
}
