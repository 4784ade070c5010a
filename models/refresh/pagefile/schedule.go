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
