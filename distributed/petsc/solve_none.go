//go:build !petsc

package petsc

import (
	"context"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Solve needs PETSc: without it there is [ErrNoEngine].
func Solve(context.Context, *World, Model, mdp.Criterion, Settings) (*Result, error) {
	return nil, ErrNoEngine
}
