package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
)

// Exit statuses. Scripts rely on them.
const (
	exitSolved      = 0
	exitFailure     = 1
	exitUsage       = 2
	exitLimit       = 3
	exitInterrupted = 130 // 128 + SIGINT, as shells have it
)

// exitStatus returns the status that stands for the outcome of a command.
func exitStatus(err error) int {
	if err == nil {
		return exitSolved
	}
	if early, ok := errors.AsType[*earlyEndError](err); ok {
		return early.status
	}
	switch {
	case isUsage(err):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailure
}

// usageError is bad usage or bad input, in one line that names the flag (or
// file, line and column), what was found and what is allowed.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// usageErrorf returns a [usageError]. What it quotes (%q) is cut where it is long.
func usageErrorf(format string, args ...any) error {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = quotable(text)
		}
	}
	return &usageError{fmt.Sprintf(format, args...)}
}

// quotable is a text that is cut where it is quoted.
type quotable string

// Format implements [fmt.Formatter].
func (q quotable) Format(state fmt.State, verb rune) {
	if verb == 'q' {
		fmt.Fprint(state, wording.Quote(string(q)))
		return
	}
	fmt.Fprintf(state, fmt.FormatString(state, verb), string(q))
}

// earlyEndError says that the answer, which has been printed, is not within the
// tolerance.
type earlyEndError struct {
	status int
	text   string
}

func (e *earlyEndError) Error() string { return e.text }

// endOf returns nil for the end of a solve that did what was asked for: one
// that converged, or the authors' iteration that came to its own end.
func endOf(status mdp.Status, lower, upper float64) error {
	exit := exitLimit
	switch status {
	case mdp.Converged, mdp.Stopped:
		return nil
	case mdp.Interrupted:
		exit = exitInterrupted
	}
	return &earlyEndError{exit, fmt.Sprintf("%v before the tolerance was met: the gain is between %s and %s",
		status, lowerText(lower), upperText(upper))}
}

// flagOf names the flag that sets a field of parameters.
var flagOf = map[string]string{
	"Robots":           "robots",
	"Buffer":           "buffer",
	"ArrivalRate":      "lambda",
	"ServiceRate":      "mu",
	"StarvationWeight": "gamma",
	"Service":          "service",
	"Cost":             "cost",
	"From":             "from",
	"To":               "to",
	"Count":            "steps",
	"HoldingCost":      "holding-cost",
	"RobotCost":        "robot-cost",
	"ActivationCost":   "activation-cost",
}

// inputFault turns what a model says of its parameters into a [usageError];
// other errors are returned as they are.
func inputFault(err error) error {
	if ofRobots, ok := errors.AsType[*robots.ParameterError](err); ok {
		return parameterFault(ofRobots.Field, ofRobots.Value, ofRobots.Allowed)
	}
	if ofStatic, ok := errors.AsType[*static.ParameterError](err); ok {
		return parameterFault(ofStatic.Field, ofStatic.Value, ofStatic.Allowed)
	}
	return err
}

func parameterFault(field string, value any, allowed string) error {
	if flag, known := flagOf[field]; known {
		return usageErrorf("--%s: %s", flag, wording.Invalid(value, allowed))
	}
	return usageErrorf("%s: %s", field, wording.Invalid(value, allowed))
}

// isUsage reports whether err is the user's to mend.
func isUsage(err error) bool {
	_, ok := errors.AsType[*usageError](err)
	return ok
}
