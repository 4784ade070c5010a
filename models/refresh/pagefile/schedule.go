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
	r := &reading{options: options, layout: layout{idField, {names: []string{"slot"}}}}
	s := &schedule{reading: r, index: NewIndex(ids), last: -1}
	r.collect = func() collector { return &slots{schedule: s} }
	err = r.read(ctx, source)
	r.report.Rows = int64(len(s.pages))
	if err != nil {
		return nil, &r.report, err
	}
	return s.pages, &r.report, nil
}

// A schedule is what has been read of a file.
type schedule struct {
	reading *reading
	index   *Index
	pages   []int
	last    int64 // slot; −1 before the first
}

// slots are the rows of one block of the file.
type slots struct {
	schedule *schedule
	rows     []slotRow
}

type slotRow struct {
	line, page int
	slot       int64
}

// take implements collector.
func (b *slots) take(r *record) *FileError {
	page := -1
	if !r.cells[0].empty() {
		id, fault := r.name(0, idField.expected)
		if fault != nil {
			return fault
		}
		known, found := b.schedule.index.Find(id)
		if !found {
			return r.fault(0, "the id of a page of the list")
		}
		page = known
	}
	value, ok := r.cells[1].value()
	slot := int64(value)
	if !ok || !(value >= 0 && value < 1<<53) || float64(slot) != value {
		return r.fault(1, "the number of a slot")
	}
	b.rows = append(b.rows, slotRow{r.line, page, slot})
	return nil
}

// merge implements collector.
func (b *slots) merge() error {
	s := b.schedule
	for _, row := range b.rows {
		if s.last >= 0 && row.slot != s.last+1 {
			fault := faultAt(row.line, 1, fmt.Sprintf("slot %d after slot %d", row.slot, s.last), fmt.Sprintf("slot %d", s.last+1))
			if err := s.reading.reject(fault); err != nil {
				return err
			}
			continue
		}
		s.last = row.slot
		s.pages = append(s.pages, row.page)
	}
	return nil
}
