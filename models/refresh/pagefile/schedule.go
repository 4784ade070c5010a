package pagefile

// This file reads schedules.

import (
	"context"
	"fmt"
)

// ReadSchedule reads a schedule: the pages of its slots, in the order of the file, by
// their number among ids; −1 for an empty slot, which has no id. It leaves out rows whose id is not among them, and those
// whose slot does not follow on the one before.
func ReadSchedule(ctx context.Context, source Source, options Options, ids *IDs) (pages []int, report *Report, err error) {
	index := NewIndex(ids)
	last := int64(-1) // slot; −1 before the first
	rows := list[slotRow]{
		layout: layout{slotIDField, {names: []string{"slot"}}},
		parse:  func(r *record, row *slotRow) *FileError { return r.slot(row, index) },
		take: func(row *slotRow) (*FileError, error) {
			if last >= 0 && row.slot != last+1 {
				return faultAt(row.line, 1, fmt.Sprintf("slot %d after slot %d", row.slot, last), fmt.Sprintf("slot %d", last+1)), nil
			}
			last = row.slot
			pages = append(pages, row.page)
			return nil, nil
		},
	}
	report, err = rows.read(ctx, source, options)
	if err != nil {
		return nil, report, err
	}
	return pages, report, nil
}

// slotIDField is that of the id of a slot, which may be empty.
var slotIDField = field{names: idField.names, holds: pageNames, blank: true}

// A slotRow is a row of a schedule.
type slotRow struct {
	line, page int
	slot       int64
}

// slot reads a row of a schedule.
func (r *record) slot(row *slotRow, index *Index) *FileError {
	row.line, row.page = r.line, -1
	if r.id != nil {
		page, found := index.Find(r.id)
		if !found {
			return r.fault(0, "the id of a page of the list")
		}
		row.page = page
	}
	value, ok := r.cells[1].value()
	if row.slot = int64(value); !ok || !(value >= 0 && value < 1<<53) || float64(row.slot) != value {
		return r.fault(1, "the number of a slot")
	}
	return nil
}
