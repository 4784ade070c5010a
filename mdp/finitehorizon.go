package mdp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
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
//
// One bound holds for what rounding and the inexactness of the model have done to
// all values: it grows by that of a backup each step, and no backup makes it larger,
// as probabilities sum to 1.
type induction struct {
	model        Model
	sweeper      *sweep.Sweeper
	values, next []float64
	policy       []int32
	err, unit    float64 // unit is what a backup adds, relative to the values before and after
	steps, done  int
}

// backup sets next to the backup of the values.
func (i *induction) backup() {
	i.sweeper.Blocks(func(_, lo, hi int) { i.model.Backup(i.next, i.policy, i.values, lo, hi) })
}

// Iterate goes back one step.
func (i *induction) Iterate(context.Context) (lower, upper float64, err error) {
	i.backup()
	i.values, i.next = i.next, i.values
	size := vector.LargestMagnitude(i.values)
	if !rounding.IsFinite(size) {
		return 0, 0, limit.ErrNotFinite
	}
	if before := vector.LargestMagnitude(i.next); before+size > 0 {
		i.err += i.unit*(before+size) + bound.Underflow
	}
	i.done++
	return i.values[0] - i.err, i.values[0] + i.err, nil
}

// IsFinished says that all steps are done.
func (i *induction) IsFinished() bool { return i.done == i.steps }

func (f FiniteHorizon) solve(r *run, model Model) (*Result, error) {
	if r.settings.Method != nil {
		return nil, fmt.Errorf("mdp: %s: %w: criterion finite needs backward induction, with no method named", r.settings.Method, ErrUnsupported)
	}
	n := model.NumStates()
	sweeper := sweep.New(model, r.settings.Workers)
	defer sweeper.Close()
	at := &induction{model: model, sweeper: sweeper, values: make([]float64, n), next: make([]float64, n), policy: make([]int32, n), steps: f.Steps}
	at.unit = 2 * bound.BackupError(backupTerms(model), relativeError(model))
	at.backup()
	least, most := slices.Min(at.next), slices.Max(at.next) // bounds on the least cost of a step
	terminal := make([]float64, n)
	if f.Terminal != nil {
		terminal = vector.Scaled(f.Terminal, f.sign())
	}
	at.values = slices.Clone(terminal)
	f.watch(r.limits, at)
	if f.Steps > 0 {
		end, err := r.limits.Drive(at)
		if err != nil {
			return nil, err
		}
		r.limits.Note(end)
	}
	result := f.result(at, least, most, relativeError(model))
	if explicit, ok := model.(Explicit); ok && at.IsFinished() && !result.met(r.settings.Tolerance) {
		f.extend(r, explicit, sweeper, terminal, result)
	}
	return result, nil
}

// watch lets Stage see each step after Settings.Record has.
func (f FiniteHorizon) watch(limits *limit.Run, at *induction) {
	record := limits.Record
	limits.Record = func(iteration int, lower, upper float64) error {
		if record != nil {
			if err := record(iteration, lower, upper); err != nil {
				return err
			}
		}
		if f.Stage == nil {
			return nil
		}
		v := at.values
		if f.Sense == Maximize {
			v = vector.Scaled(v, -1)
		}
		return f.Stage(f.Steps-at.done, v, at.policy)
	}
}

// result bounds what the steps that are not done can cost.
func (f FiniteHorizon) result(at *induction, least, most, inexact float64) *Result {
	v, err := at.values, at.err
	lower, upper := slices.Clone(v), slices.Clone(v)
	if left := float64(f.Steps - at.done); left > 0 {
		low, high := left*least+slices.Min(v), left*most+slices.Max(v)
		for s := range v {
			lower[s], upper[s], v[s] = low, high, low+(high-low)/2
		}
		err += left * (8*bound.AssumedTerms*rounding.Unit + 2*inexact) * (math.Abs(least) + math.Abs(most))
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
