package pagefile

// This file reads a file block by block: workers parse blocks, and one goroutine
// merges what they become, in the order of the file.

import (
	"context"
	"errors"
	"fmt"
)

// A collector keeps the rows of one block.
type collector interface {
	// take keeps a row, or says what is wrong with it. Different collectors work
	// at the same time.
	take(r *record) *FileError
	// merge adds the rows to the result. Collectors merge one by one, in the order
	// of the file.
	merge() error
}

// A block is what has been parsed of a piece of the file.
type block struct {
	rows   collector
	strict bool         // the first fault ends reading: what follows is of no use
	faults []*FileError // of rows that cannot be used, the first limit of them
	limit  int
	more   int64      // further faults
	last   *FileError // with which reading ends, as the rows behind it cannot be told
}

// add hands a row to the collector.
func (b *block) add(r *record) {
	if b.last != nil || b.strict && len(b.faults) > 0 {
		return
	}
	fault := b.rows.take(r)
	switch {
	case fault == nil:
	case r.last:
		b.end(fault)
	default:
		b.reject(fault)
	}
}

// end notes the fault with which reading ends. What follows in the block is of no use.
func (b *block) end(fault *FileError) {
	if b.last == nil {
		b.last = fault
	}
}

// reject counts a row that cannot be used.
func (b *block) reject(fault *FileError) {
	if b.last != nil {
		return
	}
	if len(b.faults) < b.limit {
		b.faults = append(b.faults, fault)
	} else {
		b.more++
	}
}

// A reading is one file that is being read.
type reading struct {
	options Options
	layout  layout
	collect func() collector // for the next block
	report  Report

	file   string  // its name in messages
	blocks float64 // expected number of blocks, 0 if unknown
}

// read reads the whole file.
func (r *reading) read(ctx context.Context, source Source) error {
	var err error
	if r.layout, err = r.layout.renamed(r.options.Columns); err != nil {
		return err
	}
	in, err := source.open(r.options)
	if err != nil {
		return err
	}
	defer in.close()
	r.file, r.blocks = in.name, float64(in.size)/textBlock
	if in.format == Parquet {
		err = r.readParquet(ctx, in)
	} else {
		err = r.readText(ctx, in)
	}
	var fault *FileError
	switch {
	case err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return err
	case errors.As(err, &fault):
		fault.File = r.file
		return fault
	}
	return fmt.Errorf("%s: %w", r.file, err)
}

// newBlock returns an empty block. It has room for all faults if somebody asks for
// all of them.
func (r *reading) newBlock() *block {
	b := &block{rows: r.collect(), limit: KeptFaults, strict: r.options.Strict}
	if r.options.OnFault != nil {
		b.limit = int(maxRows)
	}
	return b
}

// merge reports the faults of a block and merges its rows.
func (r *reading) merge(b *block) error {
	for _, fault := range b.faults {
		if err := r.reject(fault); err != nil {
			return earlier(err, b.rows.merge())
		}
	}
	r.report.Unusable += b.more
	if err := b.rows.merge(); err != nil || b.last == nil {
		return err
	}
	return b.last // its file is named where reading ends
}

// earlier returns the error that comes first in the file: the fault at which strict
// reading stops, or what the other rows of its block have led to.
func earlier(fault, merged error) error {
	var first, second *FileError
	if errors.As(fault, &first) && errors.As(merged, &second) && second.Line < first.Line {
		return second
	}
	return fault
}

// reject reports a row that cannot be used. Strict reading makes it an error.
func (r *reading) reject(fault *FileError) error {
	fault.File = r.file
	if r.options.Strict {
		return fault
	}
	r.report.Unusable++
	if len(r.report.Faults) < KeptFaults {
		r.report.Faults = append(r.report.Faults, fault)
	}
	if r.options.OnFault != nil {
		r.options.OnFault(fault)
	}
	return nil
}
