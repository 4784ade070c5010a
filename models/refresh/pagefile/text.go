package pagefile

// This file cuts CSV and JSON lines into pieces of whole rows, which are parsed in
// parallel.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

const (
	// textBlock is the number of bytes that are parsed at a time.
	textBlock = 1 << 20
	// headBytes of a text say how its fields are set apart.
	headBytes = 1 << 14
	// maxRecord is the greatest number of bytes of a row.
	maxRecord = 16 << 20
)

// FieldLines is the number of lines that a field in quotes may span where [Options] do not
// say another, and MostFieldLines the most that they may say.
const (
	FieldLines     = 10
	MostFieldLines = maxRecord
)

// A piece is some whole rows of a text.
type piece struct {
	data []byte
	line int // of the first byte
}

// A cutter cuts a text into pieces.
type cutter struct {
	reader io.Reader
	cut    func(data []byte) int // returns the length of the whole rows that data begins with
	size   int                   // of a piece, in bytes
	rest   []byte                // has been read, but not handed out
	line   int                   // of the first byte of rest
	prompt bool                  // hand out what has come
	ended  bool
	spare  sync.Pool // of *[]byte, for pieces
}

// next returns the next piece, or io.EOF.
func (c *cutter) next() (piece, error) {
	var data []byte
	if spare, ok := c.spare.Get().(*[]byte); ok {
		data = (*spare)[:0]
	} else {
		data = make([]byte, 0, c.size)
	}
	data = append(data, c.rest...)
	for {
		if err := c.fill(&data); err != nil {
			return piece{}, err
		}
		whole := len(data)
		if !c.ended {
			whole = c.cut(data)
		}
		switch {
		case whole > 0:
			p := piece{data[:whole], c.line}
			c.rest = append(c.rest[:0], data[whole:]...)
			c.line += bytes.Count(p.data, newline)
			return p, nil
		case c.ended:
			return piece{}, io.EOF
		case len(data) >= maxRecord:
			return piece{}, faultAt(c.line, 1, fmt.Sprintf("a row of more than %d bytes", maxRecord), "a shorter one (is a quote missing?)")
		}
		if len(data) == cap(data) {
			data = append(make([]byte, 0, 2*cap(data)), data...)
		}
	}
}

// fill reads until data is full or the text ends, or once to be prompt.
func (c *cutter) fill(data *[]byte) error {
	for !c.ended && len(*data) < cap(*data) {
		n, err := c.reader.Read((*data)[len(*data):cap(*data)])
		*data = (*data)[:len(*data)+n]
		if c.ended = errors.Is(err, io.EOF); err != nil && !c.ended {
			return err
		}
		if c.prompt && n > 0 {
			return nil
		}
	}
	return nil
}

// recycle takes back the memory of a piece that has been parsed.
func (c *cutter) recycle(p piece) {
	if cap(p.data) >= c.size && cap(p.data) <= 2*c.size {
		c.spare.Put(&p.data)
	}
}

var newline = []byte("\n")

// cutLines returns the length of the whole lines.
func cutLines(data []byte) int { return bytes.LastIndexByte(data, '\n') + 1 }

// readText reads CSV or JSON lines.
func (r *reading) readText(ctx context.Context, in *input) error {
	if head, _ := in.reader.Peek(len(byteOrderMark)); bytes.Equal(head, byteOrderMark) { // an error comes again
		_, _ = in.reader.Discard(len(head))
	}
	text := &cutter{reader: in.reader, cut: cutLines, size: textBlock, line: 1, prompt: r.options.prompt}
	if r.options.blockSize > 0 {
		text.size = r.options.blockSize
	}
	parse, next := r.layout.parseJSONLines, text.next
	if in.format == CSV {
		head := in.head(headBytes, r.options.prompt)
		if bytes.IndexByte(head, 0) >= 0 {
			return faultAt(1, 1, "bytes that are no text in UTF-8", "UTF-8, or UTF-16 with a byte order mark")
		}
		dialect := r.layout.dialect(head, cmp.Or(r.options.FieldLines, FieldLines))
		text.cut = dialect.Cut
		header, first, err := r.layout.readHeader(text, dialect)
		if err != nil {
			return err
		}
		parse = header.parse
		next = func() (piece, error) {
			if first.data == nil {
				return text.next()
			}
			p := first
			first.data = nil
			return p, nil
		}
	}
	return inOrder(ctx, r.options.Workers, next, func(p piece) *block {
		b := r.newBlock()
		parse(p, b)
		text.recycle(p)
		return b
	}, r.merge)
}
