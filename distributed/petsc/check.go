package petsc

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/distributed/petsc/internal/share"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// Check proves bounds on the optimum by one sweep over values of this rank's states, in
// units of cost, whatever they are and wherever they come from: relative values for the
// average, discounted ones, of the criterion's Sense. values returns those of the states
// first … last−1. The status of the result is [mdp.Converged] where bounds are within the
// tolerance, else [mdp.Stopped].
func Check(ctx context.Context, w *World, model Model, c mdp.Criterion, tolerance float64,
	values func(first, last int) ([]float64, error),
) (*Result, error) {
	s, err := newSweeper(ctx, w, model, c, tolerance, func(*share.Plan) error { return nil })
	if err != nil {
		return nil, err
	}
	n := len(s.policy)
	given, err := values(s.share.First, s.share.First+n)
	if err == nil && len(given) != n {
		err = fmt.Errorf("petsc: %d values for %d states", len(given), n)
	}
	if err := w.Agree(err); err != nil {
		return nil, err
	}
	for i, x := range given {
		if s.sense == mdp.Maximize {
			x = -x
		}
		s.high.values[i] = x * s.rate
	}
	if err := s.sweep(ctx, true); err != nil {
		return nil, err
	}
	r := s.result()
	if r.Status != mdp.Converged {
		r.Status = mdp.Stopped
	}
	r.Sweeps = 1
	return r, nil
}
