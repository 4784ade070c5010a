package main

import (
	"context"
	"errors"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// endedEarly reports whether err is the end of a solve by a limit or a signal.
func endedEarly(err error) bool {
	for _, end := range []error{
		context.Canceled, context.DeadlineExceeded,
		mdp.ErrIterationLimit, mdp.ErrTimeLimit, mdp.ErrPrecisionLimit,
	} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// endStatus returns the status that stands for the end of a search.
func endStatus(err error) mdp.Status {
	for _, end := range []struct {
		err    error
		status mdp.Status
	}{
		{context.Canceled, mdp.Interrupted},
		{mdp.ErrIterationLimit, mdp.IterationLimit},
		{mdp.ErrPrecisionLimit, mdp.PrecisionLimit},
		{context.DeadlineExceeded, mdp.TimeLimit},
	} {
		if errors.Is(err, end.err) {
			return end.status
		}
	}
	return mdp.Converged
}

// interruption returns context.Canceled for an error while ctx has ended.
func interruption(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Canceled
	}
	return err
}

// playedStatus returns the status of a simulation, which converges to nothing: it is
// complete, or how it ended before.
func playedStatus(status mdp.Status) string {
	if status == mdp.Converged {
		return "complete"
	}
	return status.String()
}

func statusStyle(status mdp.Status) string {
	switch status {
	case mdp.Converged:
		return green
	case mdp.Stopped:
		return yellow
	}
	return red
}

func statusWords(status mdp.Status) string {
	switch status {
	case mdp.Converged:
		return "converged"
	case mdp.Stopped:
		return "stopped by the method's own rule, which vouches for nothing"
	case mdp.Interrupted:
		return "interrupted before the tolerance was met"
	}
	return status.String() + " before the tolerance was met"
}
