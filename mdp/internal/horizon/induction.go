// Package horizon solves finite horizons by backward induction.
package horizon

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Induction is backward induction in float64, in progress. It implements
// limit.Iteration; an iteration is one step.
//
// One number bounds the errors of all values, by rounding and by the relative error of the
// model. Each step adds the error of its backup; the backup does not amplify earlier
// errors, as probabilities sum to 1.
type Induction struct {
	Values []float64 // before the steps done
	After  []float64 // after the first of these
	Policy []int32   // in the last of them
	Error  float64   // bounds the error of every value
	Done   int       // steps

	Least, Most float64 // bounds on the least cost of a step

	stage    Stage
	discount Factor
	sweeper  *sweep.Sweeper
	unit     float64 // the error of a backup, relative to the largest value before and after
	steps    int
}

// Stage returns the model of a step, with the error of its backup relative to the largest
// value, see [bound.BackupError].
type Stage func(step int) (model sweep.Model, backupError float64, err error)

// Factor is a discount factor, with a bound on its relative error.
type Factor struct{ Value, RelativeError float64 }

// New starts an induction of the given number of steps from the terminal costs. All steps have
// the model of step 0 unless varies.
func New(stage Stage, varies bool, sweeper *sweep.Sweeper, terminal []float64, steps int, discount Factor) (*Induction, error) {
	n := len(terminal)
	i := &Induction{
		Values: make([]float64, n), After: make([]float64, n), Policy: make([]int32, n),
		Least: math.Inf(1), Most: math.Inf(-1), stage: stage, discount: discount, sweeper: sweeper, steps: steps,
	}
	for step := range steps {
		if err := i.backup(step); err != nil {
			return nil, err
		}
		if i.Least, i.Most = min(i.Least, slices.Min(i.After)), max(i.Most, slices.Max(i.After)); !varies {
			break
		}
	}
	copy(i.Values, terminal)
	return i, nil
}

// backup sets After to the backup of the values in a step.
func (i *Induction) backup(step int) error {
	model, backupError, err := i.stage(step)
	if err != nil {
		return err
	}
	i.unit = max(i.unit, 2*backupError)
	values := i.Values
	if i.discount.Value != 1 {
		values = vector.Scaled(values, i.discount.Value)
		i.Error += (rounding.Unit + i.discount.RelativeError) * vector.LargestMagnitude(values) * (1 + 0x1p-40)
	}
	i.sweeper.Blocks(func(_, lo, hi int) { model.Backup(i.After, i.Policy, values, lo, hi) })
	return nil
}

// Iterate goes back one step.
func (i *Induction) Iterate(context.Context) (lower, upper float64, err error) {
	if err := i.backup(i.steps - 1 - i.Done); err != nil {
		return 0, 0, err
	}
	i.Values, i.After = i.After, i.Values
	size := vector.LargestMagnitude(i.Values)
	if !rounding.IsFinite(size) {
		return 0, 0, limit.ErrNotFinite
	}
	if before := vector.LargestMagnitude(i.After); before+size > 0 {
		i.Error += i.unit*(before+size) + bound.Underflow
	}
	i.Done++
	return i.Values[0] - i.Error, i.Values[0] + i.Error, nil
}

// IsFinished reports whether all steps are done.
func (i *Induction) IsFinished() bool { return i.Done == i.steps }
