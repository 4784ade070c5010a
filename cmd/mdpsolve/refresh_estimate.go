package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

func refreshEstimateCommand() *cli.Command {
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

Written are id, change_rate, standard_error, lower and upper (what the rate is
known to be but for gaps that were merged to save memory), accesses (the first,
with nothing to compare with, is not counted), changes and smoothing, in the order
in which pages first appear: to standard output, or to --out; mdpsolve refresh
rates reads it. With --out a summary is printed.

Examples:
  mdpsolve refresh estimate --input history.csv
  mdpsolve refresh estimate --input history.csv --out estimated.csv -o json`,
		Flags: []cli.Flag{
			inputFlag("accesses"),
			valueFlag("out", "write the estimates to `FILE`", ""),
			strictFlag(), workersFlag(), outputFlag(),
		},
		Action: runRefreshEstimate,
	}
}

func runRefreshEstimate(c *cli.Context) error {
	a := &arguments{context: c}
	format := a.format()
	source := a.source("input")
	out := a.plainOut("out", "estimates")
	if a.err != nil {
		return a.err
	}
	histories, report, err := pagefile.ReadHistories(c.Context, source, a.readOptions())
	if err == nil && histories.IDs.Len() == 0 {
		a.noneUsable("input", "access", report)
	}
	if a.inputRead("input", report, err); a.err != nil {
		return a.err
	}
	e, err := newEstimates(c.Context, histories, report)
	if err != nil {
		return err
	}
	if e.known == 0 {
		return usageErrorf("--input: %s has no page with two accesses; one or more are needed", c.String("input"))
	}
	for _, id := range e.unknown {
		fmt.Fprintf(c.App.ErrWriter, "mdpsolve: warning: page %q has a single access: its change rate is not known\n", id)
	}
	if more := len(e.pages) - e.known - len(e.unknown); more > 0 {
		fmt.Fprintf(c.App.ErrWriter, "mdpsolve: warning: so have %d more pages\n", more)
	}
	if out == "" {
		return e.print(c, format)
	}
	if err := e.table().save(out); err != nil {
		return err
	}
	answer := e.summary()
	return document{json: answer, rows: []record{answer}, text: func(s *screen) { printEstimates(s, e, out) }}.write(c, format)
}

// estimates are those of the pages of a history.
type estimates struct {
	pages    []pageEstimate
	accesses int64
	unusable int64
	known    int
	smoothed int
	unknown  []string // the first pages without an estimate
}

// pageEstimate is that of one page; without accesses it is unknown.
type pageEstimate struct {
	id string
	refresh.Estimate
}

func newEstimates(ctx context.Context, histories *pagefile.Histories, report *pagefile.Report) (*estimates, error) {
	e := &estimates{pages: make([]pageEstimate, histories.IDs.Len()), accesses: report.Rows, unusable: report.Unusable}
	for i := range e.pages {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, &earlyEndError{exitInterrupted, fmt.Sprintf("interrupted after %d of %d pages: nothing has been written", i, len(e.pages))}
		}
		page := &e.pages[i]
		page.id = histories.IDs.At(i)
		var err error
		page.Estimate, err = histories.Logs[i].History().Estimate()
		switch {
		case errors.Is(err, refresh.ErrNoHistory):
			if len(e.unknown) < pagefile.KeptFaults {
				e.unknown = append(e.unknown, page.id)
			}
			continue
		case err != nil:
			return nil, fmt.Errorf("page %q: %w", page.id, err)
		}
		if e.known++; page.Smoothing != refresh.NotSmoothed {
			e.smoothed++
		}
	}
	return e, nil
}

// records are those of the pages with an estimate, in their order.
func (e *estimates) records() iter.Seq[record] {
	return func(yield func(record) bool) {
		for _, page := range e.pages {
			if page.Accesses > 0 && !yield(page.record()) {
				return
			}
		}
	}
}

func (e *estimates) table() recordTable {
	return recordTable{new(pageEstimate).record().names(), e.records()}
}

func (p *pageEstimate) record() record {
	return record{
		{"id", p.id},
		{"change_rate", p.Rate},
		{"standard_error", p.StandardError},
		{"lower", p.Lower},
		{"upper", p.Upper},
		{"accesses", int(p.Accesses)},
		{"changes", int(p.Changes)},
		{"smoothing", p.Smoothing.String()},
	}
}

// print prints the estimates on standard output; CSV stands for text, as it does
// for rates.
func (e *estimates) print(c *cli.Context, format string) error {
	if format == formatText || format == formatCSV {
		return e.table().write(c.App.Writer, pagefile.CSV)
	}
	rows := slices.Collect(e.records())
	return document{json: rows, rows: rows}.write(c, format)
}

func (e *estimates) summary() record {
	return record{
		{"pages", len(e.pages)},
		{"estimated", e.known},
		{"smoothed", e.smoothed},
		{"accesses", int(e.accesses)},
		{"unusable", int(e.unusable)},
	}
}

func printEstimates(s *screen, e *estimates, out string) {
	s.heading("Change rates of pages")
	s.item("pages", "%d, in %s", len(e.pages), count(int(e.accesses), "row"))
	s.item("estimated", "%d, written to %s; %d of them smoothed: all accesses saw a change, or none", e.known, out, e.smoothed)
	if e.unusable > 0 {
		s.item("left out", "%s that could not be used", s.styled(red, count(int(e.unusable), "row")))
	}
}
