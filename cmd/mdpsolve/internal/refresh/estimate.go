package refresh

// The verb refresh estimate.

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

func estimateCommand() *cli.Command {
	return &cli.Command{
		Name:      "estimate",
		Usage:     "change rates of pages, from a history of accesses",
		UsageText: "mdpsolve refresh estimate --input HISTORY [--out FILE] [options]",
		Description: `HISTORY is CSV, JSON lines or Parquet, plain, .gz or .zst, with an access in each
row: id (or url), time (a number, or as in 2026-01-31T15:00:00Z), and changed
(true or false: since the access before) or digest (the page has changed if it is
another one). The accesses of a page are in the order of time; pages may be mixed.

The rate is that of maximum likelihood for the gaps as they are, per unit of time
of the history (the second, for points in time). Where all accesses saw a change,
or none, there is no such rate, and half an access of the other kind is added: see
the column smoothing.

Written are id, change_rate, standard_error, confidence_lower and confidence_upper
(the rates that go with what was seen, nothing being added; no upper end where all
accesses saw a change), accesses (the first, with nothing to compare with, is not
counted), changes, smoothing, merged_lower and merged_upper (between which the rate
is, where gaps were merged to save memory), in the order in which pages first
appear: to standard output, or to --out, in the format that its name says; mdpsolve
refresh rates reads it. With --out a summary is printed.

Examples:
  mdpsolve refresh estimate --input history.csv
  mdpsolve refresh estimate --input history.csv --out estimated.csv -o json`,
		Flags: []cli.Flag{
			inputFlag("accesses"),
			ui.ValueFlag("out", "write the estimates to `FILE`", ""),
			ui.ConfidenceFlag(),
			strictFlag(), ui.WorkersFlag(), ui.OutputFlag(),
		},
		Action: ui.Action(runEstimate),
	}
}

func runEstimate(a *ui.Arguments) error {
	c := a.CLI
	source := inputSource(a, "input", historyBytes)
	out := outName(a, "out")
	confidence := a.Confidence()
	ui.ProgressOf(c.Context).Phase("reading")
	histories, report, err := pagefile.ReadHistories(c.Context, source, readOptions(a))
	if err == nil && histories.IDs.Len() == 0 {
		noneUsable(a, "input", "access", report)
	}
	reportInput(a, "input", report, err)
	e, err := newEstimates(c.Context, histories, report, confidence)
	if err != nil {
		return err
	}
	if len(e.known) == 0 {
		return ui.UsageErrorf("--input: %s has no page with two accesses: give one or more", c.String("input"))
	}
	for _, id := range e.unknown {
		a.Warn("page %q has a single access: its change rate is not known", id)
	}
	if more := e.pages - len(e.known) - len(e.unknown); more > 0 {
		a.Warn("so have %d more pages", more)
	}
	if out == "" && a.Format != ui.FormatText && a.Format != ui.FormatCSV {
		return a.PrintRecords(e.records(), nil)
	}
	interrupted, err := writeWhole(c, func(ctx context.Context) error {
		return outFault("out", out, pagefile.WriteRows(ctx, outTarget(c, out), len(e.known), readOptions(a).Workers, e.row))
	})
	if err != nil {
		return err
	}
	if out != "" {
		answer := e.summary()
		if err := a.PrintRecord(answer, func(s *ui.Screen) { printEstimates(s, e, out) }); err != nil {
			return err
		}
	}
	return endOfWriting(interrupted, "the estimates")
}

// estimates are those of the pages of a history.
type estimates struct {
	pages      int
	ids        pagefile.IDs // of the pages with an estimate
	known      []estimate.Estimate
	intervals  [][2]float64
	confidence float64
	unknown    []string // the first pages without an estimate
	accesses   int64
	unusable   int64
	smoothed   int
}

