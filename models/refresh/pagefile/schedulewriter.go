package pagefile

// This file writes schedules.

import (
	"bufio"
	"context"
	"io"
	"iter"

	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

// A ScheduleWriter writes a schedule as CSV or JSON lines, a row for each slot:
// slot, id and, if there is a timetable, next_fetch. Rows are buffered: see Flush.
// [WriteSchedule] writes whole files of all formats.
type ScheduleWriter struct {
	writer *bufio.Writer
	header string
	row    func(dst []byte, slot int64, page int) []byte // appends a row
	text   []byte                                        // of a row
}

// NewScheduleWriter returns a writer of the pages' slots. timetable may be nil. It
// panics for formats that are not texts.
func NewScheduleWriter(w io.Writer, format Format, ids *IDs, timetable *sequence.Timetable) *ScheduleWriter {
	if format != CSV && format != JSONLines {
		panic("pagefile: NewScheduleWriter is for CSV and JSON lines")
	}
	if timetable == nil {
		return newScheduleWriter(w, format, ids.slot)
	}
	return newScheduleWriter(w, format, ids.timedSlots(timetable))
}

// newScheduleWriter returns a writer of a schedule with the columns of T.
func newScheduleWriter[T any](w io.Writer, format Format, columns func(slot int64, page int) T) *ScheduleWriter {
	header, appendRow := textRows[T](format)
	return &ScheduleWriter{
		writer: bufio.NewWriterSize(w, 1<<16), header: header,
		row: func(dst []byte, slot int64, page int) []byte { return appendRow(dst, columns(slot, page)) },
	}
}

// Header writes the header of CSV; JSON lines have none. A schedule that goes on has
// it already.
func (s *ScheduleWriter) Header() error {
	_, err := s.writer.WriteString(s.header)
	return err
}

// Write writes the row of a slot. Page −1 is none: the slot is empty.
func (s *ScheduleWriter) Write(slot int64, page int) error {
	s.text = s.row(s.text[:0], slot, page)
	_, err := s.writer.Write(s.text)
	return err
}

// Flush writes what is buffered. A state saved after it is never ahead of the
// schedule: see package slotfile.
func (s *ScheduleWriter) Flush() error { return s.writer.Flush() }

// WriteSchedule writes the slots 1, 2 and so on of a schedule: those of the pages
// given. A caller that is interrupted gives no more pages, and has a whole file of
// those before. The columns are slot, id and, if timetable is not nil, next_fetch.
func WriteSchedule(target Target, ids *IDs, timetable *sequence.Timetable, pages iter.Seq[int]) error {
	out, err := target.open()
	if err != nil {
		return err
	}
	if timetable == nil {
		err = writeSlots(out, pages, ids, ids.slot)
	} else {
		err = writeSlots(out, pages, ids, ids.timedSlots(timetable))
	}
	return out.finish(context.Background(), err)
}

// writeSlots writes a schedule with the columns of T.
func writeSlots[T any](out *output, pages iter.Seq[int], ids *IDs, columns func(slot int64, page int) T) error {
	slot := int64(0)
	if out.format == Parquet {
		return writeParquet(context.Background(), out.writer, func(yield func(T, int) bool) {
			for page := range pages {
				if slot++; !yield(columns(slot, page), len(ids.slot(slot, page).ID)) {
					return
				}
			}
		})
	}
	w := newScheduleWriter(out.writer, out.format, columns)
	if err := w.Header(); err != nil {
		return err
	}
	for page := range pages {
		slot++
		if err := w.Write(slot, page); err != nil {
			return err
		}
	}
	return w.Flush()
}

// slotColumns are a row of a schedule. Names are repeated: they have a dictionary.
type slotColumns struct {
	Slot int64  `parquet:"slot,delta"`
	ID   []byte `parquet:"id,string,dict,optional"` // nil for an empty slot
}

// timedSlotColumns are a row of a schedule with a timetable.
type timedSlotColumns struct {
	slotColumns
	NextFetch int64 `parquet:"next_fetch,timestamp(millisecond),delta"`
}

// slot returns the row of a slot. Page −1 is none.
func (ids *IDs) slot(slot int64, page int) slotColumns {
	if page < 0 {
		return slotColumns{slot, nil}
	}
	return slotColumns{slot, ids.Bytes(page)}
}

// timedSlots returns a function that returns the row of a slot.
func (ids *IDs) timedSlots(timetable *sequence.Timetable) func(slot int64, page int) timedSlotColumns {
	return func(slot int64, page int) timedSlotColumns {
		return timedSlotColumns{ids.slot(slot, page), timetable.Time(slot).UnixMilli()}
	}
}
