package mdp

import (
	"context"

	"github.com/mdpsolve/mdpsolve/mdp/internal/implicit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
)

// InexactPolicyIteration is policy iteration with approximate evaluation, for
// [Discounted] and [LongRunAverage]. It is at home where models mix slowly and
// sweeps take tens of thousands. It begins with sweeps, those of
// [ModifiedPolicyIteration] or [RelativeValueIteration], and stays with them as
// long as they get on.
//
// Where they do not it takes implicit steps. With π the actions that attain T v,
// and r = T v − v,
//
//	v ← v + (I − γ·β·P_π)⁻¹·(r − g),  γ = H/(1+H),
//
// where β is the discount, 1 for the average, and g a number that is the same for
// all states. With horizon H = 0 that is value iteration, with H = ∞ policy
// iteration, and in between λ-policy iteration (Bertsekas and Ioffe 1996). The
// horizon grows from step to step. At a finite one the equations have a solution,
// and a well-conditioned one, also for the average and whatever closed classes
// the chain of π has. No step raises the upper bound that the greatest of r is,
// for what is left of r after it is a mean of r, by states that π leads to.
// Some sweeps follow each step.
//
// Equations are solved by elimination, see [PolicyIteration], where that is
// cheap, as where states lie on a line or in a plane, and else by conjugate residuals
// with a multigrid preconditioner. The residual is to be within a share of the gap
// between the best bounds so far: inexact steps of Newton's method (Dembo,
// Eisenstat and Steihaug 1982), as Gargiani and others (2024) take them for
// discounted models. Where evaluation fails, or the upper bound rises all the
// same, the horizon is made shorter; and where steps bring nothing, only sweeps go on
// from the best values. So it converges wherever sweeps do: on every
// communicating or unichain model.
//
// For the average, values are kept in double-double precision from where float64
// no longer resolves the bounds.
//
// It needs a model that is [Explicit]. An iteration is one of the method that sweeps,
// or one step.
type InexactPolicyIteration struct{}

// String returns "inexact policy iteration".
func (InexactPolicyIteration) String() string { return "inexact policy iteration" }

func (m InexactPolicyIteration) start(_ context.Context, task *method.Task) (method.Iteration, error) {
	if err := needsRows(task, m); err != nil {
		return nil, err
	}
	return implicit.New(task, DefaultPartialSweeps), nil
}
