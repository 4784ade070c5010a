package main

import (
	"context"
	"errors"
	"time"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/plot"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// robotsAnswer is what robots solve says of a solution, of the plain model or of
// a variant.
type robotsAnswer struct {
	fields       record
	left         []string            // out of rows: what takes lists of lists, or differs from time to time
	text         func(s *screen)     // prints it
	panels       func() []*plot.Plot // its switching curves
	policy       func() savedPolicy
	status       mdp.Status
	lower, upper float64
}

// answerRobots reads the flags that robots solve has for all models, solves, and
// prints and saves the answer.
func answerRobots(a *arguments, methods []string, solve func(ctx context.Context, m method) (*robotsAnswer, error)) error {
	c := a.context
	format := a.format()
	method := a.method(methods...)
	plot := a.plotFile()
	defer plot.discard()
	saved := a.policyOut()
	defer saved.discard()
	if a.err != nil {
		return a.err
	}
	progress := newProgress(c.App.ErrWriter, "solving")
	method.settings.Record = progress.record
	answer, err := solve(c.Context, method)
	progress.done()
	if err != nil {
		return err
	}
	if plot != nil {
		if err := plot.save(answer.panels()); err != nil {
			return err
		}
	}
	if saved != nil {
		if err := saved.savePolicy(answer.policy()); err != nil {
			return err
		}
	}
	return answer.write(c, format)
}

func (r *robotsAnswer) write(c *cli.Context, format string) error {
	row := r.fields
	for _, name := range r.left {
		row = row.without(name)
	}
	if err := (document{json: r.fields, rows: []record{row}, text: r.text}).write(c, format); err != nil {
		return err
	}
	return endOf(r.status, r.lower, r.upper)
}

// sufficient searches for the least number of robots from which more do not help,
// and returns the method with what is left of its time. Where the search ends
// early it returns a number that the search would have looked at.
func (m method) sufficient(ctx context.Context, p robots.Parameters, search func(context.Context, mdp.Settings) (int, error)) (int, method, error) {
	limited := ctx
	if m.settings.TimeLimit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, m.settings.TimeLimit)
		defer cancel()
	}
	begin := time.Now()
	enough, err := search(limited, m.settings)
	switch {
	case err == nil:
	case endedEarly(err):
		enough, m = someNumber(p), m.exact()
	case errors.Is(err, mdp.ErrTooLarge):
		return 0, m, usageErrorf("--robots: auto found; a number of robots is allowed where as many as help are too many (%v)", err)
	default:
		return 0, m, inputFault(err)
	}
	if m.settings.TimeLimit > 0 {
		m.settings.TimeLimit = max(1, m.settings.TimeLimit-time.Since(begin))
	}
	return enough, m, nil
}
