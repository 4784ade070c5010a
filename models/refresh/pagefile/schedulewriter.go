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
	s := &ScheduleWriter{writer: bufio.NewWriterSize(w, 1<<16)}
	if timetable == nil {
		header, appendRow := textRows[slotColumns](format)
		s.header = header
		s.row = func(dst []byte, slot int64, page int) []byte { return appendRow(dst, ids.slot(slot, page)) }
	} else {
		header, appendRow := textRows[timedSlotColumns](format)
		s.header = header
		s.row = func(dst []byte, slot int64, page int) []byte {
			return appendRow(dst, ids.timedSlot(slot, page, timetable))
		}
	}
	return s
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
	switch {
	case out.format != Parquet:
		err = NewScheduleWriter(out.writer, out.format, ids, timetable).writeAll(pages)
	case timetable == nil:
		err = writeSlots(out.writer, pages, ids.slot, func(row slotColumns) int { return len(row.ID) })
	default:
		err = writeSlots(out.writer, pages, func(slot int64, page int) timedSlotColumns {
			return ids.timedSlot(slot, page, timetable)
		}, func(row timedSlotColumns) int { return len(row.ID) })
	}
	return out.finish(context.Background(), err)
}

func (s *ScheduleWriter) writeAll(pages iter.Seq[int]) error {
	if err := s.Header(); err != nil {
		return err
	}
	slot := int64(0)
	for page := range pages {
		slot++
		if err := s.Write(slot, page); err != nil {
			return err
		}
	}
	return s.Flush()
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

func (ids *IDs) timedSlot(slot int64, page int, timetable *sequence.Timetable) timedSlotColumns {
	return timedSlotColumns{ids.slot(slot, page), timetable.Time(slot).UnixMilli()}
}

// writeSlots writes a schedule in Parquet.
func writeSlots[T any](w io.Writer, pages iter.Seq[int], columns func(slot int64, page int) T, dictionary func(T) int) error {
	return writeParquet(context.Background(), w, func(yield func(T) bool) {
		slot := int64(0)
		for page := range pages {
			if slot++; !yield(columns(slot, page)) {
				return
			}
		}
	}, dictionary)
}
