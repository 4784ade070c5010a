package ui

// How solves, searches and simulations end.

import (
	"context"
	"errors"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// EndedEarly reports whether a limit or a signal ended a solve.
func EndedEarly(err error) bool { return EndStatus(err) != mdp.Converged }

// EndStatus returns the status for the error that ended a search.
func EndStatus(err error) mdp.Status {
	for _, end := range []struct {
		err    error
		status mdp.Status
	}{
		{context.Canceled, mdp.Interrupted},
		{mdp.ErrIterationLimit, mdp.IterationLimit},
		{mdp.ErrPrecisionLimit, mdp.PrecisionLimit},
		{mdp.ErrTimeLimit, mdp.TimeLimit},
		{context.DeadlineExceeded, mdp.TimeLimit},
	} {
		if errors.Is(err, end.err) {
			return end.status
		}
	}
	return mdp.Converged
}

// Interruption returns context.Canceled for an error while ctx has ended.
func Interruption(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Canceled
	}
	return err
}

// PlayedStatus returns the status of a simulation: complete, or how it ended before.
func PlayedStatus(status mdp.Status) string {
	if status == mdp.Converged {
		return "complete"
	}
	return status.String()
}

// StatusStyle returns the style in which a status is printed.
func StatusStyle(status mdp.Status) string {
	switch status {
	case mdp.Converged:
		return Green
	case mdp.Stopped:
		return Yellow
	}
	return Red
}

// StatusWords explains a status in words.
func StatusWords(status mdp.Status) string {
	switch status {
	case mdp.Converged:
		return "converged"
	case mdp.Stopped:
		return "stopped by the method's own rule before the tolerance was met"
	}
	return status.String() + " before the tolerance was met"
}
