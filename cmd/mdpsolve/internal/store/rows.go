package store

// Rows of the files that the verbs read.

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// inputText is for the help of verbs that read a file.
const inputText = `The file is CSV, JSON lines or Parquet, also as .gz or .zst. An invalid row ends the verb
with an error. The rows before it are in the store, and reading them again does no harm.
Rows from a pipe are on disk within a second.`

// ofFile and ofPipe are the greatest numbers of rows that share a write to the disk. A row from a
// pipe waits for others at most longestWait, so that the rows of a running crawler are on disk
// within a second, even behind rows that are still to be written.
const (
	ofFile, ofPipe = 50_000, 500
	longestWait    = time.Second / 10
)

// An input is the file that a verb reads.
type input struct {
	name string // in messages
	line int    // up to which all rows are done
}

// faultf says what is wrong with a row, without the name of the package that found it.
func (in *input) faultf(line int, format string, args ...any) error {
	return ui.UsageErrorf("%s:%d: %s", in.name, line, strings.TrimPrefix(fmt.Sprintf(format, args...), "store: "))
}

// An each hands rows on one by one, as [pagefile.EachVisit] does.
type each[T any] func(ctx context.Context, source pagefile.Source, options pagefile.Options, take func(T) error) error

// readRows parses the rows of the file that a flag names and calls write with many at a time. lineOf returns the
// line of a row. After a fault, the rows before it are still written.
func readRows[R, T any](a *ui.Arguments, flag string, read each[R], lineOf func(R) int, parse func(*input, R) (T, error), write func(*input, []T) error) error {
	source := lists.Source(a, flag)
	in := &input{name: source.Name}
	together := ofFile
	if source.Reader != nil {
		together = ofPipe
	}
	incoming, enough := make(chan R, together), make(chan struct{})
	defer close(enough)
	var ended error // how reading ended, once incoming is closed
	go func() {     // which may wait for its input for long
		defer close(incoming)
		ended = read(a.CLI.Context, source, pagefile.Options{}, func(row R) error {
			select {
			case incoming <- row:
				return nil
			case <-enough:
				return context.Canceled
			}
		})
	}()
	var rows []T
	line := 0 // of the last of them
	waited := time.NewTicker(longestWait)
	defer waited.Stop()
	for {
		var fault error
		complete, interrupted := false, false
		select {
		case <-waited.C:
		case <-a.CLI.Done():
			if len(incoming) > 0 {
				continue // rows that have come are taken first: a pipe cannot be read again
			}
			interrupted = true
		case row, more := <-incoming:
			var parsed T
			switch {
			case !more && ended == nil:
				complete = true
			case !more && a.CLI.Err() != nil:
				interrupted = true
			case !more:
				fault = lists.Fault(flag, ended)
			default:
				if parsed, fault = parse(in, row); fault != nil {
					break
				}
				line = lineOf(row)
				if rows = append(rows, parsed); len(rows) < together {
					continue
				}
			}
		}
		if len(rows) > 0 {
			if err := write(in, rows); err != nil {
				return in.after(err)
			}
			in.line = line
			rows = rows[:0]
		}
		switch {
		case fault != nil:
			return in.after(fault)
		case complete:
			return nil
		case interrupted && in.line == 0:
			return ui.EndEarly(ui.ExitInterrupted, "interrupted: the store has not changed")
		case interrupted:
			return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted: done up to line %d of %s", in.line, in.name))
		}
	}
}

// after adds to an error how far the file was done.
func (in *input) after(err error) error {
	if in.line == 0 {
		return err
	}
	return fmt.Errorf("%w (done up to line %d)", err, in.line)
}
