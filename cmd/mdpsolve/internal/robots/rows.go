// This file finds the rows of tables and sweeps.

package robots

import (
	"context"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// table returns a table with a row for each case, which solve finds. Rows do not start from
// their neighbours' solutions: that would save policy iteration no evaluation, and value iteration
// one sweep in twenty.
func table[T any](ctx context.Context, m ui.Method, cases []robots.Parameters, solve func(ctx context.Context, m ui.Method, i int) (T, error)) ui.Table[T] {
	t := ui.Table[T]{Rows: len(cases), AtOnce: rowsAtOnce(ctx, m, cases), Limit: m.Settings.TimeLimit}
	if len(cases) > 1 {
		m.Settings.Workers = 1 // rows are solved in parallel, so sweeps are not
	}
	t.Find = func(ctx context.Context, i int, left time.Duration) (T, error) {
		m := m
		m.Settings.TimeLimit = left
		return solve(ctx, m, i)
	}
	return t
}

// rowsAtOnce returns how many rows are solved at once: at most one per worker, and no more
// than fit into memory. The largest case is the first or the last.
func rowsAtOnce(ctx context.Context, m ui.Method, cases []robots.Parameters) int {
	most := float64(m.Settings.Workers)
	for _, p := range []robots.Parameters{cases[0], cases[len(cases)-1]} {
		if bytes, err := p.SolveBytes(engineMethod(m)); err == nil {
			most = min(most, ui.Memory(ctx)/bytes)
		}
	}
	return max(1, int(most))
}
