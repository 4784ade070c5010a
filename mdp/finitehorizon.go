package mdp

import (
	"fmt"
	"math"
	"slices"
)

// FiniteHorizon is the expected total cost of a number of steps,
//
//	v_0(s) = E[ Σ_{t<n} c_t + terminal cost of the state after them ] from s,
//
// minimised over all policies, which may depend on the time, or that of
// rewards, maximised. It is computed by backward induction, v_t = T v_{t+1}
// (Puterman 1994, §4.5), by Backup alone, and a round is one step. A model
// that is [Timed] is refused: its steps are no unit of time.
//
// The policy of the [Result] is that of the first step. If a solve is stopped
// after fewer steps the bounds are those that the least and the greatest cost of
// a step give for the others.
type FiniteHorizon struct {
	// Steps is the number of steps, at least 1.
	Steps int

	// Terminal is the cost, or reward, of the state after the last step, by
	// state; nil for none.
	Terminal []float64

	// Sense is the direction; zero minimises.
	Sense Sense

	// Stage, where not nil, is called for each step from the last, Steps−1, to
	// the first, 0, with the optimal values before it and the policy in it. It
	// must copy what it keeps. If it returns an error the solve ends as if
	// interrupted, with that error.
	Stage func(step int, values []float64, policy []int32) error
}

// String returns "finite".
func (FiniteHorizon) String() string { return "finite" }

func (f FiniteHorizon) sense() Sense { return f.Sense }

func (f FiniteHorizon) check(model Model) error {
	if f.Steps < 1 {
		return fmt.Errorf("mdp: FiniteHorizon.Steps %d found; a number from 1 up is allowed", f.Steps)
	}
	if timed, ok := model.(Timed); ok && timed.Rate() != 1 {
		return fmt.Errorf("mdp: FiniteHorizon: %w: its steps are the events of a uniformized process, %v in a unit of time, not steps of time",
			ErrUnsupported, timed.Rate())
	}
	if n := model.NumStates(); f.Terminal != nil && len(f.Terminal) != n {
		return fmt.Errorf("mdp: FiniteHorizon.Terminal of length %d found; %d, the number of states, is allowed", len(f.Terminal), n)
	}
	for s, v := range f.Terminal {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("mdp: FiniteHorizon.Terminal[%d] %v found; a finite number is allowed", s, v)
		}
	}
	return f.Sense.check()
}

// solve goes back step by step. It keeps one bound for what rounding and the
// inexactness of the model have done to the values: it grows by that of a
// backup each step, and no backup makes it larger, as probabilities sum to 1.
func (f FiniteHorizon) solve(r *run, model Model) (*Result, error) {
	if r.settings.Method != nil {
		return nil, fmt.Errorf("mdp: %s: %w: criterion finite found, which has backward induction alone", r.settings.Method, ErrUnsupported)
	}
	n := model.NumStates()
	v, next, policy := make([]float64, n), make([]float64, n), make([]int32, n)
	sweeper := newSweeper(model, r.settings.Workers)
	defer sweeper.close()
	backup := func() { sweeper.blocks(func(_, lo, hi int) { model.Backup(next, policy, v, lo, hi) }) }
	backup()
	cheap, dear := slices.Min(next), slices.Max(next) // bounds on the least cost of a step
	if f.Terminal != nil {
		v = scaled(f.Terminal, f.sign())
	}
	unit, err, done := 2*backupError(model), 0.0, 0
	for ; done < f.Steps && r.status == Unsolved; done++ {
		if status, end := r.limit(); status != Unsolved {
			r.note(status, end)
			break
		}
		backup()
		v, next = next, v
		size := largestMagnitude(v)
		if math.IsNaN(size) || math.IsInf(size, 0) {
			return nil, errNaN
		}
		err += unit * (largestMagnitude(next) + size)
		if end := f.report(r, done, v, policy, err); end != nil {
			r.note(Interrupted, end)
		}
	}
	lower, upper := slices.Clone(v), slices.Clone(v)
	if left := float64(f.Steps - done); left > 0 {
		low, high := left*cheap+slices.Min(v), left*dear+slices.Max(v)
		for s := range v {
			lower[s], upper[s], v[s] = low, high, low+(high-low)/2
		}
		err += left * unit * (math.Abs(cheap) + math.Abs(dear))
	}
	for s := range v {
		lower[s], upper[s] = math.Nextafter(lower[s]-err, math.Inf(-1)), math.Nextafter(upper[s]+err, math.Inf(1))
	}
	result := &Result{Values: v, bounds: stateBounds{lower, upper, largestMagnitude(v)}, Method: "backward induction", Choice: "it is exact"}
	result.Policy = policy
	result.Lower, result.Upper = lower[0], upper[0]
	return result, nil
}

// sign returns what rewards are multiplied by to be costs.
func (f FiniteHorizon) sign() float64 {
	if f.Sense == Maximize {
		return -1
	}
	return 1
}

// report counts a step and hands it to whoever wants to see it.
func (f FiniteHorizon) report(r *run, done int, v []float64, policy []int32, err float64) error {
	if end := r.record(v[0]-err, v[0]+err); end != nil {
		return end
	}
	if f.Stage == nil {
		return nil
	}
	if f.Sense == Maximize {
		v = scaled(v, -1)
	}
	return f.Stage(f.Steps-1-done, v, policy)
}
