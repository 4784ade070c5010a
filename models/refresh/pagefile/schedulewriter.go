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
	writer    *bufio.Writer
	header    string
	columns   func(slot int64, page int) slotColumns
	appendRow func(dst []byte, row slotColumns) []byte
	text      []byte // of a row
}

// NewScheduleWriter returns a writer of the pages' slots. timetable may be nil. It
// panics for formats that are not texts.
func NewScheduleWriter(w io.Writer, format Format, ids *IDs, timetable *sequence.Timetable) *ScheduleWriter {
	if format != CSV && format != JSONLines {
		panic("pagefile: NewScheduleWriter is for CSV and JSON lines")
	}
	s := &ScheduleWriter{writer: bufio.NewWriterSize(w, 1<<16)}
	columns, without := ids.slots(timetable)
	s.columns = columns
	s.header, s.appendRow = textRows[slotColumns](format, without)
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
	s.text = s.appendRow(s.text[:0], s.columns(slot, page))
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
	ctx := context.Background()
	return out.finish(ctx, writeSlots(ctx, out, ids, timetable, pages))
}

func writeSlots(ctx context.Context, out *output, ids *IDs, timetable *sequence.Timetable, pages iter.Seq[int]) error {
	slot := int64(0)
	if out.format == Parquet {
		columns, without := ids.slots(timetable)
		return writeParquet(ctx, out.writer, without, func(yield func(slotColumns) bool) {
			for page := range pages {
				if slot++; !yield(columns(slot, page)) {
					return
				}
			}
		})
	}
	w := NewScheduleWriter(out.writer, out.format, ids, timetable)
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
	Slot      int64  `parquet:"slot,delta"`
	ID        []byte `parquet:"id,string,dict,optional"` // nil for an empty slot
	NextFetch int64  `parquet:"next_fetch,timestamp(millisecond),delta"`
}

// slots returns a function that returns the row of a slot, page −1 being none, and the
// columns that a schedule leaves out: without a timetable, the times.
func (ids *IDs) slots(timetable *sequence.Timetable) (columns func(slot int64, page int) slotColumns, without []string) {
	if timetable == nil {
		without = []string{"next_fetch"}
	}
	return func(slot int64, page int) slotColumns {
		row := slotColumns{Slot: slot}
		if page >= 0 {
			row.ID = ids.Bytes(page)
		}
		if timetable != nil {
			row.NextFetch = timetable.Time(slot).UnixMilli()
		}
		return row
	}, without
}
