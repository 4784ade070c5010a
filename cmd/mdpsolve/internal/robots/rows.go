// This file solves the rows of tables and sweeps.

package robots

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/stream"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// solveRows solves a row for each of the cases, several at once, and hands each on in its
// turn, as soon as it and those before it are found. A row that solve has no solution for,
// or that take fails with, is the last, and its error is returned; so is the context's,
// where that has ended before a row was begun, and the end of the time for all rows
// together. The first row is begun in any case.
func solveRows[T any](ctx context.Context, m ui.Method, cases []robots.Parameters, solve func(ctx context.Context, m ui.Method, i int) (T, error), take func(row T) error) error {
	progress, n, begin := ui.ProgressOf(ctx), len(cases), time.Now()
	progress.Phase("solving")
	workers := rowsAtOnce(ctx, m, cases)
	if n > 1 {
		m.Settings.Workers = 1 // rows are shared out, not sweeps
	}
	inner, cancel := context.WithCancel(ui.Unwatched(ctx)) // rows are counted, not what goes on in them
	defer cancel()
	var end error // of the rows handed on
	var done atomic.Int64
	rows := stream.New().WithMaxGoroutines(workers)
	for i := 0; i < n && inner.Err() == nil || i == 0; i++ {
		rows.Go(func() stream.Callback {
			var row T
			err, m := context.Cause(inner), m
			if limit := m.Settings.TimeLimit; limit > 0 && i > 0 {
				if m.Settings.TimeLimit = limit - time.Since(begin); m.Settings.TimeLimit <= 0 && err == nil {
					err = mdp.ErrTimeLimit
				}
			}
			if err == nil || i == 0 {
				// Rows do not begin with what is known of their neighbours: for policy iteration
				// that saves no evaluation, and for value iteration one sweep in twenty.
				row, err = solve(inner, m, i)
				progress.Count(done.Add(1), int64(n), "rows")
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

// rowsAtOnce returns how many rows are found at once: as many as there are workers, and
// memory for the largest of them, the first or the last.
func rowsAtOnce(ctx context.Context, m ui.Method, cases []robots.Parameters) int {
	most := float64(m.Settings.Workers)
	for _, p := range []robots.Parameters{cases[0], cases[len(cases)-1]} {
		if bytes, err := p.SolveBytes(engineMethod(m)); err == nil {
			most = min(most, ui.Memory(ctx)/bytes)
		}
	}
	return max(1, int(most))
}

// endOfRows returns the end of the row that ended worst, or, where not all n rows are
// there, of err, which says why. name is what the bounds of rows are on.
func endOfRows(name string, rows []*robots.Solution, n int, err error) error {
	if missing := n - len(rows); missing > 0 {
		if errors.Is(err, context.Canceled) {
			return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted: %d of %d rows were not begun", missing, n))
		}
		return ui.EndEarly(ui.ExitLimit, fmt.Sprintf("stopped at a limit (%v): %d of %d rows are missing", err, missing, n))
	}
	var worst error
	for i, row := range rows {
		end := ui.EndOfMeasure(name, row.Status, row.Lower, row.Upper)
		if status := ui.ExitStatus(end); status > ui.ExitStatus(worst) {
			worst = ui.EndEarly(status, fmt.Sprintf("row %d: %v", i+1, end))
		}
	}
	return worst
}
