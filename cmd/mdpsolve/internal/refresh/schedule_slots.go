package refresh

import (
	"bufio"
	"io"
	"strconv"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// slotWriter writes the slots of a schedule, one to a line.
type slotWriter interface {
	Header() error
	Write(slot int64, page int) error
	Flush() error
}

// newSlotWriter returns a writer for a kind of output; timetable is nil without
// a clock.
func newSlotWriter(out io.Writer, format string, ids *pagefile.IDs, timetable *refresh.Timetable) slotWriter {
	switch format {
	case ui.FormatJSON:
		return pagefile.NewScheduleWriter(out, pagefile.JSONLines, ids, timetable)
	case ui.FormatMarkdown:
		return &markdownSlots{bufio.NewWriterSize(out, 1<<16), ids, timetable, nil}
	}
	return pagefile.NewScheduleWriter(out, pagefile.CSV, ids, timetable)
}

// markdownSlots is a slotWriter.
type markdownSlots struct {
	*bufio.Writer
	ids       *pagefile.IDs
	timetable *refresh.Timetable
	line      []byte
}

// Header implements slotWriter.
func (w *markdownSlots) Header() error {
	header := "| slot | id |\n| --- | --- |\n"
	if w.timetable != nil {
		header = "| slot | id | next_fetch |\n| --- | --- | --- |\n"
	}
	_, err := w.WriteString(header)
	return err
}

// Write implements slotWriter.
func (w *markdownSlots) Write(slot int64, page int) error {
	line := strconv.AppendInt(append(w.line[:0], "| "...), slot, 10)
	line = append(line, " | "...)
	for _, c := range w.ids.Bytes(page) {
		switch c {
		case '|':
			line = append(line, `\|`...)
		case '\n', '\r':
			line = append(line, ' ')
		default:
			line = append(line, c)
		}
	}
	if w.timetable != nil {
		line = w.timetable.Time(slot).UTC().AppendFormat(append(line, " | "...), pagefile.TimeLayout)
	}
	line = append(line, " |\n"...)
	w.line = line
	_, err := w.Writer.Write(line)
	return err
}
