package serve

// Running a verb.

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
)

// Run executes a command line, and returns why it did not succeed. It must be safe to run
// several at once.
type Run func(ctx context.Context, args []string, stdout, stderr io.Writer) error

// Ask runs a verb with flags and operands, and returns what it prints on standard output.
func Ask(ctx context.Context, run Run, verb string, flags []Flag, operands []string, stderr io.Writer) ([]byte, error) {
	args := append([]string{"mdpsolve"}, strings.Fields(verb)...)
	for _, f := range flags {
		args = append(args, f.argument())
	}
	var stdout bytes.Buffer
	err := run(ctx, append(args, operands...), &stdout, stderr)
	return stdout.Bytes(), err
}

// heard reads the standard error of a verb with --log json, line by line.
type heard struct {
	progress func(line []byte) // nil: ignore progress
	warnings []string
}

// Write implements [io.Writer].
func (h *heard) Write(p []byte) (int, error) {
	const mostWarnings = 20 // in the headers of an answer
	for line := range bytes.Lines(p) {
		var said struct{ Warning string }
		if json.Unmarshal(line, &said) != nil {
			said.Warning = strings.TrimPrefix(strings.TrimSpace(string(line)), "mdpsolve: ")
		}
		switch {
		case said.Warning == "" && h.progress != nil:
			h.progress(line)
		case said.Warning != "" && len(h.warnings) < mostWarnings:
			h.warnings = append(h.warnings, said.Warning)
		}
	}
	return len(p), nil
}
