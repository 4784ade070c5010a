package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

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
	if format == formatCSV {
		return pagefile.NewScheduleWriter(out, ids, timetable)
	}
	w := &lineWriter{Writer: bufio.NewWriterSize(out, 1<<16), ids: ids, timetable: timetable, line: appendSlotObject}
	if format == formatMarkdown {
		w.line, w.header = appendSlotMarkdown, "| slot | id |\n| --- | --- |\n"
		if timetable != nil {
			w.header = "| slot | id | next_fetch |\n| --- | --- | --- |\n"
		}
	}
	return w
}

// lineWriter is a slotWriter for formats other than CSV.
type lineWriter struct {
	*bufio.Writer
	ids         *pagefile.IDs
	timetable   *refresh.Timetable
	header      string
	line        func(dst []byte, slot int64, id, at []byte) []byte // at is nil without a clock
	buffer, now []byte
}

// Header implements slotWriter.
func (w *lineWriter) Header() error {
	_, err := w.WriteString(w.header)
	return err
}

// Write implements slotWriter.
func (w *lineWriter) Write(slot int64, page int) error {
	if w.timetable != nil {
		w.now = w.timetable.Time(slot).UTC().AppendFormat(w.now[:0], timeLayout)
	}
	w.buffer = w.line(w.buffer[:0], slot, w.ids.Bytes(page), w.now)
	_, err := w.Writer.Write(w.buffer)
	return err
}

// timeLayout is that of times in CSV: RFC 3339 in UTC, to the millisecond.
const timeLayout = time.DateOnly + "T15:04:05.000Z"

func appendSlotObject(dst []byte, slot int64, id, at []byte) []byte {
	dst = append(dst, `{"slot":`...)
	dst = strconv.AppendInt(dst, slot, 10)
	dst = append(dst, `,"id":`...)
	dst = appendJSONString(dst, id)
	if at != nil {
		dst = append(dst, `,"next_fetch":"`...)
		dst = append(dst, at...)
		dst = append(dst, '"')
	}
	return append(dst, '}', '\n')
}

func appendJSONString(dst, text []byte) []byte {
	for _, c := range text {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			var out bytes.Buffer
			encoder := json.NewEncoder(&out)
			encoder.SetEscapeHTML(false)
			_ = encoder.Encode(string(text)) // strings can be encoded
			return append(dst, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}

func appendSlotMarkdown(dst []byte, slot int64, id, at []byte) []byte {
	dst = append(dst, "| "...)
	dst = strconv.AppendInt(dst, slot, 10)
	dst = append(dst, " | "...)
	for _, c := range id {
		switch c {
		case '|':
			dst = append(dst, `\|`...)
		case '\n', '\r':
			dst = append(dst, ' ')
		default:
			dst = append(dst, c)
		}
	}
	if at != nil {
		dst = append(dst, " | "...)
		dst = append(dst, at...)
	}
	return append(dst, " |\n"...)
}
