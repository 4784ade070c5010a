package pagefile

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// Pages is a page list: names, change rates, and weights if the file has them
// (nil stands for 1 everywhere). Page i of package refresh is IDs.At(i).
type Pages struct {
	IDs IDs
	refresh.Pages
}

// Rates is a list of access rates.
type Rates struct {
	IDs   IDs
	Rates []float64
}

// ReadPages reads a page list. Rows whose change rate or weight is not a finite
// number of 0 or more, and all rows of an id but the first, cannot be used and
// are left out: see [Options] and [Report]. Errors are of type *[FileError] where
// they belong to a place in the file.
func ReadPages(ctx context.Context, source Source, options Options) (*Pages, *Report, error) {
	t, report, err := readTable(ctx, source, options, layout{
		idField,
		{names: []string{"change_rate"}},
		{names: []string{"weight"}, optional: true},
	})
	if err != nil {
		return nil, report, err
	}
	return &Pages{t.ids, refresh.Pages{ChangeRates: t.numbers[0], Weights: t.numbers[1]}}, report, nil
}

// ReadRates reads a list of rates, such as [WriteRates] writes.
func ReadRates(ctx context.Context, source Source, options Options) (*Rates, *Report, error) {
	t, report, err := readTable(ctx, source, options, layout{
		idField,
		{names: []string{"rate"}},
	})
	if err != nil {
		return nil, report, err
	}
	return &Rates{t.ids, t.numbers[0]}, report, nil
}

// maxRows is the greatest number of rows: refresh's sequences number pages by 31
// bits.
const maxRows = math.MaxInt32

// A table is a list of names with one or two numbers each.
type table struct {
	ids     IDs
	numbers [2][]float64 // of the fields 1 and 2; nil where the file has no such column
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
	numbers [2][]float64
	line    int64 // of the first row
	lines   []uint32
	steady  bool    // lines count up by 1
	present [2]bool // some row has the number
	fields  int     // numbers to be read
}

// reset empties the block for another one. The table has taken lines that are
// not steady.
func (b *rows) reset() {
	if !b.steady {
		b.lines = nil
	}
	b.text, b.ends, b.lines = b.text[:0], b.ends[:0], b.lines[:0]
	b.numbers = [2][]float64{b.numbers[0][:0], b.numbers[1][:0]}
	b.present = [2]bool{}
}

const numberAllowed = "a finite number of 0 or more"

// take is collector's.
func (b *rows) take(r *record) *FileError {
	id, fault := r.id()
	if fault != nil {
		return fault
	}
	var numbers [2]float64
	for i := range b.fields {
		c := &r.cells[i+1]
		value, ok := c.value()
		if !ok && i == 1 && c.kind == missing && c.column == 0 {
			value, ok = 1, true // no such column, or none in this row of JSON
		} else {
			b.present[i] = true
		}
		if !ok || !(value >= 0 && value <= math.MaxFloat64) {
			return r.fault(i+1, numberAllowed)
		}
		numbers[i] = value
	}
	if len(b.ends) == 0 {
		b.line, b.steady = r.line, true
	}
	b.steady = b.steady && r.line-b.line == int64(len(b.ends))
	b.lines = append(b.lines, uint32(r.line-b.line))
	b.text = append(b.text, id...)
	b.ends = append(b.ends, uint64(len(b.text)))
	for i := range b.fields {
		b.numbers[i] = append(b.numbers[i], numbers[i])
	}
	return nil
}

// readTable reads names and numbers, and leaves out names seen before.
func readTable(ctx context.Context, source Source, options Options, l layout) (*table, *Report, error) {
	in, err := source.open(options)
	if err != nil {
		return nil, &Report{}, err
	}
	defer in.close()
	r := &reporter{file: in.name, options: options}
	t := &table{}
	spare := sync.Pool{New: func() any { return &rows{fields: len(l) - 1} }}
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
	}
	s := span{row: t.ids.Len(), line: b.line}
	if !b.steady {
		s.lines = b.lines
	}
	t.spans = append(t.spans, s)
	t.ids.appendAll(b.text, b.ends)
	for i := range b.fields {
		if t.numbers[i] == nil {
			if !b.present[i] {
				continue
			}
			t.numbers[i] = ones(s.row, cap(t.ids.ends))
		}
		t.numbers[i] = append(t.numbers[i], b.numbers[i]...)
	}
	return nil
}

// ones returns the weights of rows read before the first row that has one.
func ones(rows, capacity int) []float64 {
	numbers := make([]float64, rows, max(rows, capacity))
	for i := range numbers {
		numbers[i] = 1
	}
	return numbers
}
