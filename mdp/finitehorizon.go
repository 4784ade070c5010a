package mdp

import (
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// FiniteHorizon is the expected total cost of a number of steps,
//
//	v_0(s) = E[ Σ_{t<n} c_t + terminal cost of the state after them ] from s,
//
// minimised over all policies, which may depend on the time, or that of
// rewards, maximised. It is computed by backward induction, v_t = T v_{t+1}
// (Puterman 1994, §4.5), by Backup alone, and an iteration is one step. A model
// that is [Timed] is refused: its steps are no unit of time.
//
// The policy of the [Result] is that of the first step. If a solve is stopped
// after fewer steps the bounds are those that the least and the greatest cost of
// a step give for the others.
type FiniteHorizon struct {
	// Steps is the number of steps, at least 0.
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

func (FiniteHorizon) minimized() Criterion { return nil }

func (f FiniteHorizon) check(model Model) error {
	if f.Steps < 0 {
		return fmt.Errorf("mdp: FiniteHorizon.Steps %d is not valid: use 0 or more", f.Steps)
	}
	if timed, ok := model.(Timed); ok && timed.Rate() != 1 {
		return fmt.Errorf("mdp: FiniteHorizon: %w: its steps are the events of a uniformized process, %v in a unit of time, not steps of time",
			ErrUnsupported, timed.Rate())
	}
	if n := model.NumStates(); f.Terminal != nil && len(f.Terminal) != n {
		return fmt.Errorf("mdp: FiniteHorizon.Terminal of length %d is not valid: the model has %d states", len(f.Terminal), n)
	}
	for s, v := range f.Terminal {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("mdp: FiniteHorizon.Terminal[%d] %v is not valid: use finite numbers", s, v)
		}
	}
	return f.Sense.check()
}

// induction is how far backward induction is: values before the steps done, the
// policy in the last of them, and a bound on the error of the values.
type induction struct {
	values []float64
	policy []int32
	err    float64
	done   int
}

// solve goes back step by step. It keeps one bound for what rounding and the
// inexactness of the model have done to the values: it grows by that of a
// backup each step, and no backup makes it larger, as probabilities sum to 1.
func (f FiniteHorizon) solve(r *run, model Model) (*Result, error) {
	if r.settings.Method != nil {
		return nil, fmt.Errorf("mdp: %s: %w: criterion finite needs backward induction, with no method named", r.settings.Method, ErrUnsupported)
	}
	n := model.NumStates()
	at, next := &induction{values: make([]float64, n), policy: make([]int32, n)}, make([]float64, n)
	sweeper := newSweeper(model, r.settings.Workers)
	defer sweeper.close()
	backup := func() {
		sweeper.blocks(func(_, lo, hi int) { model.Backup(next, at.policy, at.values, lo, hi) })
	}
	backup()
	cheap, dear := slices.Min(next), slices.Max(next) // bounds on the least cost of a step
	terminal := make([]float64, n)
	if f.Terminal != nil {
		terminal = vector.Scaled(f.Terminal, f.sign())
	}
	at.values = slices.Clone(terminal)
	for unit := 2 * backupError(model); at.done < f.Steps && r.status == Unsolved; {
		status, end := r.limit()
		if status == Unsolved {
			backup()
			at.values, next = next, at.values
			size := vector.LargestMagnitude(at.values)
			if math.IsNaN(size) || math.IsInf(size, 0) {
				return nil, errNaN
			}
			if before := vector.LargestMagnitude(next); before+size > 0 {
				at.err += unit*(before+size) + underflowed
			}
			at.done++
			if end = f.report(r, at); end != nil {
				status = Interrupted
			}
		}
		if status != Unsolved {
			r.note(status, end)
		}
	}
	result := f.result(at, cheap, dear, relativeError(model))
	if explicit, ok := model.(Explicit); ok && at.done == f.Steps && !result.met(r.settings.Tolerance) {
		f.extend(r, explicit, sweeper, terminal, result)
	}
	return result, nil
}

// underflowed bounds what the products of a backup lose that are subnormal.
const underflowed = 16 * assumedTerms * math.SmallestNonzeroFloat64

// result bounds what the steps that are not done can cost.
func (f FiniteHorizon) result(at *induction, cheap, dear, inexact float64) *Result {
	v, err := at.values, at.err
	lower, upper := slices.Clone(v), slices.Clone(v)
	if left := float64(f.Steps - at.done); left > 0 {
		low, high := left*cheap+slices.Min(v), left*dear+slices.Max(v)
		for s := range v {
			lower[s], upper[s], v[s] = low, high, low+(high-low)/2
		}
		err += left * (8*assumedTerms*rounding.Unit + 2*inexact) * (math.Abs(cheap) + math.Abs(dear))
	}
	for s := 0; s < len(v) && err > 0; s++ {
		lower[s], upper[s] = math.Nextafter(lower[s]-err, math.Inf(-1)), math.Nextafter(upper[s]+err, math.Inf(1))
	}
	result := &Result{Policy: at.policy, Value: v, Method: "backward induction", Reason: "it is exact"}
	result.setBounds(stateBounds{lower: lower, upper: upper}, scale{})
	return result
}

// sign returns what rewards are multiplied by to be costs.
func (f FiniteHorizon) sign() float64 {
	if f.Sense == Maximize {
		return -1
	}
	return 1
}

// report counts a step and hands it to whoever wants to see it.
func (f FiniteHorizon) report(r *run, at *induction) error {
	v := at.values
	if end := r.record(v[0]-at.err, v[0]+at.err); end != nil {
		return end
	}
	if f.Stage == nil {
		return nil
	}
	if f.Sense == Maximize {
		v = vector.Scaled(v, -1)
	}
	return f.Stage(f.Steps-at.done, v, at.policy)
}
