package pagefile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// Pages is a page list: names, change rates, and what else the file has. Page i
// of package refresh is IDs.At(i).
type Pages struct {
	IDs             IDs
	refresh.Pages             // nil Weights stand for 1 everywhere
	Least, Greatest []float64 // rates; nil for none; 0 and +Inf stand for no bound
	Hosts           *Hosts    // nil without [Options].Hosts
}

// Rates is a list of access rates.
type Rates struct {
	IDs   IDs
	Rates []float64
}

// ReadPages reads a page list. Rows cannot be used and are left out that have a
// change rate or a weight which refresh.Pages does not allow, another number that
// is not a finite one of 0 or more, a least rate above the greatest, or an id seen
// before: see [Options] and [Report]. Errors are of type *[FileError] where they
// belong to a place in the file.
func ReadPages(ctx context.Context, source Source, options Options) (*Pages, *Report, error) {
	const bound = numberAllowed + ", or nothing"
	l := layout{
		idField,
		{names: []string{"change_rate"}, allowed: limitedAllowed, limited: true},
		{names: []string{"weight"}, allowed: limitedAllowed, limited: true, optional: true, absent: 1},
		{names: []string{"least_rate"}, allowed: bound, optional: true, blank: true},
		{names: []string{"greatest_rate"}, allowed: bound, optional: true, blank: true, absent: math.Inf(1)},
	}
	if options.Hosts {
		l = append(l, hostFields...)
	}
	t, report, err := readTable(ctx, source, options, l)
	if err != nil {
		return nil, report, err
	}
	pages := &Pages{IDs: t.ids, Least: t.numbers[leastRate], Greatest: t.numbers[greatestRate]}
	pages.ChangeRates, pages.Weights = t.numbers[0], t.numbers[1]
	if t.hosts != nil {
		pages.Hosts = &t.hosts.Hosts
	}
	return pages, report, nil
}

// ReadRates reads a list of rates, such as [WriteRates] writes.
func ReadRates(ctx context.Context, source Source, options Options) (*Rates, *Report, error) {
	t, report, err := readTable(ctx, source, options, layout{
		idField,
		{names: []string{"rate"}, allowed: numberAllowed},
	})
	if err != nil {
		return nil, report, err
	}
	return &Rates{t.ids, t.numbers[0]}, report, nil
}

// maxRows is the greatest number of rows: refresh's sequences number pages by 31
// bits.
const maxRows = math.MaxInt32

// maxNumbers is the greatest number of numbers of a row; two of them, of page
// lists, are bounds.
const maxNumbers, leastRate, greatestRate = 4, 2, 3

// A table is a list of names with some numbers each, and hosts if it has to.
type table struct {
	layout  layout
	ids     IDs
	numbers [maxNumbers][]float64 // of the fields 1, 2 and so on; nil where no row has one
	hosts   *hostColumn
	spans   []span
}

// A span says where rows have been in the file.
type span struct {
	row   int      // the first row
	line  int64    // its line
	lines []uint32 // lines of the rows less that one, nil if they count up by 1
}

// line returns the line of a row.
func (t *table) line(row int) int64 {
	at, found := slices.BinarySearchFunc(t.spans, row, func(s span, row int) int { return s.row - row })
	if !found {
		at--
	}
	s := t.spans[at]
	if s.lines == nil {
		return s.line + int64(row-s.row)
	}
	return s.line + int64(s.lines[row-s.row])
}

// rows collects the rows of a block.
type rows struct {
	text    []byte
	ends    []uint64
	numbers [maxNumbers][]float64 // each up to the last row that has one
	hosts   *hostColumn
	line    int64 // of the first row
	lines   []uint32
	steady  bool // lines count up by 1
	layout  layout
	fields  int    // numbers to be read
	space   []byte // for a host
}

// reset empties the block for another one. The table has taken lines that are
// not steady.
func (b *rows) reset() {
	if !b.steady {
		b.lines = nil
	}
	b.text, b.ends, b.lines = b.text[:0], b.ends[:0], b.lines[:0]
	for i := range b.numbers {
		b.numbers[i] = b.numbers[i][:0]
	}
	if b.hosts != nil {
		b.hosts.reset()
	}
}

const (
	numberAllowed  = "a finite number of 0 or more"
	limitedAllowed = "0 or a number from 1e-100 to 1e100"
)

// holds reports whether a number is allowed in a field.
func (f *field) holds(value float64) bool {
	if f.limited {
		return value >= refresh.LeastNumber && value <= refresh.GreatestNumber || value == 0
	}
	return value >= 0 && value <= math.MaxFloat64
}

