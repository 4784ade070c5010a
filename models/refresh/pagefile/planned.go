package pagefile

// This file reads when a plan has accesses.

import (
	"context"

	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// Planned are the times of a schedule in seconds since 1970.
type Planned struct {
	Times       [][]float64 // by page, in the order of the file
	First, Last float64     // of all slots, empty ones among them
	Slots       int
	AtEnds      bool // the times are ends of slots, from the column next_fetch; otherwise beginnings, from time
}

// ReadPlanned reads a schedule with the columns id (or url), empty for an empty slot, and
// next_fetch (or time, as lists of due pages have it), a point in time. Pages are numbered as
// in ids. Rows of other pages, and rows that are earlier than the one before, are left out.
func ReadPlanned(ctx context.Context, source Source, options Options, ids *IDs) (*Planned, *Report, error) {
	p := &Planned{Times: make([][]float64, ids.Len())}
	index := NewIndex(ids)
	names := []string{"next_fetch", "time"}
	l := layout{slotIDField, {names: names[:1], optional: true}, {names: names[1:], optional: true}}
	report, err := eachRow(ctx, source, options, l, func(r *record) (*FileError, error) {
		column := 1
		if p.AtEnds = r.cells[1].column > 0; !p.AtEnds {
			column = 2
		}
		if r.cells[column].column == 0 {
			return nil, faultAt(r.line, 1, noColumn(names), "a header with the columns id (or url), next_fetch (or time)")
		}
		time, err := unit.ParseTime(string(r.cells[column].text))
		at := float64(time.UnixMilli()) / 1000
		if err != nil {
			return r.fault(column, "a point in time such as 2026-01-31T12:00:00Z"), nil
		}
		if p.Slots > 0 && at < p.Last {
			return r.fault(column, "a time that is not before that of the row before"), nil
		}
		if p.Slots == 0 {
			p.First = at
		}
		p.Slots++
		p.Last = at
		if r.id == nil {
			return nil, nil
		}
		page, found := index.Find(r.id)
		if !found {
			return r.fault(0, "the id of a page of the list"), nil
		}
		p.Times[page] = append(p.Times[page], at)
		return nil, nil
	})
	return p, report, err
}
