package mdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Criterion says what to minimise or maximise: [LongRunAverage], [Discounted],
// [TotalCost], [FiniteHorizon] or, for chains in continuous time, [TimeHorizon].
type Criterion interface {
	// name is the name of the criterion in errors and result files.
	name() string

	// check returns an error if the criterion is not valid, or not for the model.
	check(model Model) error

	sense() Sense

	// stepFactor returns the factor by which a value after a step counts before it; nil for 1. ok is
	// false where that is not one number for all steps and states: what needs one then refuses the
	// criterion.
	stepFactor() (factor *vector.Discount, ok bool)

	// solve minimises the criterion on the model, by the method of the settings or
	// one that it chooses. If it does not converge, it notes the reason in the limits.
	solve(ctx context.Context, r *run, model Model) (*Result, error)

	// minimized returns the same criterion with sense Minimize, for the scale of a
	// result; nil if solve finds the scale itself.
	minimized() Criterion
}

// run is the state that all parts of a call of Solve share.
type run struct {
	settings Settings
	limits   *limit.Run
	side     float64 // the side, −1 or 1, on which values need all digits, by exact evaluation: see [average.Whole]; 0 for neither
}

// Solve finds an optimal policy for the criterion on the model, and its value. In an [Uncertain]
// model, nature chooses the probabilities. For limits on other costs see [SolveConstrained]: its
// answer is of another kind, a mixture of policies from one initial state, with a multiplier for
// each limit.
//
// With the errors [ErrIterationLimit], [ErrTimeLimit], [ErrPrecisionLimit], the
// context's and that of Settings.Record, Solve also returns a result: the best answer so
// far with its bounds. With any other error the result is nil: settings out of range,
// [ErrMissing], [ErrUnsupported], [ErrTooLarge], [ErrOverflow].
//
// Solve checks ctx and the time limit between passes over the model: sweeps, parts of an
// elimination, steps of a Krylov method, and passes over the graph before the first
// iteration. When one of them ends it makes one more sweep, for the bounds: in float64 if
// a sweep in double-double takes more than some tenths of a second. So it returns within
// the time of a few sweeps: milliseconds up to 10⁵ states, a second or two at 10⁷.
//
// Solve reports [Converged] only if the bounds of a fresh sweep over the final
// values, widened for rounding, are within the tolerance.
func Solve(ctx context.Context, model Model, criterion Criterion, settings Settings) (*Result, error) {
	begin := time.Now()
	if err := cmp.Or(checkGiven("model", "", model), checkGiven("criterion", ": use one such as mdp.LongRunAverage{}", criterion)); err != nil {
		return nil, err
	}
	if u, ok := model.(*Uncertain); ok {
		return u.solve(ctx, begin, criterion, settings)
	}
	settings, err := settings.withDefaults(model)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(criterion.check(model), settings.Method.check(criterion, model)); err != nil {
		return nil, err
	}
	maximize := criterion.sense() == Maximize
	if maximize {
		if model, err = rewardsAsCosts(model); err != nil {
			return nil, err
		}
		settings = settings.negative()
	}
	return settings.solve(ctx, begin, model, criterion, maximize)
}

// solve minimises a criterion. isNegated says that costs are negative rewards.
func (s Settings) solve(ctx context.Context, begin time.Time, model Model, criterion Criterion, isNegated bool) (*Result, error) {
	ctx, cancel := s.within(ctx, begin)
	defer cancel()
	r := &run{settings: s, limits: s.limits(begin)}
	result, err := criterion.solve(ctx, r, model)
	if err != nil {
		return nil, err
	}
	r.measure(ctx, model, criterion, result)
	if isNegated {
		result.negate()
	}
	result.Iterations, result.Elapsed = r.limits.Iterations, time.Since(begin)
	return result, r.conclude(result)
}

// start begins a method on a task. If values are given to certify, there is nothing to iterate. For an
// uncertain model without a named method it begins inexact policy iteration, which ends after its first
// phase, the sweeps, as the model does not list its rows. Rounds of ordinary models may follow.
func (r *run) start(m Method, task *method.Task) method.Iteration {
	if _, isUncertain := task.Model.(operator); isUncertain && r.settings.Method == 0 {
		m = InexactPolicyIteration
	}
	if r.settings.isGiven {
		return method.Given{Task: task}
	}
	return methods[m].start(task)
}

// checkGiven returns an error if an argument is nil, or is a nil pointer such as a
// *Table whose error was ignored. advice may say what to give.
func checkGiven(name, advice string, argument any) error {
	if v := reflect.ValueOf(argument); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("mdp: %w: the %s is nil%s", ErrMissing, name, advice)
	}
	return nil
}

// iterate iterates until enclose, a fresh sweep over the values of the method, proves
// bounds within the tolerance, or until a limit, which end names. If the method stops too
// early, iterate makes it stricter and goes on.
func (r *run) iterate(ctx context.Context, task *method.Task, it method.Iteration, enclose func(method.Answer) (shortfall float64, err error)) (end, failure error) {
	for {
		end, err := r.limits.Drive(ctx, it)
		if err != nil {
			return nil, err
		}
		shortfall, err := enclose(it.Answer())
		switch {
		case err != nil:
			return nil, err
		case shortfall == 0 && !limit.IsInterruption(end):
			return nil, nil
		case end != nil:
			return end, nil
		case it.IsExhausted():
			return ErrPrecisionLimit, nil
		}
		task.Strictness *= shortfall
	}
}

// conclude sets the status of a result from its bounds, and returns the error of Solve.
func (r *run) conclude(result *Result) error {
	end := r.limits.End
	switch {
	case limit.IsInterruption(end):
		result.Status = Interrupted
	case result.met(r.settings.Tolerance):
		// Also if a limit was reached in the same iteration: the bounds decide.
		result.Status = Converged
		return nil
	case errors.Is(end, ErrIterationLimit):
		result.Status = IterationLimit
	case errors.Is(end, ErrTimeLimit):
		result.Status = TimeLimit
	default:
		result.Status, end = PrecisionLimit, ErrPrecisionLimit
	}
	return fmt.Errorf("mdp: %s stopped in iteration %d, optimum between %v and %v: %w",
		result.Method, r.limits.Iterations, result.Lower, result.Upper, end)
}

// task returns the task to solve a model without dividing it. The caller closes its
// sweeper.
func (r *run) task(model Model, discount float64) *method.Task {
	task := &method.Task{
		Model: model, Rate: rateOf(model), Discount: discount,
		Values: r.settings.Values, Policy: r.settings.Policy, Tolerance: r.settings.Tolerance,
		Sweeper: sweep.New(model, r.settings.Workers), Limits: r.limits, Strictness: 1,
	}
	task.Listed, task.Terms, task.Rows = listing(model)
	return task
}

// listing returns how a model lists its rows, how many terms its backup adds up, and the rows
// of a table.
func listing(model Model) (listed bound.Lister, terms int, of *rows.Rows) {
	listed, terms = bound.Lister{RelativeError: relativeError(model)}, bound.AssumedTerms
	if explicit, ok := model.(Explicit); ok {
		listed.Lister = explicit
	}
	if table, ok := tableOf(model); ok {
		listed.Lister, of, terms = table.rows, table.rows, table.rows.Longest()
	}
	if uncertain, ok := model.(operator); ok {
		listed.RelativeError, terms = uncertain.relativeError, 2*uncertain.Rows.Longest()+2
	}
	return listed, terms, of
}
