package mdp

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Method is a way to solve a model: [RelativeValueIteration],
// [PolicyIteration], [ValueIteration], [ModifiedPolicyIteration]. Methods are small values whose zero is useful.
type Method interface {
	// String returns the name of the method.
	String() string

	// start prepares the iteration, or fails before any work with what the
	// model lacks.
	start(ctx context.Context, task *task) (iteration, error)
}

// task is what an iteration works on.
type task struct {
	model      Model
	criterion  Criterion
	settings   Settings
	sweeper    *sweeper
	strictness float64 // how many times closer than the tolerance the bounds of the method must be
}

// met says whether the bounds that a method sees are good enough for it to end.
func (t *task) met(lower, upper float64) bool {
	more := (t.strictness - 1) * (upper - lower) / 2
	return t.settings.Met(lower-more, upper+more)
}

// iteration is a method under way on one model. Solve drives it.
type iteration interface {
	// round does one round and returns bounds on the optimum (see Result.Lower)
	// as the method sees them. err is of the context, or a failure.
	round(ctx context.Context) (lower, upper float64, err error)

	// finished says that the method believes to be done: its bounds are within
	// the tolerance of the task, or it is exhausted.
	finished() bool

	// exhausted says that further rounds would change nothing: the method has an
	// end of its own, or floating-point precision has.
	exhausted() bool

	answer() answer
}

// answer is what a method hands to certify.
type answer struct {
	values values
	policy []int32 // to prefer among actions that attain the minimum to rounding; nil for none
	gain   float64 // of the policy; NaN where the method does not evaluate policies

	// below and above are values made to give better lower and upper bounds
	// than values does; zero where the method has none.
	below, above values
}

// Solve minimises the criterion on the model.
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
	var choice string
	if settings.Method == nil {
		settings.Method, choice = criterion.choose(model, settings.Workers)
	}
	task := &task{model: model, criterion: criterion, settings: settings, sweeper: newSweeper(model, settings.Workers), strictness: 1}
	defer task.sweeper.close()
	iteration, err := settings.Method.start(ctx, task)
	if err != nil {
		return nil, err
	}
	var (
		rounds int
		status Status
		end    error
		result *Result
	)
	for again := true; again; {
		rounds, status, end = drive(ctx, iteration, settings, begin, rounds)
		if end != nil && status == Unsolved {
			return nil, end
		}
		if result, err = criterion.certify(task, iteration.answer()); err != nil {
			return nil, err
		}
		// Where the fresh sweep, with its account of rounding, does not confirm
		// what the method believes, it must come closer.
		again = status == Converged && !settings.Met(result.span()) && !iteration.exhausted()
		task.strictness *= 2
	}
	result.Method, result.Choice = settings.Method.String(), choice
	result.Rounds = rounds
	switch {
	case settings.Met(result.span()):
		// Also where a limit came in the same round: the bounds are what counts.
		if status != Interrupted {
			status, end = Converged, nil
		}
	case status == Converged:
		status, end = PrecisionLimit, ErrPrecisionLimit
	}
	result.Status = status
	result.Elapsed = time.Since(begin)
	if end != nil {
		end = fmt.Errorf("mdp: %s stopped in round %d, optimum between %v and %v: %w",
			result.Method, rounds, result.Lower, result.Upper, end)
	}
	return result, end
}

// drive runs rounds, after those that are done, up to the tolerance, a limit or
// an interruption. A status of Unsolved beside an error is a failure.
func drive(ctx context.Context, iteration iteration, settings Settings, begin time.Time, done int) (rounds int, status Status, end error) {
	rounds = done
	for {
		switch {
		case ctx.Err() != nil:
			return rounds, Interrupted, context.Cause(ctx)
		case rounds == settings.MaxRounds:
			return rounds, IterationLimit, ErrIterationLimit
		case settings.TimeLimit > 0 && time.Since(begin) >= settings.TimeLimit:
			return rounds, TimeLimit, ErrTimeLimit
		}
		lower, upper, err := iteration.round(ctx)
		if err != nil {
			if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
				return rounds, Interrupted, err
			}
			return rounds, Unsolved, err
		}
		rounds++
		if settings.Record != nil {
			progress := Progress{Round: rounds, Lower: lower, Upper: upper, Elapsed: time.Since(begin)}
			if err := settings.Record(progress); err != nil {
				return rounds, Interrupted, err
			}
		}
		if iteration.finished() {
			return rounds, Converged, nil
		}
	}
}
