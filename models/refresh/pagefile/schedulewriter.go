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
	ids       *IDs
	timetable *sequence.Timetable
	row       textRow
}

// NewScheduleWriter returns a writer of the pages' slots. timetable may be nil. It
// panics for formats that are not texts.
func NewScheduleWriter(w io.Writer, format Format, ids *IDs, timetable *sequence.Timetable) *ScheduleWriter {
	if format != CSV && format != JSONLines {
		panic("pagefile: NewScheduleWriter is for CSV and JSON lines")
	}
	names := []string{"slot", "id", "next_fetch"}
	if timetable == nil {
		names = names[:2]
	}
	return &ScheduleWriter{
		writer: bufio.NewWriterSize(w, 1<<16), ids: ids, timetable: timetable,
		row: textRow{table: newTextTable(format, names...)},
	}
}

// Header writes the header of CSV; JSON lines have none. A schedule that goes on has
// it already.
func (s *ScheduleWriter) Header() error {
	_, err := s.writer.WriteString(s.row.table.header)
	return err
}

// Write writes the row of a slot. Page −1 is none: the slot is empty.
func (s *ScheduleWriter) Write(slot int64, page int) error {
	row := &s.row
	row.text = row.text[:0]
	row.whole(slot)
	if page >= 0 {
		row.name(s.ids.Bytes(page))
	} else {
		row.nothing()
	}
	if s.timetable != nil {
		row.time(s.timetable.Time(slot))
	}
	row.finish()
	_, err := s.writer.Write(row.text)
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
		err = writeSlots(out.writer, pages, func(slot int64, page int) slotColumns {
			return slotColumns{slot, ids.of(page)}
		}, func(row slotColumns) int { return len(row.ID) })
	default:
		err = writeSlots(out.writer, pages, func(slot int64, page int) timedSlotColumns {
			return timedSlotColumns{slot, ids.of(page), timetable.Time(slot).UnixMilli()}
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

// of returns the name of a page, or nothing for that of an empty slot, −1.
func (ids *IDs) of(page int) []byte {
	if page < 0 {
		return nil
	}
	return ids.Bytes(page)
}

// slotColumns are a row of a schedule in Parquet. Names are repeated: they have a
// dictionary.
type slotColumns struct {
	Slot int64  `parquet:"slot,delta"`
	ID   []byte `parquet:"id,string,dict"`
}

// timedSlotColumns are a row of a schedule with a timetable.
type timedSlotColumns struct {
	Slot      int64  `parquet:"slot,delta"`
	ID        []byte `parquet:"id,string,dict"`
	NextFetch int64  `parquet:"next_fetch,timestamp(millisecond),delta"`
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
