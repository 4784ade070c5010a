package store

// Rows of the files that the verbs read.

import (
	"context"
	"fmt"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// inputText is for the help of verbs that read a file.
const inputText = `The file is CSV (separated by commas, semicolons or tabs, below a line of names, no
field over the end of a line), JSON lines or Parquet; in UTF-8; plain, .gz or .zst. A row
that cannot be used ends the verb, with its place; what it has done before stays, and may
be done again. Rows that come through a pipe are on disk a second later.`

// together is the number of rows that share a write to the disk, and longestWait the time
// after which fewer do, as from a crawler that is at work.
const (
	together    = 10_000
	longestWait = time.Second
)

// An input is the file of --input.
type input struct {
	name string // in messages
	line int    // up to which all is done
}

// faultf says what is wrong with a row.
func (in *input) faultf(line int, format string, args ...any) error {
	return ui.UsageErrorf("%s:%d: %s", in.name, line, fmt.Sprintf(format, args...))
}

// An each hands rows on one by one, as [pagefile.EachVisit] does.
type each[T any] func(ctx context.Context, source pagefile.Source, options pagefile.Options, take func(T) error) error

// readRows has write called with what parse makes of the rows of --input, many at a time.
// lineOf returns the line of a row. Rows before a fault are written where they came through
// a pipe, which nobody can read again; of a file no more than what has been written before.
func readRows[R, T any](a *ui.Arguments, read each[R], lineOf func(R) int, parse func(*input, R) (T, error), write func(*input, []T) error) error {
	source := lists.Source(a, "input")
	in := &input{name: source.Name}
	incoming, enough := make(chan R, together), make(chan struct{})
	defer close(enough)
	var ended error // what reading has come to, once incoming is closed
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
				continue // what has come is taken first: nobody can read a pipe again
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
				fault = lists.Fault("input", ended)
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
		if len(rows) > 0 && (fault == nil || source.Reader != nil) {
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
			return ui.EndEarly(ui.ExitInterrupted, "interrupted: the store is as it was")
		case interrupted:
			return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted: all is done up to line %d of %s", in.line, in.name))
		}
	}
}

// after adds to an error what has been done before it.
func (in *input) after(err error) error {
	if in.line == 0 {
		return err
	}
	return fmt.Errorf("%w (all is done up to line %d)", err, in.line)
}
