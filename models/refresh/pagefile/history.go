package pagefile

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// An Access is one row of a history.
type Access struct {
	// ID is the name of the page; it is valid until the function that it is handed
	// to returns.
	ID []byte
	// Time of the access: seconds since 1970 where the file has a point in time
	// (2026-01-31T12:00:00Z, or a timestamp of Parquet), otherwise the number in the
	// file, in whatever unit.
	Time float64
	// Changed says whether the page had changed since the access before. It counts
	// where Digest is nil.
	Changed bool
	// Digest of what was found, if the file has that in place of Changed; valid as
	// long as ID.
	Digest []byte
}

var historyLayout = layout{
	idField,
	{names: []string{"time"}},
	{names: []string{"changed"}, optional: true},
	{names: []string{"digest"}, optional: true},
}

// ReadHistory reads the log of a crawler and hands each access that can be used
// to a function, in the order of the file; its error ends the reading. A row
// needs a page, a time, and changed (true, false, 1 or 0) or else a digest.
func ReadHistory(ctx context.Context, source Source, options Options, take func(Access) error) (*Report, error) {
	return readHistory(ctx, source, options, func(a Access, _ int) (*FileError, error) { return nil, take(a) })
}

// Histories are what a log shows of each of its pages.
type Histories struct {
	IDs  IDs // in the order in which they come up
	Logs []refresh.AccessLog
}

// ReadHistories reads the log of a crawler and gathers it page by page. The
// accesses of a page have to be in the order of their times; those that are not
// are left out, counted and reported as are other rows that cannot be used.
func ReadHistories(ctx context.Context, source Source, options Options) (*Histories, *Report, error) {
	h := &Histories{}
	index := NewIndex(&h.IDs)
	report, err := readHistory(ctx, source, options, func(a Access, line int) (*FileError, error) {
		page := index.findOrAppend(a.ID)
		if page == len(h.Logs) {
			if page == maxRows {
				return nil, errTooManyRows
			}
			h.Logs = append(h.Logs, refresh.AccessLog{})
		}
		var err error
		if a.Digest != nil {
			err = h.Logs[page].ObserveDigest(a.Time, a.Digest)
		} else {
			err = h.Logs[page].Observe(a.Time, a.Changed)
		}
		if err != nil {
			return faultAt(line, 1, "time "+strconv.FormatFloat(a.Time, 'g', -1, 64)+" of page "+wording.Quote(string(a.ID)),
				"a time at least 1e-100 and at most 1e+100 later than that of the access before"), nil
		}
		return nil, nil
	})
	if err != nil {
		return nil, report, err
	}
	return h, report, nil
}

// accesses are the accesses of one block of the file.
type accesses struct {
	reading *reading
	use     func(Access, int) (*FileError, error)
	text    []byte // ids and digests
	items   []accessItem
}

type accessItem struct {
	access     Access // without ID and Digest
	line       int
	id, digest int // ends in text
	hasDigest  bool
}

// take implements collector.
func (b *accesses) take(r *record) *FileError {
	id, fault := r.name(0, idField.expected)
	if fault != nil {
		return fault
	}
	item := accessItem{line: r.line}
	var ok bool
	if item.access.Time, ok = r.cells[1].time(); !ok {
		return r.fault(1, "a finite number, or a point in time such as 2026-01-31T12:00:00Z")
	}
	changed, digest := &r.cells[2], &r.cells[3]
	switch {
	case !changed.empty():
		if item.access.Changed, ok = changed.truth(); !ok {
			return r.fault(2, "true, false, 1 or 0")
		}
	case !digest.empty() && (digest.kind == text || digest.kind == digits):
		item.hasDigest = true
	default:
		return r.fault(3, "a digest, or changed: true, false, 1 or 0")
	}
	b.text = append(b.text, id...)
	item.id = len(b.text)
	if item.hasDigest {
		b.text = append(b.text, digest.text...)
	}
	item.digest = len(b.text)
	b.items = append(b.items, item)
	return nil
}

// merge implements collector.
func (b *accesses) merge() error {
	start := 0
	for _, item := range b.items {
		a := item.access
		a.ID = b.text[start:item.id:item.id]
		if item.hasDigest {
			a.Digest = b.text[item.id:item.digest:item.digest]
		}
		start = item.digest
		fault, err := b.use(a, item.line)
		switch {
		case err != nil:
			return err
		case fault == nil:
			b.reading.report.Rows++
		default:
			if err := b.reading.reject(fault); err != nil {
				return err
			}
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

// readHistory hands over accesses with their lines. use may find fault with them.
func readHistory(ctx context.Context, source Source, options Options, use func(Access, int) (*FileError, error)) (*Report, error) {
	r := &reading{options: options, layout: historyLayout}
	r.collect = func() collector { return &accesses{reading: r, use: use} }
	err := r.read(ctx, source)
	return &r.report, err
}
