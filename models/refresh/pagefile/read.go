package pagefile

// This file reads lists: workers parse pieces of a file, and one goroutine takes up the
// rows, in the order of the file.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// A list is a kind of file: its columns, and what becomes of its rows.
type list[T any] struct {
	layout layout
	// parse reads a row, whose name has been read, or returns its fault. Rows of
	// different pieces are parsed at the same time.
	parse func(r *record, row *T) *FileError
	// take takes up what parse has returned, or says why the row cannot be used; an error
	// ends reading. Rows come one by one, in the order of the file; the texts of cells are
	// valid until take returns.
	take func(row *T) (unusable *FileError, err error)
	// ahead, if not nil, sees the rows of a piece before they are taken.
	ahead func(rows []parsed[T])
	// reserve, if not nil, is told once how many rows the file may have.
	reserve func(rows int)
}

// A piece is some whole rows of a file.
type piece struct {
	parse   func(into sink)
	share   float64 // of the file; 0 if unknown
	recycle func()  // takes back its memory; nil for none
}

// A sink takes in what the parser of a format finds in a piece.
type sink interface {
	// add takes a row.
	add(r *record)
	// reject takes what is wrong with a row.
	reject(fault *FileError)
}

// A block is what has been parsed of a piece. It implements sink.
type block[T any] struct {
	first  *field // names the rows
	parse  func(r *record, row *T) *FileError
	strict bool // the first fault ends reading
	piece  piece
	rows   []parsed[T]
	last   *FileError // with which reading ends
}

// parsed is a row, or what is wrong with it.
type parsed[T any] struct {
	row   T
	fault *FileError
}

func (b *block[T]) add(r *record) {
	if b.last != nil {
		return
	}
	n := len(b.rows)
	b.rows = append(b.rows, parsed[T]{})
	fault := r.readName(b.first)
	if fault == nil {
		fault = b.parse(r, &b.rows[n].row)
	}
	if fault == nil {
		return
	}
	b.rows = b.rows[:n]
	b.reject(fault)
}

func (b *block[T]) reject(fault *FileError) {
	switch {
	case b.last != nil:
	case b.strict:
		b.last = fault
	default:
		b.rows = append(b.rows, parsed[T]{fault: fault})
	}
}

// read reads a file.
func (l *list[T]) read(ctx context.Context, source Source, options Options) (*Report, error) {
	report := &Report{}
	in, err := source.open()
	if err != nil {
		return report, err
	}
	defer in.close()
	next, err := in.pieces(ctx, l.layout, options)
	report.Former = strings.Contains(in.columns, "least_rate") || strings.Contains(in.columns, "greatest_rate")
	report.Ignored = in.ignored
	if err == nil {
		err = l.takeAll(ctx, next, in.name, options, report)
	}
	var fault *FileError
	switch {
	case err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return report, err
	case errors.As(err, &fault):
		fault.File = in.name
		return report, fault
	}
	return report, fmt.Errorf("%s: %w", in.name, err)
}

// takeAll parses pieces and takes up their rows.
func (l *list[T]) takeAll(ctx context.Context, next func() (piece, error), file string, options Options, report *Report) error {
	var spare sync.Pool // of *block[T]
	reserve := l.reserve
	return inOrder(ctx, options.Workers, next, func(p piece) *block[T] {
		b, ok := spare.Get().(*block[T])
		if !ok {
			b = &block[T]{first: &l.layout[0], parse: l.parse, strict: options.Strict}
		}
		b.piece, b.rows = p, b.rows[:0]
		p.parse(b)
		return b
	}, func(b *block[T]) error {
		if l.ahead != nil {
			l.ahead(b.rows)
		}
		for i := range b.rows {
			row := &b.rows[i]
			if row.fault == nil {
				var err error
				if row.fault, err = l.take(&row.row); err != nil {
					return err
				}
			}
			if row.fault == nil {
				report.Rows++
			} else if err := report.reject(row.fault, file, options); err != nil {
				return err
			}
		}
		if b.last != nil {
			return b.last
		}
		if reserve != nil && b.piece.share > 0 {
			const more = 1.03 // rows further on tend to be of the same size
			reserve(int(more * float64(len(b.rows)) / b.piece.share))
		}
		reserve = nil
		if b.piece.recycle != nil {
			b.piece.recycle()
		}
		spare.Put(b)
		return nil
	})
}

// reject reports a row that cannot be used. Strict reading makes it an error.
func (r *Report) reject(fault *FileError, file string, options Options) error {
	if options.Strict {
		return fault
	}
	fault.File = file
	r.Unusable++
	if len(r.Faults) < KeptFaults {
		r.Faults = append(r.Faults, fault)
	}
	return nil
}

// pieces returns what cuts a file into pieces, as its format has it.
func (in *input) pieces(ctx context.Context, l layout, options Options) (next func() (piece, error), err error) {
	if in.format == Parquet {
		return in.parquetPieces(ctx, l)
	}
	return in.textPieces(l, options)
}
