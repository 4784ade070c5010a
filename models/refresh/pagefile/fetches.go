package pagefile

// This file reads when pages were last fetched.

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/urlhost"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

// Fetches says when the pages of a list were last fetched.
type Fetches struct {
	// Times are by page; NaN stands for never. They are seconds since 1970 where
	// Calendar is true, and else in the unit of the file.
	Times    []float64
	Calendar bool
	Latest   float64 // of all rows, those of other pages among them; NaN without rows

	// Digests has, by page, the digest of its latest access that has one: nil without [Options].Copies.
	Digests []estimate.Seen

	LatestLine int // the first row that has it: its line, or in Parquet files its number

	// Hosts are those of other pages, as their URLs have them, and HostTimes when a page of
	// each was last fetched: nil without [Options].Hosts.
	Hosts     IDs
	HostTimes []float64
}

// ReadFetches reads fetches with the columns id (or url) and time (or last_fetch, or
// next_fetch), a number or a point in time, and, optional, status, as [ReadHistories] has
// it; with [Options].Copies, also digest. A failed visit counts as a fetch, unless Copies is
// set. Of several rows of a page the latest counts, so that the file may be the log of a
// crawler, or a schedule that has been carried out. Pages are numbered as in ids. A file with
// both numbers and points in time is an error.
func ReadFetches(ctx context.Context, source Source, options Options, ids *IDs) (*Fetches, *Report, error) {
	f := &Fetches{Times: make([]float64, ids.Len()), Latest: math.NaN()}
	for page := range f.Times {
		f.Times[page] = math.NaN()
	}
	if options.Copies {
		f.Digests = make([]estimate.Seen, ids.Len())
	}
	index, hosts, begun := NewIndex(ids), NewIndex(&f.Hosts), false
	l := layout{slotIDField, {names: []string{"time", "last_fetch", "next_fetch"}}, {names: []string{"status"}, optional: true}}
	if options.Copies {
		l = append(l, field{names: []string{"digest"}, optional: true})
	}
	report, err := eachRow(ctx, source, options, l, func(r *record) (*FileError, error) {
		at, calendar, ok := r.cells[1].time()
		if !ok {
			return r.fault(1, "a number, or a time such as 2026-01-31T15:00:00Z"), nil
		}
		seen, ok := r.cells[2].status()
		if !ok {
			return r.fault(2, statusExpected), nil
		}
		if !begun {
			begun, f.Calendar, f.Latest, f.LatestLine = true, calendar, at, r.line
		}
		if calendar != f.Calendar {
			return nil, r.fault(1, timesAlike)
		}
		if at > f.Latest {
			f.Latest, f.LatestLine = at, r.line
		}
		if options.Copies && (seen.outcome.IsFailure() || seen.outcome == estimate.Gone || options.Until > 0 && at > options.Until) {
			return nil, nil
		}
		page := -1
		var host []byte // of another page
		if r.id != nil {
			if page, _ = index.Find(r.id); page < 0 && options.Hosts {
				host, _ = urlhost.Of(r.id)
			}
		}
		if options.Copies && page >= 0 && !(f.Times[page] > at) && !r.cells[3].empty() {
			f.Digests[page] = estimate.Seen{Digested: true, Digest: estimate.HashOf(r.cells[3].text)}
		}
		f.take(page, host, at, hosts)
		return nil, nil
	})
	if err != nil {
		return nil, report, err
	}
	return f, report, nil
}

// take takes up a fetch of a page of the list. If page is −1, the fetch is of another page, on the
// host of; "" for none.
func (f *Fetches) take(page int, of []byte, at float64, hosts *Index) {
	if page >= 0 {
		if !(f.Times[page] >= at) {
			f.Times[page] = at
		}
		return
	}
	if len(of) == 0 {
		return
	}
	host, known := hosts.findOrAppend(of, hosts.hash(of))
	if !known {
		f.HostTimes = append(f.HostTimes, at)
	}
	f.HostTimes[host] = max(f.HostTimes[host], at)
}
