// Package petsc solves Markov decision processes that are too large for the memory of one
// machine, on many ranks of MPI with the Krylov methods of PETSc, and proves its answers.
//
// Every rank runs the same program. It declares the whole model, as for package mdp, but
// generates and keeps only the rows of its own states:
//
//	world, err := petsc.Start()
//	if err != nil { … }
//	defer world.Close()
//	result, err := petsc.Solve(ctx, world, model, mdp.LongRunAverage{}, petsc.Settings{})
//
// The method is inexact policy iteration, see [Solve]. Bounds come from sweeps in
// double-double arithmetic, rank by rank, rounded outward as those of package mdp are,
// and their least and greatest over all ranks.
//
// # Building
//
// The build tag petsc links PETSc (real numbers, 32-bit indices) and MPI by cgo, found
// by pkg-config. Without the tag the package builds on its own, and [Solve] returns
// [ErrNoEngine].
//
// # Limits
//
// States are numbered in 32 bits, by PETSc's PetscInt and by [mdp.Entry]: at most 2³¹−1
// states in all, and 2³¹−1 transitions in one rank. [mdp.ErrTooLarge] says so before any
// memory is taken, also if the machine has too little.
//
// # Ranks
//
// All ranks must call all functions except [Start] and [World.Abort] with the same
// arguments, from the goroutine that called Start. A fault of one rank is an error on all.
// Answers are the same to the bit for the same number of ranks. Another number of ranks
// adds up in another order, and gives other bits within the bounds.
package petsc
