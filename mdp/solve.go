package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Method is a way to solve a model: [RelativeValueIteration],
// [PolicyIteration], [ValueIteration], [ModifiedPolicyIteration]. Methods are
// small values whose zero is useful.
type Method interface {
	// String returns the name of the method.
	String() string

	// start prepares the iteration, or fails before any work with what the
	// model lacks.
	start(ctx context.Context, task *task) (iteration, error)
}

// task is what an iteration works on.
type task struct {
	model     Model
	criterion objective
	settings  Settings
	sweeper   *sweeper
	run       *run
}

// met says whether the bounds that a method sees are good enough for it to end.
func (t *task) met(lower, upper float64) bool {
	more := (t.run.strictness - 1) * (upper - lower) / 2
	return t.settings.Met(lower-more, upper+more)
}

// aim returns the magnitude that discounted values, which lie between least and
// greatest, are to be known relative to: the smallest of them where they have one
// sign and float64 can tell it so closely; else the largest. Where that leaves
// values of states too wide, other means follow.
func (t *task) aim(least, greatest, leave float64) float64 {
	largest, smallest := max(math.Abs(least), math.Abs(greatest)), min(math.Abs(least), math.Abs(greatest))
	if (least > 0) == (greatest > 0) && t.settings.Tolerance*smallest*leave > assumedTerms*rounding.Unit*largest {
		return smallest
	}
	return largest
}

// iteration is a method under way on one model. Solve drives it.
type iteration interface {
	// iterate does one iteration and returns bounds on the optimum (see Result.Lower)
	// as the method sees them. err is of the context, or a failure.
	iterate(ctx context.Context) (lower, upper float64, err error)

	// finished says that the method believes to be done: its bounds are within
	// the tolerance of the task, or it is exhausted.
	finished() bool

	// exhausted says that further iterations would change nothing: the method has an
	// end of its own, or floating-point precision has.
	exhausted() bool

	answer() answer
}

// answer is what a method hands to certify.
type answer struct {
	values vector.Vector
	policy []int32 // to prefer among actions that attain the minimum to rounding; nil for none
	gain   float64 // of the policy; NaN where the method does not evaluate policies

	// below and above are values made to give better lower and upper bounds
	// than values does; zero where the method has none.
	below, above vector.Vector
}

// Solve finds the best policy for the criterion on the model, and its value.
//
// The result is not nil, and holds the best answer so far with its bounds,
// also beside these errors: [ErrIterationLimit], [ErrTimeLimit],
// [ErrPrecisionLimit], the context's error, and the error of Settings.Record.
// It is nil beside any other: settings out of range, [ErrUnsupported],
// [ErrTooLarge].
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
	r := &run{ctx: ctx, settings: settings, begin: begin}
	result, err := criterion.solve(r, model)
	if err != nil {
		return nil, err
	}
	r.measure(model, criterion, result)
	if sense == Maximize {
		result.negate()
	}
	result.Iterations = r.iterations
	result.Elapsed = time.Since(begin)
	return result, r.conclude(result)
}

// run is one call of Solve: its settings and limits, which all its parts share,
// and how far it is.
type run struct {
	ctx        context.Context
	settings   Settings
	begin      time.Time
	iterations int

	// strictness is how many times closer than the tolerance the bounds of the
	// method at work must be.
	strictness float64

	status Status // of the first part that did not converge; Unsolved for none
	end    error
}

// ended says that a limit or an interruption came, so that what is left to do
// should be left.
func (r *run) ended() bool {
	return r.status == IterationLimit || r.status == TimeLimit || r.status == Interrupted
}

// note takes down how a part ended.
func (r *run) note(status Status, end error) {
	if r.status == Unsolved || r.status == PrecisionLimit && status != Converged {
		r.status, r.end = status, end
	}
	if r.status == Converged {
		r.status = Unsolved
	}
}

