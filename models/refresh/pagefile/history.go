package pagefile

// This file reads the logs of crawlers.

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/wording"
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

	Failed, Signals int64 // rows that are failed visits, and change signals

	begun, calendar bool
	timesPerUnit    float64
}

// begin takes from the first row what times are.
func (h *Histories) begin(calendar bool, asked unit.Unit) {
	if h.begun {
		return
	}
	h.begun, h.calendar, h.Unit, h.timesPerUnit = true, calendar, asked, 1
	if calendar {
		h.Unit = cmp.Or(asked, unit.Day)
		h.timesPerUnit = h.Unit.Seconds()
	}
}

// The fields of a log.
const (
	logID = iota
	logTime
	logChanged
	logDigest
	logStatus
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

// What a row of a log is.
type rowStatus uint8

const (
	visit      rowStatus = iota
	foundVisit           // its status says that the page was there
	unchangedVisit
	failedVisit
	goneVisit
	changeSignal
)

const (
	statusExpected = "ok, failed, gone, signal, an HTTP status such as 404, or nothing"
	visitExpected  = "ok, failed, gone, an HTTP status such as 404, or nothing"
)

// answers are the statuses of rows that are visits, by what they got.
var answers = [...]rowStatus{
	estimate.NoPage: failedVisit, estimate.PageFound: foundVisit, estimate.PageUnchanged: unchangedVisit, estimate.PageGone: goneVisit,
}

// answer returns what a visit got.
func (s rowStatus) answer() estimate.Answer {
	if answer := slices.Index(answers[:], s); answer >= 0 {
		return estimate.Answer(answer)
	}
	return estimate.PageFound
}

// status returns what a cell says a row is.
func (c *cell) status() (status rowStatus, ok bool) {
	if c.empty() {
		return visit, true
	}
	if code, is := c.value(); is {
		answer, ok := estimate.AnswerOf(int(code))
		return answers[answer], ok && code == math.Trunc(code)
	}
	status, ok = map[string]rowStatus{"ok": foundVisit, "failed": failedVisit, "gone": goneVisit, "signal": changeSignal}[string(bytes.ToLower(c.text))]
	return status, ok
}

// sight is what a row of a log says of the page.
type sight struct {
	status    rowStatus
	known     bool // whether the page has changed
	changed   bool
	hasDigest bool // which tells that
}

// seen reads the columns of a row that say what a visit has seen.
func (r *record) seen(signals bool) (s sight, fault *FileError) {
	var ok bool
	switch s.status, ok = r.cells[logStatus].status(); {
	case !signals && (!ok || s.status == changeSignal):
		return s, r.fault(logStatus, visitExpected)
	case !ok:
		return s, r.fault(logStatus, statusExpected)
	}
	changed, digest := &r.cells[logChanged], &r.cells[logDigest]
	switch {
	case s.status == failedVisit || s.status == goneVisit || s.status == changeSignal:
	case !changed.empty():
		s.known = true
		if s.changed, ok = changed.truth(); !ok {
			return s, r.fault(logChanged, "true, false, 1 or 0")
		}
	case s.status == unchangedVisit:
		s.known = true
	case !digest.empty() && (digest.kind == text || digest.kind == digits):
		s.hasDigest = true
	}
	return s, nil
}

// ReadHistories reads the log of a crawler and gathers it page by page. A row needs a
// page, a time, and changed (true, false, 1 or 0: has the page changed since the
// access before?) or else a digest of the page. A column status may say that a row is no
// visit that found the page: failed, gone, signal (a change signal, such as a newer date in a
// sitemap or a ping) or an HTTP status, as [estimate.AnswerOf] has it; ok is one that did.
// Where the status says ok, a row may do without both: it is not known then whether the page
// has changed, and the next access looks back to this one. Rows of a page have to be in the
// order of their times. Rows that cannot be used are left out: see [Options] and
// [Report].
func ReadHistories(ctx context.Context, source Source, options Options) (*Histories, *Report, error) {
	h := &Histories{}
	r := &reading{options: options, layout: logLayout()}
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
	calendar   bool // it is a point in time
	id, digest int  // ends in text
	sight
}

// take implements collector.
func (b *accesses) take(r *record) *FileError {
	id, fault := r.name(logID, idField.expected)
	if fault != nil {
		return fault
	}
	a := access{line: r.line}
	var ok bool
	if a.time, a.calendar, ok = r.cells[logTime].time(); !ok {
		return r.fault(logTime, "a finite number, or a point in time such as 2026-01-31T12:00:00Z")
	}
	if a.sight, fault = r.seen(true); fault != nil {
		return fault
	}
	if a.status == visit && !a.known && !a.hasDigest {
		return r.fault(logDigest, "a digest, or changed: true, false, 1 or 0")
	}
	b.text = append(b.text, id...)
	a.id = len(b.text)
	if a.hasDigest {
		b.text = append(b.text, r.cells[logDigest].text...)
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
		if h.begin(a.calendar, b.reading.options.Unit); a.calendar != h.calendar {
			kind := map[bool]string{true: "a point in time", false: "a number"}
			fault := faultAt(a.line, 1, kind[a.calendar]+" as time", kind[h.calendar]+", as in the rows before")
			if err := b.reading.reject(fault); err != nil {
				return err
			}
			continue
		}
		page := b.index.findOrAppend(id)
		if page == len(h.Logs) {
			if page == maxRows {
				return errTooManyRows
			}
			h.Logs = append(h.Logs, estimate.AccessLog{Unit: h.timesPerUnit})
		}
		err := h.take(page, &a, digest)
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

// take adds a row to the log of a page.
func (h *Histories) take(page int, a *access, digest []byte) error {
	log := &h.Logs[page]
	switch {
	case a.status == failedVisit:
		h.Failed++
		return log.Fail(a.time)
	case a.status == goneVisit:
		return log.Leave(a.time)
	case a.status == changeSignal:
		h.Signals++
		return log.Signal(a.time)
	case a.hasDigest:
		return log.ObserveDigest(a.time, digest)
	case a.known:
		return log.Observe(a.time, a.changed)
	}
	return log.Find(a.time)
}

// truth returns what a cell says of a change.
func (c *cell) truth() (value, ok bool) {
	if c.kind == float {
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
