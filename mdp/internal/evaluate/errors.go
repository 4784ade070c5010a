package mdp

import (
	"context"
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/elimination"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// newElimination makes room for exact evaluations by a plan.
func newElimination(plan *elimination.Plan, team *parallel.Team) (*elimination.Factorization, error) {
	factorization, err := elimination.New(plan, team)
	if err != nil {
		return nil, fmt.Errorf("mdp: %w: %w", ErrTooLarge, err)
	}
	return factorization, nil
}

// stuckError says where an exact evaluation got stuck.
type stuckError struct{ elimination.StuckError }

func (e *stuckError) Error() string { return "mdp: " + e.StuckError.Error() }

// Unwrap returns [ErrPrecisionLimit].
func (*stuckError) Unwrap() error { return ErrPrecisionLimit }

// stuckIn is the error for a state.
func stuckIn(state int32) *stuckError { return &stuckError{elimination.StuckError{State: state}} }

// factor makes the factors those of a chain.
func factor(ctx context.Context, factors *elimination.Factorization, chain *chain, roots []int32) error {
	err := factors.Factor(ctx, &chain.Chain, roots)
	if stuck, ok := errors.AsType[*elimination.StuckError](err); ok {
		return stuckIn(stuck.State)
	}
	return err
}

// affordable says whether an elimination takes at most so many operations.
func affordable(f elimination.Forecast, operations float64) bool {
	return !f.Partial && f.Operations <= operations && f.Bytes <= chooseBytes
}
