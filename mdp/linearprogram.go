package mdp

import (
	"context"
	"fmt"
	"math"
)

// Limits of [LinearProgramming]: every step of the simplex method solves dense
// equations from scratch. At the limit it takes some seconds.
const (
	maxProgramStates  = 200
	maxProgramChoices = 2000
)

// LinearProgramming solves [Discounted] and [LongRunAverage] as linear programs,
// by the simplex method of gonum: an independent check of the other methods, for
// small models that are [Explicit]. It is one round.
//
// The variables are how often each action is taken, for one start in each state
// (d'Epenoux 1963; Puterman 1994, §6.9):
//
//	minimise Σ c(s,a)·y(s,a),  Σ_a y(j,a) − β·Σ p(j|s,a)·y(s,a) = 1,  y ≥ 0.
//
// For the average they are shares of time (Manne 1960; Puterman 1994, §8.8):
// β = 1, the right-hand sides are 0, and Σ y(s,a) = 1. That says nothing of states
// which the best policy leaves for good, so a second program, of the first form,
// finds how to get from everywhere to the state it visits most, at the least cost
// above the average. A model where that state is not reached from everywhere is
// refused; of a [Table] each maximal end component is solved on its own.
//
// The values are those of the policy of an optimal vertex. Its optimality is not
// taken on trust: as with every method the bounds come from Solve's own sweep.
// Where the simplex method fails, which it may on a badly scaled or a degenerate
// model, its error is returned.
type LinearProgramming struct{}

// String returns "linear programming".
func (LinearProgramming) String() string { return "linear programming" }

func (m LinearProgramming) start(_ context.Context, task *task) (iteration, error) {
	model, ok := task.model.(Explicit)
	if !ok {
		return nil, fmt.Errorf("mdp: linear programming: %w: it does not list its rows (interface Explicit)", ErrUnsupported)
	}
	switch task.criterion.(type) {
	case LongRunAverage, Discounted:
	default:
		return nil, fmt.Errorf("mdp: linear programming: %w: criterion %s found; average and discounted are allowed", ErrUnsupported, task.criterion)
	}
	n, choices := model.NumStates(), 0
	for s := 0; s < n && choices <= maxProgramChoices; s++ {
		choices += model.NumActions(s)
	}
	if n > maxProgramStates || choices > maxProgramChoices {
		return nil, fmt.Errorf("mdp: linear programming: %w: %d states with %d actions or more found; at most %d with %d are allowed",
			ErrTooLarge, n, choices, maxProgramStates, maxProgramChoices)
	}
	return &programIteration{task: task, model: newProgramModel(model)}, nil
}

// programIteration is LinearProgramming on a model.
type programIteration struct {
	task   *task
	model  *programModel
	result answer
}

func (it *programIteration) round(ctx context.Context) (lower, upper float64, err error) {
	found := answer{gain: math.NaN()}
	discounted, ok := it.task.criterion.(Discounted)
	if ok {
		found.values.high, found.policy, err = it.model.discounted(ctx, discounted.Discount)
	} else {
		found.gain, found.values.high, found.policy, err = it.model.average(ctx)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("mdp: linear programming: %w", err)
	}
	it.result = found
	v := found.values.high
	if !ok {
		lower, upper = it.sweep(v, 1)
		return lower, upper, nil
	}
	least, greatest := it.sweep(v, discounted.Discount)
	leave, rate := 1-discounted.Discount, rateOf(it.task.model)
	return (v[0] + least/leave) / rate, (v[0] + greatest/leave) / rate, nil
}

// sweep returns the extremes of c + β·P·v − v.
func (it *programIteration) sweep(v []float64, discount float64) (least, greatest float64) {
	backup := make([]float64, len(v))
	it.task.model.Backup(backup, nil, scaled(v, discount), 0, len(v))
	return update(backup, v, 1, 0)
}

func (it *programIteration) finished() bool { return true }

func (it *programIteration) exhausted() bool { return true }

func (it *programIteration) answer() answer {
	if it.result.values.high == nil { // stopped before the round
		n := it.task.model.NumStates()
		return answer{values: values{high: make([]float64, n)}, gain: math.NaN()}
	}
	return it.result
}
