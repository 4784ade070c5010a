package pagefile

// This file hands rows on one by one, as soon as they have been read: those of a crawler at
// work, through a pipe.

import (
	"bytes"
	"context"
	"net/url"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// A Visit is a row of the log of a crawler.
type Visit struct {
	Line int // of the file, from 1; in Parquet files its row
	ID   string
	Time time.Time // the zero time where the row has none
	// Outcome is the outcome of the row, Found by default.
	Outcome estimate.Outcome
	// Digest of what was found, if that tells whether the page has changed; or nil.
	Digest []byte
	// Target is the URL in the column redirect, resolved against that of the page. It is "" unless the
	// page has moved for good: with status 301, 308, 2xx, ok or none.
	Target string
}

// A Page is a row of a list of pages.
type Page struct {
	Line   int // as in [Visit]
	ID     string
	Host   string  // as in [Hosts], "" where the row has none
	Weight float64 // 0 where the row has none

	Intervals limits.Intervals // as in [ReadRules]; 0 where the row has none
}

// EachVisit calls take with the rows of the log of a crawler, in their order, each as soon as it has
// been read. The columns are those of [ReadHistories], with three differences: the time may be
// missing, and is a point in time; a row needs one of the columns time, changed, digest, status and
// redirect; and a row with a rate cannot be used, as it is one of a list of pages. The first row
// that cannot be used ends the reading, as with [Options].Strict, and so does an error of take.
// Hosts of the options are ignored.
func EachVisit(ctx context.Context, source Source, options Options, take func(Visit) error) error {
	l := append(logLayout(), field{names: []string{"change_rate", "rate"}, optional: true}, field{names: []string{"redirect"}, optional: true})
	l[logTime].optional = true
	return each(ctx, source, options, l, (*record).visit, take)
}

// EachPage calls take with the rows of a list of pages, as [EachVisit] does: names, and
// perhaps hosts, weights and intervals.
func EachPage(ctx context.Context, source Source, options Options, take func(Page) error) error {
	return each(ctx, source, options, layout{
		idField, weightField, hostFields[0], leastIntervalField, greatestIntervalField, unitField,
	}, (*record).page, take)
}

// EachID calls take with the rows of a list of pages, as [EachVisit] does, for their names
// alone, and ignores other columns.
func EachID(ctx context.Context, source Source, options Options, take func(Page) error) error {
	return each(ctx, source, options, layout{idField}, (*record).page, take)
}

// each hands on what read makes of the rows of a file.
func each[T any](ctx context.Context, source Source, options Options, l layout, read func(*record) (T, *FileError), take func(T) error) error {
	options.Strict = true
	_, err := eachRow(ctx, source, options, l, func(r *record) (*FileError, error) {
		row, fault := read(r)
		if fault != nil {
			return fault, nil
		}
		return nil, take(row)
	})
	return err
}

// eachRow reads a list row by row: take says what is wrong with one, or ends reading by an error.
func eachRow(ctx context.Context, source Source, options Options, l layout, take func(*record) (*FileError, error)) (*Report, error) {
	var failed error
	rows := list[struct{}]{layout: l, parse: func(r *record, _ *struct{}) (fault *FileError) {
		if failed == nil {
			fault, failed = take(r)
		}
		return fault
	}, take: func(*struct{}) (*FileError, error) { return nil, failed }}
	options.Workers = 1 // in the order of the file
	return rows.read(ctx, source, options)
}

// visit reads a row of a log.
func (r *record) visit() (v Visit, fault *FileError) {
	v.Line, v.ID = r.line, string(r.id)
	if c := &r.cells; c[logRate].column > 0 || c[logTime].column+c[logChanged].column+c[logDigest].column+c[logStatus].column+c[logTarget].column == 0 {
		return v, faultAt(r.line, 1, "a row of a list of pages", "one of a log, with time, changed, digest or status, and no rate")
	}
	if c := &r.cells[logTime]; !c.empty() {
		var err error
		if v.Time, err = unit.ParseTime(string(c.text)); err != nil || v.Time.IsZero() { // year 1: programs write it for no time
			return v, r.fault(logTime, "a point in time such as 2026-01-31T12:00:00Z")
		}
	}
	seen, fault := r.seen()
	v.Outcome, v.Digest = seen.outcome, bytes.Clone(seen.digest)
	if fault == nil && r.hasMoved() {
		v.Target, fault = r.target()
	}
	return v, fault
}

// hasMoved reports whether the status lets a page have moved for good.
func (r *record) hasMoved() bool {
	status := &r.cells[logStatus]
	code, isCode := status.value()
	return status.empty() || status.says("ok") || isCode && (code == 301 || code == 308 || code >= 200 && code < 300)
}

// target returns the URL that a page has moved to, "" for none. Servers may name it as seen from the page.
func (r *record) target() (string, *FileError) {
	c := &r.cells[logTarget]
	if c.empty() {
		return "", nil
	}
	text := string(c.text)
	target, err := url.Parse(text)
	if err == nil && !target.IsAbs() {
		var page *url.URL
		if page, err = url.Parse(string(r.id)); err == nil {
			target = page.ResolveReference(target)
			text = target.String()
		}
	}
	if err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Hostname() == "" {
		return "", r.fault(logTarget, "the URL that the page has moved to, such as https://a.example/, or, where the page has a URL, a path")
	}
	return text, nil
}

// page reads a row of a list of pages.
func (r *record) page() (p Page, fault *FileError) {
	p = Page{Line: r.line, ID: string(r.id)}
	if c := &r.cells[1]; !c.empty() && !c.isNull() {
		var ok bool
		if p.Weight, ok = c.value(); !ok || !(p.Weight >= refresh.LeastNumber && p.Weight <= refresh.GreatestNumber) {
			return p, r.fault(1, "a number from 1e-100 to 1e100, or nothing")
		}
	}
	if !r.cells[2].empty() {
		var host []byte
		host, fault = r.hostName(2)
		p.Host = string(host)
	}
	if fault == nil {
		p.Intervals, fault = r.intervals(3, 4, 5, unit.Unknown)
	}
	return p, fault
}