// take is collector's.
func (b *rows) take(r *record) *FileError {
	id, fault := r.name(0, b.layout[0].allowed)
	if fault != nil {
		return fault
	}
	var numbers [maxNumbers]float64
	var given [maxNumbers]bool
	for i := range b.fields {
		c, f := &r.cells[i+1], &b.layout[i+1]
		if c.empty() && (c.column == 0 && f.optional || c.column > 0 && f.blank) {
			continue
		}
		value, ok := c.value()
		if !ok || !f.holds(value) {
			return r.fault(i+1, f.allowed)
		}
		numbers[i], given[i] = value, true
	}
	if least, most := numbers[leastRate], numbers[greatestRate]; least > most && given[greatestRate] {
		return r.fault(1+leastRate, fmt.Sprintf("a number up to %v, the greatest rate", most))
	}
	if b.hosts != nil {
		host, fault := r.host(b.space)
		if fault != nil {
			return fault
		}
		b.hosts.add(host)
	}
	row := len(b.ends)
	if row == 0 {
		b.line, b.steady = r.line, true
	}
	b.steady = b.steady && r.line-b.line == int64(row)
	b.lines = append(b.lines, uint32(r.line-b.line))
	b.text = append(b.text, id...)
	b.ends = append(b.ends, uint64(len(b.text)))
	for i := range b.fields {
		if given[i] {
			b.numbers[i] = append(b.layout[i+1].fill(b.numbers[i], row), numbers[i])
		}
	}
	return nil
}

// fill makes numbers as many as there are rows, with what stands for those that
// are not there.
func (f *field) fill(numbers []float64, rows int) []float64 {
	for len(numbers) < rows {
		numbers = append(numbers, f.absent)
	}
	return numbers
}

// readTable reads names and numbers, and leaves out names seen before.
func readTable(ctx context.Context, source Source, options Options, l layout) (*table, *Report, error) {
	in, err := source.open(options)
	if err != nil {
		return nil, &Report{}, err
	}
	defer in.close()
	r := &reporter{file: in.name, options: options}
	t := &table{layout: l, hosts: l.hostColumn()}
	spare := sync.Pool{New: func() any {
		return &rows{layout: l, fields: min(len(l)-1, maxNumbers), hosts: l.hostColumn(), space: make([]byte, 0, 1<<8)}
	}}
	create := func() *rows { return spare.Get().(*rows) }
	accept := func(b *rows) error {
		err := t.append(b, in.blocks)
		b.reset()
		spare.Put(b)
		return err
	}
	if in.format == Parquet {
		err = readParquet(ctx, in, l, r, create, accept)
	} else {
		err = readText(ctx, in, l, r, create, accept)
	}
	if err == nil || options.Strict {
		err = t.leaveOutDuplicates(r, err)
	}
	r.report.Rows = int64(t.ids.Len())
	if err != nil {
		return nil, &r.report, err
	}
	return t, &r.report, nil
}

var errTooManyRows = errors.New("more than 2147483647 rows that can be used")

// append adds the rows of a block. Where the number of blocks is known, the needs
// of the first say how much memory all will take; more for names, which tend to
// be longer further on: what is not used of it costs nothing.
func (t *table) append(b *rows, blocks float64) error {
	if len(b.ends) == 0 {
		return nil
	}
	if t.ids.Len() > maxRows-len(b.ends) {
		return errTooManyRows
	}
	if t.ids.Len() == 0 && blocks > 1 {
		factor := blocks * 1.03
		rows := int(factor * float64(len(b.ends)))
		t.ids.text = make([]byte, 0, int(1.5*factor*float64(len(b.text))))
		t.ids.ends = make([]uint64, 0, rows)
		if t.hosts != nil {
			t.hosts.Of = make([]int32, 0, rows)
		}
	}
	s := span{row: t.ids.Len(), line: b.line}
	if !b.steady {
		s.lines = b.lines
	}
	t.spans = append(t.spans, s)
	t.ids.appendAll(b.text, b.ends)
	for i := range b.fields {
		if len(b.numbers[i]) == 0 && t.numbers[i] == nil {
			continue
		}
		if t.numbers[i] == nil {
			t.numbers[i] = make([]float64, 0, max(t.ids.Len(), cap(t.ids.ends)))
		}
		before := t.layout[i+1].fill(t.numbers[i], s.row)
		t.numbers[i] = t.layout[i+1].fill(append(before, b.numbers[i]...), t.ids.Len())
	}
	if t.hosts != nil {
		t.hosts.append(b.hosts)
	}
	return nil
}