func newEstimates(ctx context.Context, histories *pagefile.Histories, report *pagefile.Report, confidence float64) (*estimates, error) {
	e := &estimates{pages: histories.IDs.Len(), confidence: confidence, accesses: report.Rows, unusable: report.Unusable}
	progress := ui.ProgressOf(ctx)
	progress.Phase("estimating")
	for i := range e.pages {
		if i%1024 == 0 {
			progress.Count(int64(i), int64(e.pages), "pages")
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted after %d of %d pages: nothing has been written", i, e.pages))
		}
		history := histories.Logs[i].History()
		known, err := history.Estimate()
		switch {
		case errors.Is(err, estimate.ErrNoHistory):
			if len(e.unknown) < pagefile.KeptFaults {
				e.unknown = append(e.unknown, histories.IDs.At(i))
			}
			continue
		case err != nil:
			return nil, fmt.Errorf("page %q: %w", histories.IDs.At(i), err)
		}
		lower, upper, err := history.Interval(confidence)
		if err != nil {
			return nil, fmt.Errorf("page %q: %w", histories.IDs.At(i), err)
		}
		if known.Smoothing != estimate.NotSmoothed {
			e.smoothed++
		}
		e.ids.Append(histories.IDs.Bytes(i))
		e.known, e.intervals = append(e.known, known), append(e.intervals, [2]float64{lower, upper})
	}
	return e, nil
}

// estimateRow is a row of the list of estimates.
type estimateRow struct {
	ID              []byte   `parquet:"id,string"`
	ChangeRate      float64  `parquet:"change_rate"`
	StandardError   float64  `parquet:"standard_error"`
	ConfidenceLower float64  `parquet:"confidence_lower"`
	ConfidenceUpper *float64 `parquet:"confidence_upper,optional"`
	Accesses        int64    `parquet:"accesses"`
	Changes         int64    `parquet:"changes"`
	Smoothing       []byte   `parquet:"smoothing,string,dict"`
	MergedLower     float64  `parquet:"merged_lower"`
	MergedUpper     float64  `parquet:"merged_upper"`
}

func (e *estimates) row(i int) estimateRow {
	known, interval := &e.known[i], &e.intervals[i]
	return estimateRow{
		ID:              e.ids.Bytes(i),
		ChangeRate:      known.Rate,
		StandardError:   known.StandardError,
		ConfidenceLower: interval[0],
		ConfidenceUpper: finite(&interval[1]),
		Accesses:        known.Accesses,
		Changes:         known.Changes,
		Smoothing:       []byte(known.Smoothing.String()),
		MergedLower:     known.Lower,
		MergedUpper:     known.Upper,
	}
}

// records are the rows, for formats in which a list is printed and not written.
func (e *estimates) records() []ui.Record {
	records := make([]ui.Record, len(e.known))
	for i := range records {
		for column, value := range reflect.ValueOf(e.row(i)).Fields() {
			name, _, _ := strings.Cut(column.Tag.Get("parquet"), ",")
			records[i] = append(records[i], ui.Field{Name: name, Value: plain(value.Interface())})
		}
	}
	return records
}

// plain returns what a column holds as a value of a record.
func plain(cell any) any {
	switch cell := cell.(type) {
	case []byte:
		return string(cell)
	case int64:
		return int(cell)
	case *float64:
		if cell == nil {
			return nil
		}
		return *cell
	}
	return cell
}

func (e *estimates) summary() ui.Record {
	return ui.Record{
		{"pages", e.pages},
		{"estimated", len(e.known)},
		{"smoothed", e.smoothed},
		{"confidence", e.confidence},
		{"accesses", int(e.accesses)},
		{"unusable", int(e.unusable)},
	}
}

func printEstimates(s *ui.Screen, e *estimates, out string) {
	s.Heading("Change rates of pages")
	s.Item("pages", "%d, in %s", e.pages, ui.Count(int(e.accesses), "row"))
	s.Item("estimated", "%d, written to %s; %d of them smoothed: all accesses saw a change, or none", len(e.known), out, e.smoothed)
	s.Item("intervals", "hold with confidence %s", ui.PercentText(e.confidence))
	if e.unusable > 0 {
		s.Item("left out", "%s that could not be used", s.Styled(ui.Red, ui.Count(int(e.unusable), "row")))
	}
}
