package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
)

// Solve, and the course of one call of it.

// Method is a way to solve a model: [RelativeValueIteration],
// [PolicyIteration], [ValueIteration], [ModifiedPolicyIteration]. Methods are
// small values whose zero is useful.
type Method interface {
	// String returns the name of the method.
	String() string

	// start prepares the iteration, or fails before any work with what the
	// model lacks.
	start(ctx context.Context, task *method.Task) (method.Iteration, error)
}

// needsCriterion returns an error unless the task is of the criterion.
func needsCriterion(task *method.Task, m Method, needed objective) error {
	asked := objective(LongRunAverage{})
	if task.Discount < 1 {
		asked = Discounted{}
	}
	if asked.String() != needed.String() {
		return fmt.Errorf("mdp: %s: %w: criterion %s is not valid: use %s", m, ErrUnsupported, asked, needed)
	}
	return nil
}

// needsRows returns an error unless the model of the task lists its rows.
func needsRows(task *method.Task, m Method) error {
	if task.Listed.Lister == nil {
		return fmt.Errorf("mdp: %s: %w: it does not list its rows (interface Explicit)", m, ErrUnsupported)
	}
	return nil
}

// Solve finds the best policy for the criterion on the model, and its value.
//
// The result is not nil, and holds the best answer so far with its bounds,
// also beside these errors: [ErrIterationLimit], [ErrTimeLimit],
// [ErrPrecisionLimit], the context's error, and the error of Settings.Record.
// It is nil beside any other: settings out of range, [ErrUnsupported],
// [ErrTooLarge].
//
// Solve looks at ctx and at the time limit between the passes that it makes over the
// model: sweeps, pieces of an elimination, steps of a Krylov method, and passes over the
// graph before the first iteration. After their end it takes one more sweep, for the
// bounds, in float64 where one in double-double takes more than some tenths of a second.
// So it returns within the time of a few sweeps: milliseconds up to 10⁵ states, a second
// or two at 10⁷.
//
// Solve reports [Converged] only if the bounds of a fresh sweep over the final
// values, widened by what rounding can do to them, are within the tolerance:
// never on the word of the method.
func Solve(ctx context.Context, model Model, criterion Criterion, settings Settings) (*Result, error) {
	begin := time.Now()
	if model == nil || criterion == nil {
		panic("mdp: Solve needs a model and a criterion")
	}
	settings, err := settings.withDefaults(model.NumStates())
	if err != nil {
		return nil, err
	}
	if err := criterion.check(model); err != nil {
		return nil, err
	}
	sense := criterion.sense()
	if sense == Maximize {
		if model, err = rewardsAsCosts(model); err != nil {
			return nil, err
		}
		settings = settings.negative()
	}
	if explicit, ok := model.(Explicit); ok && settings.Policy != nil {
		if err := checkPolicy(explicit, settings.Policy); err != nil {
			return nil, err
		}
	}
	r := &run{settings: settings, limits: settings.limits(ctx, begin)}
	result, err := criterion.solve(r, model)
	if err != nil {
		return nil, err
	}
	r.measure(model, criterion, result)
	if sense == Maximize {
		result.negate()
	}
	result.Iterations = r.limits.Iterations
	result.Elapsed = time.Since(begin)
	return result, r.conclude(result)
}

// run is one call of Solve: its settings, and the limits that all its parts share.
type run struct {
	settings Settings
	limits   *limit.Run
}

// limits returns the limits of a run that has just begun.
func (s Settings) limits(ctx context.Context, begin time.Time) *limit.Run {
	r := &limit.Run{Ctx: ctx, Workers: s.Workers, MaxIterations: s.MaxIterations, TimeLimit: s.TimeLimit, Begin: begin}
	if s.Record != nil {
		r.Record = func(iteration int, lower, upper float64) error {
			return s.Record(Progress{Iteration: iteration, Lower: lower, Upper: upper, Elapsed: time.Since(begin)})
		}
	}
	return r
}

// conclude sets the status of a result from its bounds, and returns the error
// to go with it.
func (r *run) conclude(result *Result) error {
	end := r.limits.End
	if !limit.IsInterruption(end) && result.met(r.settings.Tolerance) {
		// Also where a limit came in the same iteration: the bounds are what counts.
		result.Status = Converged
		return nil
	}
	if end == nil {
		end = ErrPrecisionLimit
	}
	result.Status = statusOf(end)
	return fmt.Errorf("mdp: %s stopped in iteration %d, optimum between %v and %v: %w",
		result.Method, r.limits.Iterations, result.Lower, result.Upper, end)
}

// statusOf returns the status of a solve that ended with an error.
func statusOf(end error) Status {
	switch {
	case limit.IsInterruption(end):
		return Interrupted
	case errors.Is(end, ErrIterationLimit):
		return IterationLimit
	case errors.Is(end, ErrTimeLimit):
		return TimeLimit
	}
	return PrecisionLimit
}

// solve solves a model, the whole of it or a part, by the method of the settings
// or one that the objective chooses.
func (r *run) solve(model Model, objective objective, settings Settings) (*Result, error) {
	var (
		reason string
		err    error
	)
	if settings.Method == nil {
		if settings.Method, reason, err = objective.choose(r.limits.Ctx, model, settings.Workers); err != nil {
			return nil, err
		}
	}
	task := newTask(model, objective.discount(), settings)
	task.Limits = r.limits
	defer task.Sweeper.Close()
	iteration, err := settings.Method.start(r.limits.Ctx, task)
	if err != nil {
		return nil, err
	}
	var (
		end    error
		result *Result
	)
	for again := true; again; task.Strictness *= 2 {
		if end, err = r.limits.Drive(iteration); err != nil {
			return nil, err
		}
		if result, err = objective.certify(task, iteration.Answer()); err != nil {
			return nil, err
		}
		// Where the fresh sweep, with its account of rounding, does not confirm
		// what the method believes, it must come closer.
		again = end == nil && !result.met(settings.Tolerance) && !iteration.IsExhausted()
	}
	switch met := result.met(settings.Tolerance); {
	case met && !limit.IsInterruption(end):
		end = nil
	case !met && end == nil:
		end = ErrPrecisionLimit
	}
	result.Method, result.Reason = settings.Method.String(), reason
	if _, planned := settings.Method.(plannedIteration); planned && reason != "" && errors.Is(end, ErrPrecisionLimit) && result.vague() && model.NumStates() > few {
		// Some state is so rarely visited that elimination underflows.
		settings.Method = InexactPolicyIteration{}
		other, err := r.solve(model, objective, settings)
		if err == nil {
			other.Reason = "exact evaluation is beyond float64"
		}
		return other, err
	}
	r.limits.Note(end)
	return result, nil
}

// newTask returns the task to solve a model that needs no dividing, with a sweeper
// that is to be closed.
func newTask(model Model, discount float64, settings Settings) *method.Task {
	task := &method.Task{
		Model: model, Listed: bound.Lister{Inexact: relativeError(model)}, Terms: backupTerms(model), Rate: rateOf(model), Discount: discount,
		Values: settings.Values, Policy: settings.Policy, Tolerance: settings.Tolerance,
		Sweeper: sweep.New(model, settings.Workers), Strictness: 1,
	}
	if explicit, ok := model.(Explicit); ok {
		task.Listed.Lister = explicit
	}
	return task
}

// vagueGap is the relative gap of bounds that say next to nothing.
const vagueGap = 1e-3

// vague says whether the bounds on the gain say next to nothing.
func (r *Result) vague() bool {
	return !(r.Upper-r.Lower <= vagueGap*max(math.Abs(r.Lower), math.Abs(r.Upper)))
}
