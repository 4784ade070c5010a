package main

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// slotFormat is how the slots of a schedule are written, one to a line.
type slotFormat struct {
	header string
	line   func(dst []byte, slot int64, id []byte, at []byte) []byte // at: nil, or when the slot takes place
}

// newSlotFormat returns the format for a kind of output.
func newSlotFormat(format string, clock bool) slotFormat {
	var f slotFormat
	switch format {
	case formatJSON:
		return slotFormat{line: appendSlotObject}
	case formatMarkdown:
		f = slotFormat{"| slot | id |\n| --- | --- |\n", appendSlotMarkdown}
		if clock {
			f.header = "| slot | id | next_fetch |\n| --- | --- | --- |\n"
		}
	default:
		f = slotFormat{"slot,id\n", appendSlotCSV}
		if clock {
			f.header = "slot,id,next_fetch\n"
		}
	}
	return f
}

func appendSlotCSV(dst []byte, slot int64, id, at []byte) []byte {
	dst = strconv.AppendInt(dst, slot, 10)
	dst = append(dst, ',')
	dst = appendCSVField(dst, id)
	if at != nil {
		dst = append(dst, ',')
		dst = append(dst, at...)
	}
	return append(dst, '\n')
}

// appendCSVField quotes a field where RFC 4180 or a reader that trims spaces
// needs it.
func appendCSVField(dst, field []byte) []byte {
	plain := len(field) > 0 && field[0] != ' ' && field[0] != '\t'
	for _, c := range field {
		if c == ',' || c == '"' || c == '\n' || c == '\r' {
			plain = false
			break
		}
	}
	if plain {
		return append(dst, field...)
	}
	dst = append(dst, '"')
	for _, c := range field {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

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

// appendTime writes a time of a schedule, to the microsecond.
func appendTime(dst []byte, at time.Time) []byte {
	return at.UTC().AppendFormat(dst, "2006-01-02T15:04:05.000000Z07:00")
}
