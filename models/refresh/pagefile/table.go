package pagefile

// This file reads tables: names with some numbers each, and hosts.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// maxRows is the greatest number of rows: refresh's sequences number pages by 31
// bits.
const maxRows = math.MaxInt32

var errTooManyRows = fmt.Errorf("more than %d rows that can be used", maxRows)

// A table is what is read of a file, row by row.
type table struct {
	reading *reading
	ids     IDs
	unit    unit.Unit             // of the rates
	numbers [maxNumbers][]float64 // of the fields 1, 2 and so on; nil where no row has one
	hosts   *hostColumn           // nil if the layout has none
	spans   []span
	spare   sync.Pool // of *rows
}

// A span says on which lines of the file rows stand.
type span struct {
	row   int      // the first row
	line  int      // its line
	lines []uint32 // lines of the rows less that one; nil if they count up by 1
}

// line returns the line of a row.
func (t *table) line(row int) int {
	at, found := slices.BinarySearchFunc(t.spans, row, func(s span, row int) int { return s.row - row })
	if !found {
		at--
	}
	s := t.spans[at]
	if s.lines == nil {
		return s.line + row - s.row
	}
	return s.line + int(s.lines[row-s.row])
}

// readTable reads a file, and leaves out rows with names seen before.
func readTable(ctx context.Context, source Source, options Options, l layout) (*table, *Report, error) {
	l = append(l, unitField)
	t := &table{reading: &reading{options: options, layout: l}, hosts: l.hostColumn()}
	t.reading.collect = func() collector {
		if spare, ok := t.spare.Get().(*rows); ok {
			return spare
		}
		return &rows{table: t, fields: l.numbers(), hosts: l.hostColumn()}
	}
	err := t.reading.read(ctx, source)
	if err == nil || options.Strict {
		err = t.leaveOutDuplicates(err)
	}
	report := &t.reading.report
	report.Rows = int64(t.ids.Len())
	if err != nil {
		return nil, report, err
	}
	t.convert(options.Unit)
	return t, report, nil
}

// convert has all rates in the unit asked for, or else in that of the file.
func (t *table) convert(asked unit.Unit) {
	if t.unit != unit.Unknown && asked != unit.Unknown {
		for i, f := range t.reading.layout.numbers() {
			if f.rate {
				unit.Scale(t.numbers[i], t.unit, asked)
			}
		}
	}
	t.unit = cmp.Or(asked, t.unit)
}

// rows are the rows of one block of the file.
type rows struct {
	table   *table
	fields  layout // of the numbers
	unit    unit.Unit
	names   IDs
	numbers [maxNumbers][]float64 // each up to the last row that has one
	hosts   *hostColumn
	line    int      // of the first row
	lines   []uint32 // lines of the rows less that one
	steady  bool     // lines count up by 1
}

// holds reports whether a number is allowed in a field.
func (f *field) holds(value float64) bool {
	if f.limited {
		greatest := refresh.GreatestNumber
		if f.share {
			greatest = 1
		}
		return value >= refresh.LeastNumber && value <= greatest || value == 0
	}
	return value >= 0 && value <= math.MaxFloat64
}

// fill makes numbers as many as there are rows, with what stands for absent ones.
func (f *field) fill(numbers []float64, rows int) []float64 {
	for len(numbers) < rows {
		numbers = append(numbers, f.absent)
	}
	return numbers
}

// take implements collector.
func (b *rows) take(r *record) *FileError {
	id, fault := r.nameOf(&b.table.reading.layout[0])
	if fault != nil {
		return fault
	}
	var numbers [maxNumbers]float64
	var given [maxNumbers]bool
	for i := range b.fields {
		c, f := &r.cells[i+1], &b.fields[i]
		if c.empty() && c.column == 0 && f.optional || (c.empty() || c.isNull()) && c.column > 0 && f.blank {
			continue
		}
		value, ok := c.value()
		if !ok || !f.holds(value) {
			return r.fault(i+1, f.expected)
		}
		numbers[i], given[i] = value, true
	}
	for i := range b.fields {
		if b.fields[i].below && given[i+1] && numbers[i] > numbers[i+1] {
			return r.fault(i+1, fmt.Sprintf("a number up to %v, the greatest rate", numbers[i+1]))
		}
	}
	if b.hosts != nil {
		host, fault := r.host(1+len(b.fields), b.hosts.group)
		if fault != nil {
			return fault
		}
		b.hosts.add(host)
	}
	row := b.names.Len()
	own, fault := b.unitOf(r)
	if fault != nil {
		return fault
	}
	if row == 0 {
		b.line, b.steady, b.unit = r.line, true, own
	}
	b.steady = b.steady && r.line-b.line == row
	b.lines = append(b.lines, uint32(r.line-b.line))
	b.names.Append(id)
	for i := range b.fields {
		if given[i] {
			b.numbers[i] = append(b.fields[i].fill(b.numbers[i], row), numbers[i])
		}
	}
	return nil
}

