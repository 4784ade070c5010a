package ui

// Errors of commands, and the exit statuses that stand for them.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// Exit statuses. Scripts rely on them.
const (
	ExitSolved      = 0
	ExitFailure     = 1
	ExitUsage       = 2
	ExitLimit       = 3
	ExitInterrupted = 130 // 128 + SIGINT, as shells have it
)

// ExitStatus returns the status that stands for the outcome of a command.
func ExitStatus(err error) int {
	if err == nil {
		return ExitSolved
	}
	if early, ok := errors.AsType[*earlyEndError](err); ok {
		return early.status
	}
	switch {
	case IsUsage(err):
		return ExitUsage
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	}
	return ExitFailure
}

// usageError is bad usage or bad input: one line that names the flag, or file, line and
// column, what was found and what is allowed.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// UsageErrorf returns a [usageError]. Long texts are shortened where they are quoted (%q).
func UsageErrorf(format string, args ...any) error {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = quotable(text)
		}
	}
	return &usageError{fmt.Sprintf(format, args...)}
}

// quotable is a text that is shortened where it is quoted.
type quotable string

// Format implements [fmt.Formatter].
func (q quotable) Format(state fmt.State, verb rune) {
	if verb == 'q' {
		fmt.Fprint(state, wording.Quote(string(q)))
		return
	}
	fmt.Fprintf(state, fmt.FormatString(state, verb), string(q))
}

// earlyEndError says that the answer, which has been printed, does not meet the
// tolerance.
type earlyEndError struct {
	status int
	text   string
}

func (e *earlyEndError) Error() string { return e.text }

// EndEarly returns an [earlyEndError].
func EndEarly(status int, text string) error { return &earlyEndError{status, text} }

// ExitOf returns the exit status of an answer that does not meet the tolerance.
func ExitOf(status mdp.Status) int {
	if status == mdp.Interrupted {
		return ExitInterrupted
	}
	return ExitLimit
}

// EndOf returns the error of a solve that ended early: nil if it converged, or if it met the
// stopping rule of the paper's method.
func EndOf(status mdp.Status, lower, upper float64) error {
	return EndOfMeasure("cost", status, lower, upper)
}

// EndOfMeasure is [EndOf] for a measure other than the cost, by its name.
func EndOfMeasure(name string, status mdp.Status, lower, upper float64) error {
	if status == mdp.Converged || status == mdp.Stopped {
		return nil
	}
	return EndEarly(ExitOf(status), fmt.Sprintf("%v before the tolerance was met: the %s is %s", status, name, Interval(lower, upper)))
}

// flagOf names the flag that sets a field of the parameters of a queue.
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

// ParameterFault returns the [usageError] for a parameter that a model refuses. The error names
// the flag.
func ParameterFault(field string, value any, allowed string) error {
	name := field
	if flag, known := flagOf[field]; known {
		name = "--" + flag
	}
	if strings.HasPrefix(field, "Classes") {
		name = "--class"
	}
	return UsageErrorf("%s: %s", name, wording.Invalid(value, allowed))
}

// IsUsage reports whether err is bad usage or bad input.
func IsUsage(err error) bool {
	_, ok := errors.AsType[*usageError](err)
	return ok
}

// ReadFault returns the [usageError] for a file that could not be opened or read, such as
// "nofile.json: no such file"; nil if err is not about a file.
func ReadFault(err error) error {
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		return UsageErrorf("%s: %s", wording.Short(fault.Path), PathFault(fault.Err, "file"))
	}
	return nil
}

// PathFault says in a few words why a file could not be opened. missing says what does not exist
// if the path does not: "file", or "folder" for a file that is to be written.
func PathFault(err error, missing string) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such " + missing
	case errors.Is(err, syscall.EISDIR):
		return "this is a folder"
	}
	return err.Error()
}
