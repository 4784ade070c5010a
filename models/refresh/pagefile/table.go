package pagefile

// This file reads tables: names with some numbers each, and hosts.

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// maxRows is the greatest number of rows: refresh's sequences number pages by 31
// bits.
const maxRows = math.MaxInt32

var errTooManyRows = fmt.Errorf("more than %d usable rows", maxRows)

// A table is what is read of a file.
type table struct {
	layout  layout
	fields  layout // of the numbers
	ids     IDs
	index   *Index                // of ids
	unit    unit.Unit             // of the rates
	numbers [maxNumbers][]float64 // of the fields 1, 2 and so on; nil where no row has one
	hosts   *Hosts                // or groups of hosts; nil if the layout has none
	byName  *Index                // of the names of hosts
	shifts  []shift

	rules          limits.Rules  // nil without
	urlAt, labelAt int           // the fields to which rules are applied
	fitted         []atomic.Bool // by rule
	ownUnit        unit.Unit     // of rows that have none

	loaded uint32 // gives ahead an effect, so that it is not optimised away
}

// A shift is the difference of line and row number, from a row on.
type shift struct {
	row, lines int
}

// A tableRow is a row of a table.
type tableRow struct {
	line    int
	name    []byte
	hash    uint32 // of name
	unit    unit.Unit
	numbers [maxNumbers]float64
	given   [maxNumbers]bool // which of the numbers the row has
	host    []byte
}

// readTable reads a file, and leaves out rows with names seen before.
func readTable(ctx context.Context, source Source, options Options, l layout) (*table, *Report, error) {
	t := &table{fields: l.numbers(), ownUnit: options.Unit}
	if len(t.fields) == maxNumbers && options.Rules != nil { // a page list
		t.rules, t.labelAt, t.fitted = options.Rules, len(l), make([]atomic.Bool, len(options.Rules))
		l = append(l, field{names: []string{"label"}, optional: true, blank: true})
		if t.urlAt = t.labelAt - 1; !options.Hosts {
			t.urlAt = len(l)
			l = append(l, hostFields[1])
		}
	}
	l = append(l, unitField)
	t.layout = l
	t.index = NewIndex(&t.ids)
	if holds := l[1+len(t.fields)].holds; holds == hostNames || holds == groupNames {
		t.hosts = &Hosts{}
		t.byName = NewIndex(&t.hosts.Names)
	}
	rows := list[tableRow]{layout: l, parse: t.parse, take: t.take, ahead: t.ahead, reserve: t.reserve}
	report, err := rows.read(ctx, source, options)
	if err != nil {
		return nil, report, err
	}
	t.index, t.byName = nil, nil
	for i := range t.fitted {
		if !t.fitted[i].Load() {
			report.Unfit = append(report.Unfit, i)
		}
	}
	if t.ids.Len() > 1<<23 {
		runtime.GC() // the index is a third of the memory, which the caller can have at once
	}
	for i := range t.fields {
		f := &t.fields[i]
		if t.numbers[i] != nil {
			t.numbers[i] = f.fill(t.numbers[i], t.ids.Len())
		}
		if f.rate && t.unit != unit.Unknown && options.Unit != unit.Unknown {
			unit.Scale(t.numbers[i], t.unit, options.Unit)
		}
	}
	t.unit = cmp.Or(options.Unit, t.unit)
	return t, report, nil
}

// parse reads a row.
func (t *table) parse(r *record, row *tableRow) (fault *FileError) {
	row.line, row.name, row.hash = r.line, r.id, t.index.hash(r.id)
	for i := range t.fields {
		c, f := &r.cells[i+1], &t.fields[i]
		if c.empty() && c.column == 0 && f.optional || (c.empty() || c.isNull()) && c.column > 0 && f.blank {
			continue
		}
		value, ok := c.value()
		if !ok || !f.allows(value) {
			return r.fault(i+1, f.expected())
		}
		if f.interval {
			value = 1 / value
		}
		row.numbers[i], row.given[i] = value, true
	}
	if t.hosts != nil {
		at := 1 + len(t.fields)
		if row.host, fault = r.host(at, t.layout[at].holds == groupNames); fault != nil {
			return fault
		}
	}
	at := len(t.layout) - 1
	if row.unit, fault = r.unit(at, t.layout[at].names[0]); fault != nil || len(t.fields) < maxNumbers {
		return fault
	}
	return t.limit(r, row)
}

