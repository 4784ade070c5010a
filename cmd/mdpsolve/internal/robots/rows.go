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

// solveRows solves a row for each case, several at once, and passes each to take in order,
// as soon as it and all earlier ones are solved. It ends with the first error of solve or
// take, of the context, or of the time limit, which is for all rows together, and returns
// that error. The first row is always started.
func solveRows[T any](ctx context.Context, m ui.Method, cases []robots.Parameters, solve func(ctx context.Context, m ui.Method, i int) (T, error), take func(row T) error) error {
	progress, n, begin := ui.ProgressOf(ctx), len(cases), time.Now()
	progress.Phase("solving")
	workers := rowsAtOnce(ctx, m, cases)
	if n > 1 {
		m.Settings.Workers = 1 // rows are shared out, not sweeps
	}
	inner, cancel := context.WithCancel(ui.Unwatched(ctx)) // progress counts rows only
	defer cancel()
	var end error // of the rows passed on
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
				// Rows do not start from their neighbours' solutions: for policy iteration that
				// saves no evaluation, and for value iteration one sweep in twenty.
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

// rowsAtOnce returns how many rows are solved at once: at most one per worker, and no more
// than fit into memory. The largest is the first or the last.
func rowsAtOnce(ctx context.Context, m ui.Method, cases []robots.Parameters) int {
	most := float64(m.Settings.Workers)
	for _, p := range []robots.Parameters{cases[0], cases[len(cases)-1]} {
		if bytes, err := p.SolveBytes(engineMethod(m)); err == nil {
			most = min(most, ui.Memory(ctx)/bytes)
		}
	}
	return max(1, int(most))
}

// endOfRows returns the worst end of a row, or err if rows are missing. name is the measure
// that the bounds of rows are on.
func endOfRows(name string, rows []*robots.Solution, n int, err error) error {
	if missing := n - len(rows); missing > 0 {
		if errors.Is(err, context.Canceled) {
			return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted: %d of %d rows are missing", missing, n))
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
