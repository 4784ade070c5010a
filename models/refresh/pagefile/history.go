package pagefile

// This file reads the logs of crawlers.

import (
	"cmp"
	"context"
	"math"
	"strings"

	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// Histories are what a log shows of each of its pages. Times are all points in time
// (2026-01-31T12:00:00Z, or timestamps of Parquet), or all numbers, as that of the first
// row is.
type Histories struct {
	IDs  IDs // in the order of their first accesses
	Logs []estimate.AccessLog

	// Unit is what gaps are in, and rates that are estimated from them per: that of
	// [Options]; without it the day for points in time, and Unknown for numbers.
	Unit unit.Unit

	Failed int64 // rows that are failed visits
}

// The fields of a log.
const (
	logID = iota
	logTime
	logChanged
	logDigest
	logStatus
	logRate // only [EachVisit] reads this field and the next
	logTarget
)

func logLayout() layout {
	return layout{
		logID:      idField,
		logTime:    {names: []string{"time"}},
		logChanged: {names: []string{"changed"}, optional: true},
		logDigest:  {names: []string{"digest"}, optional: true},
		logStatus:  {names: []string{"status"}, optional: true},
	}
}

const statusExpected = "ok, failed, denied, gone, an HTTP status such as 404, or nothing"

// A sight is what a row of a log says of its page.
type sight struct {
	outcome estimate.Outcome // Found where the row does not say
	stated  bool             // it has a status
	digest  []byte           // where that is to tell whether the page has changed, or nil
}

// status returns what a cell says a row is.
func (c *cell) status() (s sight, ok bool) {
	s.outcome = estimate.Found
	if c.empty() {
		return s, true
	}
	s.stated = true
	if code, is := c.value(); is {
		s.outcome, ok = estimate.OutcomeOf(int(code))
		return s, ok && code == math.Trunc(code)
	}
	switch strings.ToLower(string(c.text)) {
	case "ok":
	case "failed":
		s.outcome = estimate.Failed
	case "gone":
		s.outcome = estimate.Gone
	case "denied":
		s.outcome = estimate.Denied
	default:
		return s, false
	}
	return s, true
}

// seen reads the columns of a row that say what a visit has seen.
func (r *record) seen() (s sight, fault *FileError) {
	s, ok := r.cells[logStatus].status()
	if !ok {
		return s, r.fault(logStatus, statusExpected)
	}
	changed, digest := &r.cells[logChanged], &r.cells[logDigest]
	switch {
	case s.outcome.IsFailure() || s.outcome == estimate.Gone:
	case !changed.empty():
		isChanged, ok := changed.truth()
		if !ok {
			return s, r.fault(logChanged, "true, false, 1 or 0")
		}
		if s.outcome = estimate.Unchanged; isChanged {
			s.outcome = estimate.Changed
		}
	case s.outcome == estimate.Found && !digest.empty():
		s.digest = digest.text
	}
	return s, nil
}

// ReadHistories reads the log of a crawler and gathers it page by page. A row needs a
// page, a time, and changed (true, false, 1 or 0: has the page changed since the
// access before?) or else a digest of the page. A column status may say that a row is no
// visit that found the page: failed, gone or an HTTP status, as [estimate.OutcomeOf] has it; ok
// is one that did.
// The first row of a page may do without both, and where the status says ok any row may: it is
// not known then whether the page has changed, and the next access looks back to this one.
// Rows of a page have to be in the order of their times. Rows that cannot be used are left out:
// see [Options] and [Report]. Numbers like Unix seconds are an error with a longer Options.Unit.
func ReadHistories(ctx context.Context, source Source, options Options) (*Histories, *Report, error) {
	h := &Histories{}
	index := NewIndex(&h.IDs)
	begun, calendar, timesPerUnit := false, false, 1.0
	report, err := eachRow(ctx, source, options, logLayout(), func(r *record) (*FileError, error) {
		at, isCalendar, ok := r.cells[logTime].time()
		if !ok {
			return r.fault(logTime, "a finite number, or a point in time such as 2026-01-31T12:00:00Z"), nil
		}
		seen, fault := r.seen()
		if fault != nil {
			return fault, nil
		}
		switch {
		case begun && isCalendar != calendar:
			return r.fault(logTime, timesAlike), nil
		case !isCalendar && options.Unit.SuspectsUnixSeconds(at):
			return nil, r.fault(logTime, "a number of "+options.Unit.String()+"s: for Unix seconds use --unit second")
		case !begun:
			begun, calendar, h.Unit = true, isCalendar, options.Unit
			if calendar {
				h.Unit = cmp.Or(options.Unit, unit.Day)
				timesPerUnit = h.Unit.Seconds()
			}
		}
		page, known := index.findOrAppend(r.id, index.hash(r.id))
		switch {
		case known && !seen.stated && seen.outcome == estimate.Found && seen.digest == nil:
			return r.fault(logDigest, "a digest, or changed: true, false, 1 or 0"), nil
		case page == maxRows:
			return nil, errTooManyRows
		case !known:
			h.Logs = append(h.Logs, estimate.AccessLog{Unit: timesPerUnit})
		}
		if seen.outcome.IsFailure() {
			h.Failed++
		}
		if h.Logs[page].Take(at, seen.outcome, seen.digest) == nil {
			return nil, nil
		}
		return r.fault(logTime, "times of a page that increase, by at most 1e100: sort the rows by time"), nil
	})
	if err != nil {
		return nil, report, err
	}
	return h, report, nil
}

const timesAlike = "points in time alone, or numbers alone, as in the rows before"

// truth returns what a cell says of a change.
func (c *cell) truth() (value, ok bool) {
	switch string(c.text) {
	case "1", "true", "True", "TRUE":
		return true, true
	case "0", "false", "False", "FALSE":
		return false, true
	}
	return false, false
}
