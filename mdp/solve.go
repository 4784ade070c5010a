package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Method is a way to solve a model: [RelativeValueIteration],
// [PolicyIteration]. Methods are small values whose zero is useful.
type Method interface {
	// String returns the name of the method.
	String() string

	// start prepares the iteration, or fails before any work with what the
	// model lacks.
	start(ctx context.Context, task *task) (iteration, error)
}

// task is what an iteration works on.
type task struct {
	model    Model
	settings Settings
	sweeper  *sweeper
}

// iteration is a method under way on one model. Solve drives it.
type iteration interface {
	// round does one round and returns bounds on the optimal gain as the
	// method sees them. err is of the context, or a failure.
	round(ctx context.Context) (lower, upper float64, err error)

	// finished says that the method has no more to do: further rounds would
	// change nothing (an end of its own, or of floating-point precision).
	finished() bool

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
	var choice string
	if settings.Method == nil {
		settings.Method, choice = choose(model)
	}
	task := &task{model: model, settings: settings, sweeper: newSweeper(model, settings.Workers)}
	defer task.sweeper.close()
	iteration, err := settings.Method.start(ctx, task)
	if err != nil {
		return nil, err
	}
	rounds, status, end := drive(ctx, iteration, settings, begin)
	if end != nil && status == Unsolved {
		return nil, end
	}
	answer := iteration.answer()
	certificate, err := certify(task, answer)
	if err != nil {
		return nil, err
	}
	result := &Result{
		Certificate: certificate,
		Gain:        answer.estimate(certificate),
		Values:      answer.values.relative(rateOf(model)),
	}
	result.Method, result.Choice = settings.Method.String(), choice
	result.Rounds = rounds
	switch {
	case settings.Met(result.Lower, result.Upper):
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
		end = fmt.Errorf("mdp: %s stopped in round %d, gain between %v and %v: %w",
			result.Method, rounds, result.Lower, result.Upper, end)
	}
	return result, end
}

// estimate returns the gain between the bounds that is the best guess.
func (a answer) estimate(c Certificate) float64 {
	if math.IsNaN(a.gain) {
		return c.Lower + (c.Upper-c.Lower)/2
	}
	return min(max(a.gain, c.Lower), c.Upper)
}

// drive runs the rounds up to the tolerance, a limit or an interruption. A
// status of Unsolved beside an error is a failure.
func drive(ctx context.Context, iteration iteration, settings Settings, begin time.Time) (rounds int, status Status, end error) {
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
