package pagefile

import (
	"math"
	"strconv"
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

func newTextTable(format Format, names ...string) *textTable {
	t := &textTable{json: format == JSONLines, end: "\n"}
	if t.json {
		t.absent, t.end = "null", "}\n"
	}
	for i, name := range names {
		switch {
		case t.json && i == 0:
			t.leads = append(t.leads, `{"`+name+`":`)
		case t.json:
			t.leads = append(t.leads, `,"`+name+`":`)
		case i == 0:
			t.header, t.leads = name, append(t.leads, "")
		default:
			t.header, t.leads = t.header+","+name, append(t.leads, ",")
		}
	}
	if !t.json {
		t.header += "\n"
	}
	return t
}

// A textRow puts the fields of a row into words, one after the other, behind those
// of the rows before.
type textRow struct {
	*textTable
	text  []byte
	field int
}

// next leads to the next field.
func (r *textRow) next() {
	r.text = append(r.text, r.leads[r.field]...)
	r.field++
}

// finish ends the row.
func (r *textRow) finish() {
	r.text = append(r.text, r.end...)
	r.field = 0
}

func (r *textRow) name(name []byte) {
	r.next()
	if r.json {
		r.text = jsonscan.AppendText(r.text, name)
	} else {
		r.text = appendCSVField(r.text, name)
	}
}

// number writes as many digits as it takes to read the same float64 again, and
// nothing for what is not finite.
func (r *textRow) number(x float64) {
	r.next()
	if math.Abs(x) <= math.MaxFloat64 {
		r.text = strconv.AppendFloat(r.text, x, 'g', -1, 64)
	} else {
		r.text = append(r.text, r.absent...)
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
	if r.json {
		r.text = append(r.text, '"')
	}
	r.text = at.UTC().AppendFormat(r.text, TimeLayout)
	if r.json {
		r.text = append(r.text, '"')
	}
}

// appendCSVField appends a field, in quotes where it needs them.
func appendCSVField(dst, field []byte) []byte {
	quotes := len(field) == 0
	for _, c := range field {
		if c == ',' || c == '"' || c == '\n' || c == '\r' {
			quotes = true
			break
		}
	}
	if !quotes {
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
