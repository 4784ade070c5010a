//go:build !petsc

package petsc

// Without PETSc the only rank has all states, and no equations can be solved: [Solve]
// returns [ErrNoEngine], and only tests call its parts.

import "os"

const hasEngine = false

func (w *World) start() error {
	w.Rank, w.Ranks, w.node = 0, 1, 1
	return nil
}

func (*World) end() {}

// Abort ends the program on all ranks at once.
func (*World) Abort(error) { os.Exit(1) }

func (*World) least(...*float64)                   {}
func (*World) most(...*float64)                    {}
func (*World) sum(...*float64)                     {}
func (*World) broadcast(text string, _ int) string { return text }

type vector struct{ values []float64 }

func (*World) newVector(own int, ghosts []int32) vector {
	return vector{make([]float64, own+len(ghosts))}
}

func (*World) forget()                                             {}
func (*World) exchange(vector)                                     {}
func (*World) setMatrix(_, _ []int32, _ []float64, _ int)          {}
func (*World) useMultigrid()                                       {}
func (*World) solve(_, _ vector, _ float64, _ int) (_ int, _ bool) { return 0, false }
func (*World) write(string, []float64)                             {}
func (*World) stop()                                               {}
