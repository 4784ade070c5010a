package pagefile

// This file formats rows as CSV or JSON lines.

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
)

// A textTable says how the rows of a table look in CSV or JSON lines.
type textTable struct {
	header string   // the first line, "" for none
	leads  []string // what stands before each field
	absent string   // what stands for nothing
	end    string   // of a row
	json   bool
}

// newTextTable returns the table with columns of these names.
func newTextTable(format Format, names ...string) *textTable {
	if format == JSONLines {
		t := &textTable{absent: "null", end: "}\n", json: true}
		for _, name := range names {
			t.leads = append(t.leads, `,"`+name+`":`)
		}
		t.leads[0] = "{" + t.leads[0][1:]
		return t
	}
	leads := slices.Repeat([]string{","}, len(names))
	leads[0] = ""
	return &textTable{header: strings.Join(names, ",") + "\n", leads: leads, end: "\n"}
}

// A textRow formats the fields of a row, one after the other, behind the rows before.
type textRow struct {
	table *textTable
	text  []byte // rows
	field int    // the next
}

// next leads to the next field.
func (r *textRow) next() {
	r.text = append(r.text, r.table.leads[r.field]...)
	r.field++
}

// finish ends the row.
func (r *textRow) finish() {
	r.text = append(r.text, r.table.end...)
	r.field = 0
}

func (r *textRow) name(name []byte) {
	r.next()
	if r.table.json {
		r.text = jsonscan.AppendText(r.text, name)
	} else {
		r.text = appendCSVField(r.text, name)
	}
}

// nothing leaves the field empty.
func (r *textRow) nothing() {
	r.next()
	r.text = append(r.text, r.table.absent...)
}

// number writes as many digits as it takes to read the same float64 again, and
// nothing for what is not finite.
func (r *textRow) number(x float64) {
	r.next()
	if math.Abs(x) <= math.MaxFloat64 {
		r.text = strconv.AppendFloat(r.text, x, 'g', -1, 64)
	} else {
		r.text = append(r.text, r.table.absent...)
	}
}

func (r *textRow) whole(n int64) {
	r.next()
	r.text = strconv.AppendInt(r.text, n, 10)
}

// TimeLayout is that of points in time in texts: RFC 3339 in UTC, in milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

func (r *textRow) time(at time.Time) {
	r.next()
	if r.table.json {
		r.text = append(r.text, '"')
	}
	r.text = at.UTC().AppendFormat(r.text, TimeLayout)
	if r.table.json {
		r.text = append(r.text, '"')
	}
}

// appendCSVField appends a field, in quotes where it needs them.
func appendCSVField(dst, field []byte) []byte {
	quotes := len(field) == 0
	for _, c := range []byte(",\"\n\r") {
		quotes = quotes || bytes.IndexByte(field, c) >= 0
	}
	if !quotes {
		return append(dst, field...)
	}
	dst = append(dst, '"')
	dst = append(dst, bytes.ReplaceAll(field, []byte(`"`), []byte(`""`))...)
	return append(dst, '"')
}
