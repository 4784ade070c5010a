package ui

// Tables whose rows are found one by one, such as sweeps over a parameter: one loop, with
// progress, interruption and a time limit for all rows together.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/stream"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Table is an answer with a number of rows, each of which takes a while.
type Table[T any] struct {
	Rows   int
	AtOnce int           // rows found at the same time
	Limit  time.Duration // for all rows together; 0 for none

	// Find finds row i in the time that is left, 0 for any time.
	Find func(ctx context.Context, i int, left time.Duration) (T, error)
	// Record returns a row with all its columns.
	Record func(T) Record
	// End returns the error of a row whose solve ended early, and nil for other rows. The
	// function is nil if no row can end early.
	End func(T) error
	// Save writes the picture of all rows; nil for none.
	Save func([]T) error
	// Text prints the rows that have been found.
	Text func(*Screen, []T, []Record)

	Streams bool // CSV is printed row by row, as soon as each is found
}

// Print finds the rows and prints those that it has found before the time limit or an
// interruption.
func (t Table[T]) Print(a *Arguments) error {
	var rows []T
	var records []Record
	streams := t.Streams && a.Format == FormatCSV
	err := t.Each(a.CLI.Context, func(row T) (err error) {
		rows, records = append(rows, row), append(records, t.Record(row))
		if streams {
			err = a.printLine(records[len(records)-1], len(records) == 1)
		}
		return err
	})
	if err != nil && !EndedEarly(err) {
		return err
	}
	if t.Save != nil && len(rows) == t.Rows {
		if err := t.Save(rows); err != nil {
			return err
		}
	}
	if !streams {
		if err := a.PrintRecords(records, func(s *Screen) { t.Text(s, rows, records) }); err != nil {
			return err
		}
	}
	return t.end(rows, err)
}

// Each finds rows and passes each to take in order, as soon as it and all earlier ones are
// found. It ends with the first error of a row or of take, of the context, or of the time
// limit, and returns that error. The first row is always started.
func (t Table[T]) Each(ctx context.Context, take func(row T) error) error {
	progress, begin := ProgressOf(ctx), time.Now()
	progress.Phase("solving")
	inner, cancel := context.WithCancel(Unwatched(ctx)) // progress counts rows only
	defer cancel()
	var end error // of the rows passed on
	var done atomic.Int64
	rows := stream.New().WithMaxGoroutines(t.AtOnce)
	for i := 0; i < t.Rows && (inner.Err() == nil || i == 0); i++ {
		rows.Go(func() stream.Callback {
			var row T
			err, left := context.Cause(inner), t.Limit
			if left > 0 && i > 0 {
				if left -= time.Since(begin); left <= 0 && err == nil {
					err = mdp.ErrTimeLimit
				}
			}
			if err == nil || i == 0 {
				row, err = t.Find(inner, i, left)
				progress.Count(done.Add(1), int64(t.Rows), "rows")
			}
			return func() {
				if end != nil {
					return
				}
				if end = err; end == nil {
					end = take(row)
				}
				if end != nil {
					cancel()
				}
			}
		})
	}
	rows.Wait()
	if end == nil {
		end = context.Cause(ctx)
	}
	return end
}

// end returns the error with the highest exit status among the rows, or one about err if rows are
// missing.
func (t Table[T]) end(rows []T, err error) error {
	if missing := t.Rows - len(rows); missing > 0 {
		if errors.Is(err, context.Canceled) {
			return EndEarly(ExitInterrupted, fmt.Sprintf("interrupted: %d of %d rows are missing", missing, t.Rows))
		}
		return EndEarly(ExitLimit, fmt.Sprintf("stopped at a limit (%v): %d of %d rows are missing", err, missing, t.Rows))
	}
	var worst error
	for i, row := range rows {
		if t.End == nil {
			break
		}
		end := t.End(row)
		if status := ExitStatus(end); status > ExitStatus(worst) {
			worst = EndEarly(status, fmt.Sprintf("row %d: %v", i+1, end))
		}
	}
	return worst
}

// printLine prints a line of CSV, the first below the names.
func (a *Arguments) printLine(r Record, first bool) error {
	var text strings.Builder
	if err := writeCSV(&text, slices.Values([]Record{r}), withDecimals(a.decimals, ExactText)); err != nil {
		return err
	}
	line := text.String()
	if !first {
		_, line, _ = strings.Cut(line, "\n")
	}
	var err error
	a.progress.Aside(func() { _, err = io.WriteString(a.CLI.App.Writer, line) })
	return err
}
