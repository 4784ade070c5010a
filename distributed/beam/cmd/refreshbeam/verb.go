package main

// Verbs of mdpsolve, run by workers.

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/app"
	"github.com/mdpsolve/mdpsolve/distributed/beam/pass"
)

// Exit statuses, which are those of mdpsolve.
const (
	exitSolved      = 0
	exitFailure     = 1
	exitUsage       = 2
	exitLimit       = 3 // the best so far at a limit
	exitInterrupted = 130
)

// atLimit returns the end of a job whose parts ended with these statuses.
func atLimit(statuses []int) error {
	if slices.Contains(statuses, exitLimit) {
		return &pass.FinalError{Status: exitLimit, Text: "some answers are the best so far at a limit: see the column status"}
	}
	return nil
}

// runVerb runs a verb of mdpsolve and returns what it prints and its exit status. Where it
// has no answer it returns its message as a fault.
func runVerb(ctx context.Context, words ...string) (stdout []byte, status int, err error) {
	var out, messages bytes.Buffer
	status = app.Run(ctx, append([]string{"mdpsolve"}, words...), &out, &messages)
	switch {
	case ctx.Err() != nil:
		return nil, status, context.Cause(ctx)
	case status == exitSolved || status == exitLimit:
		return out.Bytes(), status, nil
	}
	lines := strings.Split(strings.TrimSpace(messages.String()), "\n")
	return nil, status, &pass.FinalError{Status: status, Text: strings.TrimPrefix(lines[len(lines)-1], "mdpsolve: ")} // the last one ends it
}
