// This file finds the rows of a sweep, and writes and reads them.

package robots

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// sweepRow is what is found for a value of the parameter that varies.
type sweepRow struct {
	value              float64
	gain, lower, upper float64
	// NaN where they are not known:
	fixedRobots, fixedCost, saving, robotsMean, starvation, lossRate float64
	status                                                           mdp.Status

	weight float64 // the multiplier of a limit that varies
}

// run returns the rows found before the end of the context, the time or a fault, whose
// error it returns. It begins with those of the file.
func (s sweep) run(a *ui.Arguments, file *sweepFile) ([]sweepRow, error) {
	m, workers, begin := s.method, s.rowsAtOnce(a.CLI.Context), time.Now()
	if len(s.cases) > 1 {
		m.Settings.Workers = 1 // rows are shared out, not sweeps
	}
	// Rows do not begin with what is known of their neighbours: for policy iteration that
	// saves no evaluation, and for value iteration one sweep in twenty.
	find := func(ctx context.Context, i int) (sweepRow, error) {
		m := m
		if limit := m.Settings.TimeLimit; limit > 0 {
			if m.Settings.TimeLimit = limit - time.Since(begin); m.Settings.TimeLimit <= 0 {
				return sweepRow{}, mdp.ErrTimeLimit
			}
		}
		return s.row(ctx, m, i)
	}
	rows, printed := slices.Clone(file.rows()), false
	show := func(rows ...sweepRow) (err error) {
		if a.Format != ui.FormatCSV { // those are printed at the end
			return nil
		}
		var text strings.Builder
		for _, row := range rows {
			header, line := row.csv(s.axis)
			if !printed {
				text.WriteString(header)
				printed = true
			}
			text.WriteString(line)
		}
		ui.ProgressOf(a.CLI.Context).Aside(func() { _, err = io.WriteString(a.CLI.App.Writer, text.String()) })
		return err
	}
	first := max(0, len(rows)-1)
	err := solveRows(a.CLI.Context, workers, first, len(s.cases), find, func(i int, row sweepRow) error {
		if i < len(file.rows()) { // the last row of the file, found once more
			switch row.status { // an early end says nothing about the file
			case mdp.Interrupted:
				rows = nil
				return context.Canceled
			case mdp.TimeLimit:
				rows = nil
				return mdp.ErrTimeLimit
			}
			if err := file.check(row); err != nil {
				return err
			}
			return show(rows...)
		}
		rows = append(rows, row)
		if err := show(row); err != nil {
			return err
		}
		return file.add(row)
	})
	return rows, err
}

// rowsAtOnce returns how many rows are found at once: as many as there are workers, and
// memory for the largest of them.
func (s sweep) rowsAtOnce(ctx context.Context) int {
	most := float64(s.method.Settings.Workers)
	for _, p := range []robots.Parameters{s.cases[0], s.cases[len(s.cases)-1]} {
		if bytes, err := p.SolveBytes(sweepsOnly(s.method)); err == nil {
			most = min(most, ui.Memory(ctx)/bytes)
		}
	}
	return max(1, int(most))
}

// row finds a row.
func (s sweep) row(ctx context.Context, m ui.Method, i int) (sweepRow, error) {
	if s.axis.limit != nil {
		return s.rowWithin(ctx, m, i)
	}
	solution, err := solve(ctx, m, s.cases[i], s.sufficient)
	if err != nil {
		return sweepRow{}, err
	}
	unknown := math.NaN()
	row := sweepRow{
		s.values[i], solution.Gain, solution.Lower, solution.Upper,
		unknown, unknown, unknown, unknown, unknown, unknown, solution.Status, 0,
	}
	if m := solution.Measures; m != nil {
		row.robotsMean, row.starvation, row.lossRate = m.RobotsMean, m.Starvation, m.LossRate
	}
	if fixed := bestFixed(ctx, solution.Parameters); fixed != nil {
		row.fixedRobots, row.fixedCost, row.saving = 0, fixed.Cost, saving(solution, fixed.Cost)
		for _, n := range fixed.Robots {
			row.fixedRobots += float64(n)
		}
	}
	return row, nil
}

// record returns the row as it is printed.
func (row sweepRow) record(x axis) ui.Record {
	var fixedRobots any
	if !math.IsNaN(row.fixedRobots) {
		fixedRobots = int(row.fixedRobots)
	}
	record := ui.Record{
		{strings.ReplaceAll(x.flag, "-", "_"), x.number(row.value)},
		{"gain", row.gain},
		{"gain_lower", row.lower},
		{"gain_upper", row.upper},
		{"static_robots", fixedRobots},
		{"static_cost", row.fixedCost},
		{"saving", row.saving},
		{"robots_mean", row.robotsMean},
		{"starvation", row.starvation},
		{"loss_rate", row.lossRate},
		{"status", row.status.String()},
	}
	if x.limit != nil {
		record = append(record, ui.Field{Name: "gamma", Value: row.weight})
	}
	return record
}

// csv returns the row as a line of CSV, and the line above the first.
func (row sweepRow) csv(x axis) (header, line string) {
	var text bytes.Buffer
	if err := ui.WriteCSV(&text, slices.Values([]ui.Record{row.record(x)})); err != nil {
		panic(fmt.Sprintf("robots sweep: %v", err)) // a buffer takes everything
	}
	header, line, _ = strings.Cut(text.String(), "\n")
	return header + "\n", line
}

// parseSweepRow is the inverse of csv.
func parseSweepRow(x axis, line string) (row sweepRow, ok bool) {
	cells := strings.Split(strings.TrimSuffix(line, "\n"), ",")
	if last := len(cells) - 1; x.limit != nil {
		var err error
		if row.weight = math.Inf(1); cells[last] != "" { // losses may be ignored
			row.weight, err = strconv.ParseFloat(cells[last], 64)
		}
		if cells = cells[:last]; err != nil {
			return row, false
		}
	}
	numbers := []*float64{
		&row.value, &row.gain, &row.lower, &row.upper, &row.fixedRobots, &row.fixedCost,
		&row.saving, &row.robotsMean, &row.starvation, &row.lossRate,
	}
	if len(cells) != len(numbers)+1 {
		return row, false
	}
	for i, number := range numbers {
		var err error
		if *number = math.NaN(); cells[i] != "" {
			*number, err = strconv.ParseFloat(cells[i], 64)
		}
		if err != nil {
			return row, false
		}
	}
	for row.status = mdp.Unsolved; row.status <= mdp.Interrupted; row.status++ {
		if row.status.String() == cells[len(numbers)] {
			return row, true
		}
	}
	return row, false
}
