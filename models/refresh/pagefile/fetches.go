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
// it: a failed visit is a fetch, a change signal is none. Of several rows of a page the
// latest counts, so that the file may be the log of a crawler, or a schedule that has been
// carried out. Signals and empty slots count as Others. Pages are numbered as in ids. A
// file with both numbers and points in time is an error.
func ReadFetches(ctx context.Context, source Source, options Options, ids *IDs) (*Fetches, *Report, error) {
	r := &reading{options: options, layout: layout{idField, {names: []string{"time", "last_fetch", "next_fetch"}}, {names: []string{"status"}, optional: true}}}
	f := &fetches{index: NewIndex(ids), withHosts: options.Hosts, Fetches: Fetches{Times: make([]float64, ids.Len()), Latest: math.NaN()}}
	f.hosts = NewIndex(&f.Hosts)
	for page := range f.Times {
		f.Times[page] = math.NaN()
	}
	r.collect = func() collector { return &fetchRows{fetches: f} }
	if err := r.read(ctx, source); err != nil {
		return nil, &r.report, err
	}
	r.report.Rows = f.rows
	return &f.Fetches, &r.report, nil
}

// fetches are what has been read of a file.
type fetches struct {
	Fetches
	index     *Index
	hosts     *Index
	withHosts bool
	rows      int64
}

// fetchRows are the rows of one block of the file.
type fetchRows struct {
	fetches *fetches
	rows    []fetchRow
}

type fetchRow struct {
	line, page int // page −1: no fetch of one of the list
	time       float64
	calendar   bool
	host       string // of another page
}

// take implements collector.
func (b *fetchRows) take(r *record) *FileError {
	page, host := -1, []byte(nil)
	if !r.cells[0].empty() {
		id, fault := r.name(0, idField.expected)
		if fault != nil {
			return fault
		}
		if page, _ = b.fetches.index.Find(id); page < 0 && b.fetches.withHosts {
			host, _ = urlhost.Of(id)
		}
	}
	time, calendar, ok := r.cells[1].time()
	if !ok {
		return r.fault(1, "a number, or a time such as 2026-01-31T15:00:00Z")
	}
	switch status, ok := r.cells[2].status(); {
	case !ok:
		return r.fault(2, statusExpected)
	case status == changeSignal:
		page, host = -1, nil
	}
	b.rows = append(b.rows, fetchRow{r.line, page, time, calendar, string(host)})
	return nil
}

// merge implements collector.
func (b *fetchRows) merge() error {
	f := b.fetches
	for _, row := range b.rows {
		if f.rows == 0 {
			f.Calendar, f.Latest = row.calendar, row.time
		}
		if row.calendar != f.Calendar {
			what := map[bool]string{true: "a point in time", false: "a number"}
			return faultAt(row.line, 1, what[row.calendar], what[f.Calendar]+", as in the rows before")
		}
		f.rows++
		f.Latest = max(f.Latest, row.time)
		switch {
		case row.page < 0:
			f.Others++
			f.fetchHost(row.host, row.time)
		case !(f.Times[row.page] >= row.time):
			f.Times[row.page] = row.time
		}
	}
	return nil
}

// fetchHost takes up a fetch of a page of a host that is not in the list, "" for none.
func (f *fetches) fetchHost(name string, time float64) {
	if name == "" {
		return
	}
	host := f.hosts.findOrAppend([]byte(name))
	if host == len(f.HostTimes) {
		f.HostTimes = append(f.HostTimes, time)
	}
	f.HostTimes[host] = max(f.HostTimes[host], time)
}