// limit gives a page the limits that rules have for it, and checks those that it has.
func (t *table) limit(r *record, row *tableRow) *FileError {
	least, greatest := &row.numbers[greatestInterval], &row.numbers[leastInterval]
	if !row.given[leastInterval] {
		*greatest = math.Inf(1)
	}
	if row.given[greatestInterval] && *least > *greatest {
		return r.fault(1+greatestInterval, "an interval that is not shorter than least_interval")
	}
	if t.rules == nil {
		return nil
	}
	own := cmp.Or(row.unit, t.ownUnit)
	if own == unit.Unknown {
		return r.fault(len(t.layout)-1, "a unit, for intervals in seconds, minutes, hours or days (or use --unit)")
	}
	url := r.id
	if c := &r.cells[t.urlAt]; !c.empty() {
		url = c.text
	}
	label := r.cells[t.labelAt].text
	for i := range t.fitted {
		if !t.fitted[i].Load() && t.rules[i].Fits(url, label) {
			t.fitted[i].Store(true)
		}
	}
	found := t.rules.Complete(limits.Intervals{}, url, label)
	byRule, mostByRule := found.Rates(own.Seconds())
	if !row.given[greatestInterval] && byRule > 0 {
		*least, row.given[greatestInterval] = min(byRule, *greatest), true
	}
	if !row.given[leastInterval] && !math.IsInf(mostByRule, 1) {
		*greatest, row.given[leastInterval] = max(mostByRule, *least), true
	}
	return nil
}

// unit returns the unit of the rates of a row.
func (r *record) unit(at int, column string) (unit.Unit, *FileError) {
	c := &r.cells[at]
	if c.empty() {
		return unit.Unknown, nil
	}
	own, err := unit.Parse(strings.ToLower(string(c.text)))
	if err != nil {
		return own, r.fault(at, "second, minute, hour or day, in the column "+column)
	}
	return own, nil
}

// take adds a row to the table. Its unit has to be that of the rows before: reading ends
// if it is not.
func (t *table) take(row *tableRow) (*FileError, error) {
	n := t.ids.Len()
	switch {
	case n == 0:
		t.unit = row.unit
	case row.unit != t.unit:
		return nil, faultAt(row.line, 1, fmt.Sprintf("the unit %q", row.unit), fmt.Sprintf("%q, as in the rows before", t.unit))
	case n == maxRows:
		return nil, errTooManyRows
	}
	if first, found := t.index.findOrAppend(row.name, row.hash); found {
		noun := t.layout[0].names[0]
		text := fmt.Sprintf("%s %s, which is on line %d already", noun, wording.Quote(string(row.name)), t.line(first))
		return faultAt(row.line, 1, text, "each "+noun+" once"), nil
	}
	if last := len(t.shifts) - 1; last < 0 || t.shifts[last].lines != row.line-n {
		t.shifts = append(t.shifts, shift{n, row.line - n})
	}
	for i := range t.fields {
		if !row.given[i] {
			continue
		}
		if t.numbers[i] == nil {
			t.numbers[i] = make([]float64, 0, cap(t.ids.ends))
		}
		t.numbers[i] = append(t.fields[i].fill(t.numbers[i], n), row.numbers[i])
	}
	if t.hosts != nil {
		t.hosts.Of = append(t.hosts.Of, t.host(row.host))
	}
	return nil, nil
}

// ahead loads what take will ask for of the index into the cache: the processor waits for
// many of these places at the same time, and would wait for one after the other in take.
func (t *table) ahead(rows []parsed[tableRow]) {
	mask := uint32(len(t.index.slots) - 1)
	for i := range rows {
		t.loaded += t.index.slots[rows[i].row.hash&mask].number
	}
}

// host returns the number of the host of the next row, which is often that of the row before.
func (t *table) host(name []byte) int32 {
	if last := len(t.hosts.Of) - 1; last >= 0 && bytes.Equal(t.hosts.Names.Bytes(int(t.hosts.Of[last])), name) {
		return t.hosts.Of[last]
	}
	host, _ := t.byName.findOrAppend(name, t.byName.hash(name))
	return int32(host)
}

// line returns the line of a row.
func (t *table) line(row int) int {
	at, found := slices.BinarySearchFunc(t.shifts, row, func(s shift, row int) int { return s.row - row })
	if !found {
		at--
	}
	return row + t.shifts[at].lines
}

// reserve makes room for all rows of a file, some of which have been taken: slices that
// grow are copied again and again. Memory that is not used costs nothing.
func (t *table) reserve(rows int) {
	n := t.ids.Len()
	more := min(rows, maxRows) - n
	if n == 0 || more <= 0 {
		return
	}
	const longer = 1.5 // names tend to be longer further on
	t.ids.text = withRoom(t.ids.text, int(longer*float64(len(t.ids.text))/float64(n)*float64(n+more)))
	t.ids.ends = withRoom(t.ids.ends, n+more)
	t.index.reserve(n + more)
	for i := range t.numbers {
		if t.numbers[i] != nil {
			t.numbers[i] = withRoom(t.numbers[i], n+more)
		}
	}
	if t.hosts != nil {
		t.hosts.Of = withRoom(t.hosts.Of, n+more)
	}
}

// withRoom returns a slice with another capacity. slices.Grow would write zeros to all of
// it, and so take memory that may not be used.
func withRoom[T any](all []T, capacity int) []T { return append(make([]T, 0, capacity), all...) }
