package pagefile

// This file reads when pages were last fetched.

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/urlhost"
)

// Fetches says when the pages of a list were last fetched.
type Fetches struct {
	// Times are by page; NaN stands for never. They are seconds since 1970 where
	// Calendar is true, and else in the unit of the file.
	Times    []float64
	Calendar bool
	Latest   float64 // of all rows, those of other pages among them; NaN without rows
	Others   int64   // rows that are no fetch of a page of the list

	// Hosts are those of other pages, as their URLs have them, and HostTimes when a page of
	// each was last fetched: nil without [Options].Hosts.
	Hosts     IDs
	HostTimes []float64
}

// ReadFetches reads fetches with the columns id (or url) and time (or last_fetch, or
// next_fetch), a number or a point in time, and, optional, status, as [ReadHistories] has
// it: a failed visit is a fetch. Of several rows of a page the latest counts, so that the file
// may be the log of a crawler, or a schedule that has been carried out. Empty slots count as
// Others. Pages are numbered as in ids. A
// file with both numbers and points in time is an error.
func ReadFetches(ctx context.Context, source Source, options Options, ids *IDs) (*Fetches, *Report, error) {
	f := &Fetches{Times: make([]float64, ids.Len()), Latest: math.NaN()}
	for page := range f.Times {
		f.Times[page] = math.NaN()
	}
	index, hosts, begun := NewIndex(ids), NewIndex(&f.Hosts), false
	rows := list[fetch]{
		layout: layout{slotIDField, {names: []string{"time", "last_fetch", "next_fetch"}}, {names: []string{"status"}, optional: true}},
		parse:  func(r *record, row *fetch) *FileError { return r.fetch(row, index, options.Hosts) },
		take: func(row *fetch) (*FileError, error) {
			if !begun {
				begun, f.Calendar, f.Latest = true, row.calendar, row.time
			}
			if row.calendar != f.Calendar {
				return nil, mixedTimes(row.line, row.calendar)
			}
			f.take(row, hosts)
			return nil, nil
		},
	}
	report, err := rows.read(ctx, source, options)
	if err != nil {
		return nil, report, err
	}
	return f, report, nil
}

// A fetch is a row of the file.
type fetch struct {
	line, page int // page −1: no fetch of one of the list
	time       float64
	calendar   bool
	host       []byte // of another page
}

// fetch reads a row.
func (r *record) fetch(row *fetch, index *Index, hosts bool) *FileError {
	row.line, row.page = r.line, -1
	if r.id != nil {
		if row.page, _ = index.Find(r.id); row.page < 0 && hosts {
			row.host, _ = urlhost.Of(r.id)
		}
	}
	var ok bool
	if row.time, row.calendar, ok = r.cells[1].time(); !ok {
		return r.fault(1, "a number, or a time such as 2026-01-31T15:00:00Z")
	}
	if _, ok = r.cells[2].status(); !ok {
		return r.fault(2, statusExpected)
	}
	return nil
}

// take takes up a row.
func (f *Fetches) take(row *fetch, hosts *Index) {
	f.Latest = max(f.Latest, row.time)
	if row.page >= 0 {
		if !(f.Times[row.page] >= row.time) {
			f.Times[row.page] = row.time
		}
		return
	}
	f.Others++
	if len(row.host) == 0 {
		return
	}
	host, known := hosts.findOrAppend(row.host, hosts.hash(row.host))
	if !known {
		f.HostTimes = append(f.HostTimes, row.time)
	}
	f.HostTimes[host] = max(f.HostTimes[host], row.time)
}
