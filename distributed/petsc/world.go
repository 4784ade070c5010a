package petsc

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// ErrNoEngine says that the program was built without PETSc.
var ErrNoEngine = errors.New("built without PETSc: build with -tags petsc (Debian: apt-get install petsc-dev)")

// World stands for all the ranks that run the program together.
type World struct {
	Rank  int // of this process: 0 … Ranks−1
	Ranks int

	node int // ranks on this machine
}

// Start joins the world. It locks the calling goroutine to its thread, which MPI uses from
// then on. It returns an error if MPI cannot start, or does not find the ranks that a
// launcher has started.
func Start() (*World, error) {
	runtime.LockOSThread()
	w := new(World)
	if err := w.start(); err != nil {
		return nil, err
	}
	for _, name := range launchers {
		if ranks, err := strconv.Atoi(os.Getenv(name)); err == nil && hasEngine && ranks != w.Ranks {
			return nil, fmt.Errorf("the launcher started %d ranks (%s), but MPI finds %d: use the mpirun of the MPI that PETSc was built with", ranks, name, w.Ranks)
		}
	}
	return w, nil
}

// launchers are the variables in which the launchers of Open MPI and MPICH put the number
// of ranks.
var launchers = []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}

// Close leaves the world. Do not use the world after that.
func (w *World) Close() { w.end() }

// Memory returns the peak memory of each rank so far, in bytes.
func (w *World) Memory() []int64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // cannot fail for the process itself
	const kibi = 1024
	taken := make([]float64, w.Ranks)
	pointers := make([]*float64, w.Ranks)
	for rank := range taken {
		pointers[rank] = &taken[rank]
	}
	taken[w.Rank] = float64(usage.Maxrss) * kibi
	w.sum(pointers...)
	bytes := make([]int64, w.Ranks)
	for rank, x := range taken {
		bytes[rank] = int64(x)
	}
	return bytes
}

// Most returns the greatest of the numbers of all ranks.
func (w *World) Most(x float64) float64 {
	w.most(&x)
	return x
}

// Agree returns nil if no rank has an error. Otherwise it returns an error on all ranks:
// their own, or that of the first rank that has one. The text does not name the rank, so
// that ranks with the same fault return the same error.
func (w *World) Agree(err error) error {
	first := float64(w.Ranks)
	if err != nil {
		first = float64(w.Rank)
	}
	w.least(&first)
	rank := int(first)
	if rank == w.Ranks {
		return nil
	}
	text := ""
	if rank == w.Rank {
		text = err.Error()
	}
	text = w.broadcast(text, rank)
	if err != nil {
		return err
	}
	return errors.New(text)
}
