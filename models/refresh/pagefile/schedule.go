package pagefile

// This file reads and writes schedules.

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

// ReadSchedule reads a schedule: the pages of its slots, in the order of the file, by
// their number among ids; −1 for an empty slot, which has no id. It leaves out rows whose id is not among them, and those
// whose slot does not follow on the one before.
func ReadSchedule(ctx context.Context, source Source, options Options, ids *IDs) (pages []int, report *Report, err error) {
	index, last := NewIndex(ids), int64(-1) // the slot before; −1 at the first
	l := layout{slotIDField, {names: []string{"slot"}}}
	report, err = eachRow(ctx, source, options, l, func(r *record) (*FileError, error) {
		page := -1
		if r.id != nil {
			var found bool
			if page, found = index.Find(r.id); !found {
				return r.fault(0, "the id of a page of the list"), nil
			}
		}
		value, ok := r.cells[1].value()
		slot := int64(value)
		if !ok || !(value >= 0 && value < 1<<53) || float64(slot) != value {
			return r.fault(1, "the number of a slot"), nil
		}
		if last >= 0 && slot != last+1 {
			return faultAt(r.line, 1, fmt.Sprintf("slot %d after slot %d", slot, last), fmt.Sprintf("slot %d", last+1)), nil
		}
		last, pages = slot, append(pages, page)
		return nil, nil
	})
	if err != nil {
		return nil, report, err
	}
	return pages, report, nil
}

// slotIDField is that of the id of a slot, which may be empty.
var slotIDField = field{names: idField.names, holds: pageNames, blank: true}

// slotRow is a row of a schedule. Names are repeated: they have a dictionary.
type slotRow struct {
	Slot      int64  `parquet:"slot,delta"`
	ID        []byte `parquet:"id,string,dict,optional"` // nil for an empty slot
	NextFetch int64  `parquet:"next_fetch,timestamp(millisecond),delta"`
}

// WriteSchedule writes the slots 1, 2 and so on of a schedule: those of the pages
// given, −1 for an empty slot. The columns are slot, id and, if timetable is not nil,
// next_fetch. If ctx has ended when the pages end, they are not all: a file stays as it was,
// and a writer has whole rows.
func WriteSchedule(ctx context.Context, target Target, ids *IDs, timetable *sequence.Timetable, pages iter.Seq[int]) error {
	out, err := target.open()
	if err != nil {
		return err
	}
	var without []string
	if timetable == nil {
		without = []string{"next_fetch"}
	}
	err = writeInTurn(context.WithoutCancel(ctx), out, without, func(yield func(slotRow) bool) {
		row := slotRow{}
		for page := range pages {
			row.Slot++
			row.ID = nil
			if page >= 0 {
				row.ID = ids.Bytes(page)
			}
			if timetable != nil {
				row.NextFetch = timetable.Time(row.Slot).UnixMilli()
			}
			if !yield(row) {
				return
			}
		}
	})
	return out.finish(ctx, cmp.Or(err, ctx.Err()))
}
