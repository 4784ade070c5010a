package pagefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

const (
	// blockSize is the number of bytes that are taken apart at a time.
	blockSize = 1 << 20
	// maxRecord is the greatest size of a row.
	maxRecord = 16 << 20
)

// A block is some whole rows of a text.
type block struct {
	data []byte
	line int64 // of the first byte
}

// A blockReader cuts a text into blocks.
type blockReader struct {
	reader io.Reader
	cut    func(data []byte) int // the length of the whole rows that data begins with
	rest   []byte                // read, not handed out
	line   int64                 // of the first byte of rest
	ended  bool
	spare  [][]byte
	size   int
}

func newBlockReader(reader io.Reader, cut func([]byte) int) *blockReader {
	return &blockReader{reader: reader, cut: cut, line: 1, size: blockSize}
}

// next returns the next block, or io.EOF.
func (b *blockReader) next() (block, error) {
	var data []byte
	if last := len(b.spare) - 1; last >= 0 {
		data, b.spare = b.spare[last], b.spare[:last]
	} else {
		data = make([]byte, 0, b.size)
	}
	data = append(data[:0], b.rest...)
	b.rest = b.rest[:0]
	for {
		if err := b.fill(&data); err != nil {
			return block{}, err
		}
		whole := len(data)
		if !b.ended {
			whole = b.cut(data)
		}
		if whole > 0 {
			b.rest = append(b.rest, data[whole:]...)
			piece := block{data[:whole], b.line}
			b.line += int64(bytes.Count(piece.data, newline))
			return piece, nil
		}
		if b.ended {
			return block{}, io.EOF
		}
		if len(data) >= maxRecord {
			return block{}, faultAt(b.line, 1, fmt.Sprintf("a row of more than %d bytes", maxRecord),
				"less (is a quote missing?)")
		}
		data = append(make([]byte, 0, 2*cap(data)), data...)
	}
}

var newline = []byte("\n")

// fill reads until data is full or the text ends.
func (b *blockReader) fill(data *[]byte) error {
	for !b.ended && len(*data) < cap(*data) {
		n, err := b.reader.Read((*data)[len(*data):cap(*data)])
		*data = (*data)[:len(*data)+n]
		if errors.Is(err, io.EOF) {
			b.ended = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// recycle takes back the memory of a block.
func (b *blockReader) recycle(piece block) {
	if cap(piece.data) >= b.size && cap(piece.data) <= 2*b.size {
		b.spare = append(b.spare, piece.data)
	}
}

// taken is what has been made of a block.
type taken[C collector] struct {
	block   block
	content C
	faults  []*FileError
	more    int64 // faults that nobody asks for, and that would take memory
}

// reject counts a fault, and keeps it if it may be asked for.
func (t *taken[C]) reject(fault *FileError, all bool) {
	if all || len(t.faults) < KeptFaults {
		t.faults = append(t.faults, fault)
	} else {
		t.more++
	}
}

// readText reads CSV or JSON lines: make a collector for each block, and accept
// them in order.
func readText[C collector](ctx context.Context, in *input, l layout, r *reporter, create func() C, accept func(C) error) error {
	var parse func(block, collector, func(*FileError))
	blocks := newBlockReader(in.reader, cutLines)
	if r.options.blockSize > 0 {
		blocks.size = r.options.blockSize
	}
	if in.format == JSONLines {
		parse = l.parseJSONLines
	} else {
		blocks.cut = cutCSV
	}
	if head, _ := in.reader.Peek(len(byteOrderMark)); bytes.Equal(head, byteOrderMark) { // an error comes again
		_, _ = in.reader.Discard(len(head))
	}
	begun := false
	next := func() (block, error) {
		piece, err := blocks.next()
		if err != nil || begun {
			return piece, err
		}
		if in.format != CSV {
			begun = true
			return piece, nil
		}
		for {
			header, rest, err := l.parseHeader(piece)
			if header != nil || err != nil {
				if begun = true; header != nil {
					parse = header.parse
				}
				return rest, err
			}
			if piece, err = blocks.next(); err != nil {
				return piece, err
			}
		}
	}
	work := func(piece block) taken[C] {
		t := taken[C]{block: piece, content: create()}
		parse(piece, t.content, func(fault *FileError) { t.reject(fault, r.options.OnFault != nil) })
		return t
	}
	take := func(t taken[C]) error {
		if err := takeBlock(r, &t, accept); err != nil {
			return err
		}
		blocks.recycle(t.block)
		return nil
	}
	err := inOrder(ctx, r.options.Workers, next, work, take)
	if err == nil && !begun && in.format == CSV {
		err = faultAt(1, 1, "an empty file", "a header with "+l.describe())
	}
	return r.named(err)
}

// takeBlock reports the faults of a block and accepts its rows.
func takeBlock[C collector](r *reporter, t *taken[C], accept func(C) error) error {
	for _, fault := range t.faults {
		if err := r.reject(fault); err != nil {
			return earlier(err, accept(t.content))
		}
	}
	r.report.Unusable += t.more
	return accept(t.content)
}

// cutLines returns the length of the whole lines.
func cutLines(data []byte) int { return bytes.LastIndexByte(data, '\n') + 1 }

// earlier returns, of the fault at which strict reading stops and what the other
// rows of its block have led to, the one that comes first in the file.
func earlier(fault, content error) error {
	var first, second *FileError
	if errors.As(fault, &first) && errors.As(content, &second) && second.Line < first.Line {
		return second
	}
	return fault
}