// nameOf returns what names a row: a page or a host.
func (r *record) nameOf(first *field) ([]byte, *FileError) {
	if first.host {
		return r.hostName(0)
	}
	return r.name(0, first.expected)
}

// unitOf returns the unit of the rates of a row, which has to be that of the rows before:
// reading ends where it is not.
func (b *rows) unitOf(r *record) (own unit.Unit, fault *FileError) {
	at := len(b.table.reading.layout) - 1
	switch c := &r.cells[at]; {
	case c.empty():
	case c.kind == text && string(c.text) == b.unit.String():
		return b.unit, nil
	default:
		var err error
		if own, err = unit.Parse(strings.ToLower(string(c.text))); err != nil {
			r.last = true
			return own, r.fault(at, "second, minute, hour or day, in the column "+b.table.reading.layout[at].names[0])
		}
	}
	if b.names.Len() > 0 && own != b.unit {
		r.last = true
		return own, mixedUnits(r.line, own, b.unit)
	}
	return own, nil
}

func mixedUnits(line int, own, before unit.Unit) *FileError {
	return faultAt(line, 1, fmt.Sprintf("the unit %q", own), fmt.Sprintf("%q, as in the rows before", before))
}

// merge implements collector. The first block says how much memory all blocks will
// need, if their number is known, plus some for names, which tend to be longer
// further on: memory that is not used costs nothing.
func (b *rows) merge() error {
	t, before := b.table, b.table.ids.Len()
	if before > maxRows-b.names.Len() {
		return errTooManyRows
	}
	if blocks := t.reading.blocks; before == 0 && blocks > 1 {
		factor := 1.03 * blocks
		rows := int(factor * float64(b.names.Len()))
		t.ids.text = make([]byte, 0, int(1.5*factor*float64(len(b.names.text))))
		t.ids.ends = make([]uint64, 0, rows)
		if t.hosts != nil {
			t.hosts.hosts.Of = make([]int32, 0, rows)
		}
	}
	s := span{row: before, line: b.line}
	if !b.steady {
		s.lines, b.lines = b.lines, nil
	}
	if b.names.Len() > 0 {
		if before == 0 {
			t.unit = b.unit
		} else if b.unit != t.unit {
			return mixedUnits(b.line, b.unit, t.unit)
		}
		t.spans = append(t.spans, s)
	}
	t.ids.appendAll(&b.names)
	for i := range b.fields {
		if len(b.numbers[i]) == 0 && t.numbers[i] == nil {
			continue
		}
		if t.numbers[i] == nil {
			t.numbers[i] = make([]float64, 0, max(t.ids.Len(), cap(t.ids.ends)))
		}
		filled := b.fields[i].fill(t.numbers[i], before)
		t.numbers[i] = b.fields[i].fill(append(filled, b.numbers[i]...), t.ids.Len())
		b.numbers[i] = b.numbers[i][:0]
	}
	if t.hosts != nil {
		t.hosts.append(b.hosts)
		b.hosts.reset()
	}
	b.names.reset()
	b.lines = b.lines[:0]
	t.spare.Put(b)
	return nil
}

// leaveOutDuplicates removes and reports rows whose names have been seen before. If
// strict reading has stopped at an error, it returns the first fault of the file.
func (t *table) leaveOutDuplicates(stopped error) error {
	noun := t.reading.layout[0].names[0]
	var fault *FileError
	errors.As(stopped, &fault)
	most := KeptFaults
	if t.reading.options.OnFault != nil {
		most = maxRows
	}
	later, first := t.ids.duplicates(t.reading.options.Workers, most)
	for _, d := range first {
		line := t.line(d.row)
		if stopped != nil && (fault == nil || line > fault.Line) {
			break
		}
		found := fmt.Sprintf("%s %s, which is on line %d already", noun, wording.Quote(t.ids.At(d.row)), t.line(d.first))
		if err := t.reading.reject(faultAt(line, 1, found, "each "+noun+" once")); err != nil {
			return err
		}
	}
	if stopped != nil || len(first) == 0 {
		return stopped
	}
	t.reading.report.Unusable += int64(later.size() - len(first))
	t.ids.remove(later)
	for i := range t.numbers {
		t.numbers[i] = removeAt(t.numbers[i], later)
	}
	if t.hosts != nil {
		t.hosts.hosts.Of = removeAt(t.hosts.hosts.Of, later)
		t.hosts.renumber()
	}
	return nil
}

// removeAt removes the elements of some rows.
func removeAt[T any](all []T, rows rowSet) []T {
	kept := all[:0]
	for i, x := range all {
		if !rows.has(i) {
			kept = append(kept, x)
		}
	}
	return kept
}
