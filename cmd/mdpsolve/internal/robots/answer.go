package robots

import (
	"context"
	"errors"
	"time"

	"gonum.org/v1/plot"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// robotsAnswer is what robots solve says of a solution, of the plain model or of
// a variant.
type robotsAnswer struct {
	fields       ui.Record
	left         []string            // out of rows: what takes lists of lists, or differs from time to time
	text         func(s *ui.Screen)  // prints it
	panels       func() []*plot.Plot // its switching curves
	policy       func() savedPolicy
	status       mdp.Status
	lower, upper float64
}

// answerRobots reads the flags that robots solve has for all models, solves, and
// prints and saves the answer.
func answerRobots(a *ui.Arguments, methods []string, solve func(ctx context.Context, m ui.Method) (*robotsAnswer, error)) error {
	c := a.CLI
	method := a.Method(methods...)
	plot := a.PlotFile()
	defer plot.Discard()
	saved := policyOut(a)
	defer saved.Discard()
	progress := ui.NewProgress(c.App.ErrWriter, "solving")
	method.Settings.Record = progress.Record
	answer, err := solve(c.Context, method)
	progress.Done()
	if err != nil {
		return err
	}
	if plot != nil {
		if err := plot.SavePlot(answer.panels()); err != nil {
			return err
		}
	}
	if saved != nil {
		if err := savePolicy(saved, answer.policy()); err != nil {
			return err
		}
	}
	if err := a.PrintRecord(answer.fields, answer.text, answer.left...); err != nil {
		return err
	}
	return ui.EndOf(answer.status, answer.lower, answer.upper)
}

// sufficientRobots searches for the least number of robots from which more do not help,
// and returns the method with what is left of its time. Where the search ends
// early it returns a number that the search would have looked at.
func sufficientRobots(ctx context.Context, m ui.Method, p robots.Parameters, search func(context.Context, mdp.Settings) (int, error)) (int, ui.Method, error) {
	limited := ctx
	if m.Settings.TimeLimit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, m.Settings.TimeLimit)
		defer cancel()
	}
	begin := time.Now()
	enough, err := search(limited, m.Settings)
	switch {
	case err == nil:
	case ui.EndedEarly(err):
		enough, m = someNumber(p), m.Exact()
	case errors.Is(err, mdp.ErrTooLarge):
		return 0, m, ui.UsageErrorf("--robots: auto found; a number of robots is allowed where as many as help are too many (%v)", err)
	default:
		return 0, m, ui.InputFault(err)
	}
	if m.Settings.TimeLimit > 0 {
		m.Settings.TimeLimit = max(1, m.Settings.TimeLimit-time.Since(begin))
	}
	return enough, m, nil
}
