package pagefile

import (
	"context"
	"fmt"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// ReadSchedule reads a schedule: the pages of its slots, in the order of the
// file, by their number among ids. A row whose id is not among them cannot be
// used, nor one whose slot does not follow on the one before.
func ReadSchedule(ctx context.Context, source Source, options Options, ids *IDs) (pages []int, report *Report, err error) {
	in, err := source.open(options)
	if err != nil {
		return nil, &Report{}, err
	}
	defer in.close()
	r := &reporter{file: in.name, options: options}
	index := NewIndex(ids)
	create := func() *slots { return &slots{index: index} }
	last := int64(-1)
	accept := func(b *slots) error {
		for _, s := range b.slots {
			if last >= 0 && s.slot != last+1 {
				if err := r.reject(faultAt(s.line, 1, fmt.Sprintf("slot %d behind slot %d", s.slot, last), fmt.Sprintf("slot %d", last+1))); err != nil {
					return err
				}
				continue
			}
			last = s.slot
			pages = append(pages, s.page)
		}
		return nil
	}
	l := layout{idField, {names: []string{"slot"}}}
	if in.format == Parquet {
		err = readParquet(ctx, in, l, r, create, accept)
	} else {
		err = readText(ctx, in, l, r, create, accept)
	}
	r.report.Rows = int64(len(pages))
	if err != nil {
		return nil, &r.report, err
	}
	return pages, &r.report, nil
}

// slots collects the rows of a block.
type slots struct {
	index *Index
	slots []slotRow
}

type slotRow struct {
	line, slot int64
	page       int
}

// take is collector's.
func (b *slots) take(r *record) *FileError {
	id, fault := r.id()
	if fault != nil {
		return fault
	}
	page, found := b.index.Find(id)
	if !found {
		return r.fault(0, "the id of a page of the list")
	}
	value, ok := r.cells[1].value()
	slot := int64(value)
	if !ok || !(value >= 0 && value < 1<<53) || float64(slot) != value {
		return r.fault(1, "the number of a slot")
	}
	b.slots = append(b.slots, slotRow{r.line, slot, page})
	return nil
}

// SaveState writes the saved state of a sequence to a file: beside it first, under
// a name that ends in .partial, and under its own when all is on the disk, so that
// there is always one whole state, the old or the new.
func SaveState(name string, state []byte) error {
	return wholefile.WriteDurably(name, 0o600, state)
}

// NextFetch turns the slots of refresh.NextSlots into the times that
// [WriteFrontier] asks for.
func NextFetch(table refresh.Timetable, slots []int64) func(page int) (time.Time, bool) {
	return func(page int) (time.Time, bool) {
		if slots[page] == 0 {
			return time.Time{}, false
		}
		return table.Time(slots[page]), true
	}
}
