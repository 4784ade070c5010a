// This file solves the rows of tables and sweeps.

package robots

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/sourcegraph/conc/stream"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// solveRows solves the rows from first to n−1, several at once, and hands each on in
// its turn, as soon as it and those before it are found. A row that solve has no
// solution for, or that take fails with, is the last, and its error is returned; so is
// the context's, where that has ended before a row was begun. The first row is begun
// in any case.
func solveRows[T any](ctx context.Context, workers, first, n int, solve func(ctx context.Context, i int) (T, error), take func(i int, row T) error) error {
	progress := ui.ProgressOf(ctx)
	progress.Phase("solving")
	inner, cancel := context.WithCancel(ui.Unwatched(ctx)) // rows are counted, not what goes on in them
	defer cancel()
	var end error // of the rows handed on
	var done atomic.Int64
	rows := stream.New().WithMaxGoroutines(workers)
	for i := first; i < n && inner.Err() == nil || i == first; i++ {
		rows.Go(func() stream.Callback {
			var row T
			err := context.Cause(inner)
			if err == nil || i == first {
				row, err = solve(inner, i)
				progress.Count(int64(first)+done.Add(1), int64(n), "rows")
			}
			return func() {
				if end != nil {
					return
				}
				if end = err; end == nil {
					end = take(i, row)
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

// rowEnd is how the solve of a row ended.
type rowEnd struct {
	status       mdp.Status
	lower, upper float64
}

// endOfRows returns the end of the row that ended worst, or, where not all n rows are
// there, of err, which says why. name is what the bounds of rows are on.
func endOfRows(name string, rows []rowEnd, n int, err error) error {
	if missing := n - len(rows); missing > 0 {
		if errors.Is(err, context.Canceled) {
			return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted: %d of %d rows were not begun", missing, n))
		}
		return ui.EndEarly(ui.ExitLimit, fmt.Sprintf("stopped at a limit (%v): %d of %d rows are missing", err, missing, n))
	}
	var worst error
	for i, row := range rows {
		end := ui.EndOfMeasure(name, row.status, row.lower, row.upper)
		if status := ui.ExitStatus(end); status > ui.ExitStatus(worst) {
			worst = ui.EndEarly(status, fmt.Sprintf("row %d: %v", i+1, end))
		}
	}
	return worst
}