// conclude sets the status of a result from its bounds, and returns the error
// to go with it.
func (r *run) conclude(result *Result) error {
	switch {
	case r.status != Interrupted && result.met(r.settings.Tolerance):
		// Also where a limit came in the same iteration: the bounds are what counts.
		result.Status = Converged
		return nil
	case r.ended():
		result.Status = r.status
	default:
		result.Status, r.end = PrecisionLimit, ErrPrecisionLimit
	}
	return fmt.Errorf("mdp: %s stopped in iteration %d, optimum between %v and %v: %w",
		result.Method, r.iterations, result.Lower, result.Upper, r.end)
}

// solve solves a model, the whole of it or a part, by the method of the settings
// or one that the objective chooses.
func (r *run) solve(model Model, objective objective, settings Settings) (*Result, error) {
	var (
		choice string
		err    error
	)
	if settings.Method == nil {
		if settings.Method, choice, err = objective.choose(r.ctx, model, settings.Workers); err != nil {
			return nil, err
		}
	}
	task := &task{model: model, criterion: objective, settings: settings, sweeper: newSweeper(model, settings.Workers), run: r}
	defer task.sweeper.close()
	iteration, err := settings.Method.start(r.ctx, task)
	if err != nil {
		return nil, err
	}
	r.strictness = 1
	var (
		status Status
		end    error
		result *Result
	)
	for again := true; again; {
		status, end = r.drive(iteration)
		if end != nil && status == Unsolved {
			return nil, end
		}
		if result, err = objective.certify(task, iteration.answer()); err != nil {
			return nil, err
		}
		// Where the fresh sweep, with its account of rounding, does not confirm
		// what the method believes, it must come closer.
		again = status == Converged && !result.met(settings.Tolerance) && !iteration.exhausted()
		r.strictness *= 2
	}
	switch met := result.met(settings.Tolerance); {
	case met && status != Interrupted:
		status, end = Converged, nil
	case !met && status == Converged:
		status, end = PrecisionLimit, ErrPrecisionLimit
	}
	result.Method, result.Reason = settings.Method.String(), choice
	if _, planned := settings.Method.(plannedIteration); planned && choice != "" && status == PrecisionLimit && result.vague() && model.NumStates() > few {
		// Some state is so rarely visited that elimination underflows.
		settings.Method = InexactPolicyIteration{}
		other, err := r.solve(model, objective, settings)
		if err == nil {
			other.Reason = "exact evaluation is beyond float64"
		}
		return other, err
	}
	r.note(status, end)
	return result, nil
}

// vagueGap is the relative gap of bounds that say next to nothing.
const vagueGap = 1e-3

// vague says whether the bounds on the gain say next to nothing.
func (r *Result) vague() bool {
	return !(r.Upper-r.Lower <= vagueGap*max(math.Abs(r.Lower), math.Abs(r.Upper)))
}

// limit returns the limit that is reached, or the interruption; Unsolved for
// none.
func (r *run) limit() (status Status, end error) {
	switch {
	case r.ctx.Err() != nil:
		return Interrupted, context.Cause(r.ctx)
	case r.iterations >= r.settings.MaxIterations:
		return IterationLimit, ErrIterationLimit
	case r.overdue():
		return TimeLimit, ErrTimeLimit
	}
	return Unsolved, nil
}

// overdue says that the time limit is reached.
func (r *run) overdue() bool {
	return r.settings.TimeLimit > 0 && time.Since(r.begin) >= r.settings.TimeLimit
}

// drive does iterations up to the tolerance, a limit or an interruption. A status
// of Unsolved beside an error is a failure.
func (r *run) drive(iteration iteration) (status Status, end error) {
	for {
		if status, end := r.limit(); status != Unsolved {
			return status, end
		}
		lower, upper, err := iteration.iterate(r.ctx)
		if err != nil {
			if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || r.ctx.Err() != nil {
				return Interrupted, err
			}
			return Unsolved, err
		}
		if err := r.record(lower, upper); err != nil {
			return Interrupted, err
		}
		if iteration.finished() {
			return Converged, nil
		}
	}
}

// record counts an iteration and reports it.
func (r *run) record(lower, upper float64) error {
	r.iterations++
	if r.settings.Record == nil {
		return nil
	}
	return r.settings.Record(Progress{Iteration: r.iterations, Lower: lower, Upper: upper, Elapsed: time.Since(r.begin)})
}
