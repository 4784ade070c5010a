package pagefile

// This file reads the logs of crawlers.

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

// Histories are what a log shows of each of its pages. Times are in seconds since
// 1970 if the file has points in time (2026-01-31T12:00:00Z, or timestamps of
// Parquet), else they are the numbers in the file, in whatever unit.
type Histories struct {
	IDs  IDs // in the order of their first accesses
	Logs []estimate.AccessLog
}

// The fields of a log.
const (
	logID = iota
	logTime
	logChanged
	logDigest
)

// ReadHistories reads the log of a crawler and gathers it page by page. A row needs a
// page, a time, and changed (true, false, 1 or 0: has the page changed since the
// access before?) or else a digest of the page. The accesses of a page have to be in
// the order of their times. Rows that cannot be used are left out: see [Options] and
// [Report].
func ReadHistories(ctx context.Context, source Source, options Options) (*Histories, *Report, error) {
	h := &Histories{}
	r := &reading{options: options, layout: layout{
		logID:      idField,
		logTime:    {names: []string{"time"}},
		logChanged: {names: []string{"changed"}, optional: true},
		logDigest:  {names: []string{"digest"}, optional: true},
	}}
	index := NewIndex(&h.IDs)
	r.collect = func() collector { return &accesses{reading: r, histories: h, index: index} }
	if err := r.read(ctx, source); err != nil {
		return nil, &r.report, err
	}
	return h, &r.report, nil
}

// accesses are the rows of one block of a log.
type accesses struct {
	reading   *reading
	histories *Histories
	index     *Index // of the ids of histories
	text      []byte // ids and digests
	items     []access
}

type access struct {
	line       int
	time       float64
	id, digest int // ends in text
	hasDigest  bool
	changed    bool // if it has no digest
}

// take implements collector.
func (b *accesses) take(r *record) *FileError {
	id, fault := r.name(logID, idField.expected)
	if fault != nil {
		return fault
	}
	a := access{line: r.line}
	var ok bool
	if a.time, ok = r.cells[logTime].time(); !ok {
		return r.fault(logTime, "a finite number, or a point in time such as 2026-01-31T12:00:00Z")
	}
	changed, digest := &r.cells[logChanged], &r.cells[logDigest]
	switch {
	case !changed.empty():
		if a.changed, ok = changed.truth(); !ok {
			return r.fault(logChanged, "true, false, 1 or 0")
		}
	case !digest.empty() && (digest.kind == text || digest.kind == digits):
		a.hasDigest = true
	default:
		return r.fault(logDigest, "a digest, or changed: true, false, 1 or 0")
	}
	b.text = append(b.text, id...)
	a.id = len(b.text)
	if a.hasDigest {
		b.text = append(b.text, digest.text...)
	}
	a.digest = len(b.text)
	b.items = append(b.items, a)
	return nil
}

// merge implements collector.
func (b *accesses) merge() error {
	h, start := b.histories, 0
	for _, a := range b.items {
		id, digest := b.text[start:a.id], b.text[a.id:a.digest]
		start = a.digest
		page := b.index.findOrAppend(id)
		if page == len(h.Logs) {
			if page == maxRows {
				return errTooManyRows
			}
			h.Logs = append(h.Logs, estimate.AccessLog{})
		}
		var err error
		if a.hasDigest {
			err = h.Logs[page].ObserveDigest(a.time, digest)
		} else {
			err = h.Logs[page].Observe(a.time, a.changed)
		}
		if err == nil {
			b.reading.report.Rows++
			continue
		}
		fault := faultAt(a.line, 1, fmt.Sprintf("time %v of page %s", a.time, wording.Quote(string(id))),
			"a time at least 1e-100 and at most 1e+100 later than that of the access before")
		if err := b.reading.reject(fault); err != nil {
			return err
		}
	}
	return nil
}

// truth returns what a cell says of a change.
func (c *cell) truth() (value, ok bool) {
	if c.kind == number {
		return c.number == 1, c.number == 0 || c.number == 1
	}
	switch string(c.text) {
	case "1", "true", "True", "TRUE":
		return true, true
	case "0", "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

// time returns a number, or a point in time in seconds since 1970.
func (c *cell) time() (seconds float64, ok bool) {
	if seconds, ok = c.value(); ok {
		return seconds, math.Abs(seconds) <= math.MaxFloat64
	}
	if c.kind != text {
		return 0, false
	}
	at, err := time.Parse(time.RFC3339Nano, string(c.text))
	if err != nil {
		return 0, false
	}
	return float64(at.Unix()) + float64(at.Nanosecond())/1e9, true
}
