//go:build petsc

package petsc

// The engine is PETSc over MPI.

/*
#cgo pkg-config: PETSc mpi-c
#include <stdlib.h>
#include "engine.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"unsafe"
)

const hasEngine = true

// start starts MPI and PETSc.
func (w *World) start() error {
	var rank, ranks, node C.int
	if C.engine_start(&rank, &ranks) != 0 || C.engine_node(&node) != 0 {
		return engineFault()
	}
	w.Rank, w.Ranks, w.node = int(rank), int(ranks), int(node)
	return nil
}

func engineFault() error { return errors.New("PETSc: " + C.GoString(C.engine_fault())) }

// check ends all ranks after an error of PETSc or MPI on this one: the others may be
// waiting for it, and it cannot tell them.
func (w *World) check(code C.int) {
	if code != 0 {
		w.Abort(engineFault())
	}
}

// end ends PETSc and MPI.
func (w *World) end() { w.check(C.engine_end()) }

// Abort ends the program on all ranks at once, with a line on standard error and the exit
// status 1. It is for a rank that cannot go on while the others wait for it.
func (w *World) Abort(err error) {
	fmt.Fprintf(os.Stderr, "rank %d of %d: %v\n", w.Rank, w.Ranks, err)
	C.engine_abort(1)
}

func (w *World) reduce(operation C.int, x []float64) {
	w.check(C.engine_reduce((*C.double)(&x[0]), C.int(len(x)), operation))
}

// least, most and sum replace each number by that of all ranks.
func (w *World) least(x ...*float64) { w.reducePointers(C.ENGINE_MIN, x) }
func (w *World) most(x ...*float64)  { w.reducePointers(C.ENGINE_MAX, x) }
func (w *World) sum(x ...*float64)   { w.reducePointers(C.ENGINE_SUM, x) }

func (w *World) reducePointers(operation C.int, x []*float64) {
	numbers := make([]float64, len(x))
	for i, p := range x {
		numbers[i] = *p
	}
	w.reduce(operation, numbers)
	for i, p := range x {
		*p = numbers[i]
	}
}

// broadcast returns the text of one rank on all ranks.
func (w *World) broadcast(text string, root int) string {
	length := float64(0)
	if w.Rank == root {
		length = float64(len(text))
	}
	w.most(&length)
	buffer := make([]byte, int(length)+1)
	copy(buffer, text)
	w.check(C.engine_broadcast((*C.char)(unsafe.Pointer(&buffer[0])), C.int(length), C.int(root)))
	return string(buffer[:int(length)])
}

// vector is a vector over the states of all ranks. A rank has the values of its own
// states, followed by copies of those of its ghosts, in memory of PETSc.
type vector struct {
	values []float64
	handle unsafe.Pointer
}

func (w *World) newVector(own int, ghosts []int32) vector {
	var (
		v       vector
		array   *C.double
		numbers *C.int
	)
	if len(ghosts) > 0 {
		numbers = (*C.int)(&ghosts[0])
	}
	w.check(C.engine_vector(C.int(own), C.int(len(ghosts)), numbers, &v.handle, &array))
	v.values = unsafe.Slice((*float64)(array), own+len(ghosts))
	return v
}

// exchange fetches the values of ghosts from the ranks that own them.
func (w *World) exchange(v vector) { w.check(C.engine_exchange(v.handle)) }

// forget removes the solver of the previous model, and withdraws stop.
func (w *World) forget() { w.check(C.engine_forget()) }

// setMatrix sets this rank's rows of a system of equations. solve solves it for x until the
// residual is a share of b, and returns the iterations of the Krylov method.
func (w *World) setMatrix(start, columns []int32, values []float64, states int) {
	first := func(x []int32) *C.int {
		if len(x) == 0 {
			return nil
		}
		return (*C.int)(&x[0])
	}
	var numbers *C.double
	if len(values) > 0 {
		numbers = (*C.double)(&values[0])
	}
	w.check(C.engine_matrix(C.int(len(start)-1), C.int(states), first(start), first(columns), numbers))
}

// useMultigrid makes multigrid the preconditioner.
func (w *World) useMultigrid() { w.check(C.engine_multigrid()) }

func (w *World) solve(b, x vector, share float64, most int) (iterations int, good bool) {
	var count, well C.int
	w.check(C.engine_solve(b.handle, x.handle, C.double(share), C.int(most), &count, &well))
	return int(count), well != 0
}

// write writes a vector of which this rank has some numbers to a file.
func (w *World) write(name string, own []float64) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var numbers *C.double
	if len(own) > 0 {
		numbers = (*C.double)(&own[0])
	}
	w.check(C.engine_write(text, C.int(len(own)), numbers))
}

// stop makes solves of all ranks end at their next iteration.
func (w *World) stop() { C.engine_stop() }
