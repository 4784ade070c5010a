package pagefile

// This file cuts CSV and JSON lines into pieces of whole rows, which are parsed in
// parallel.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

const (
	// textBlock is the number of bytes that are parsed at a time.
	textBlock = 1 << 17
	// headBytes of a text say what separates its fields.
	headBytes = 1 << 14
	// maxRecord is the greatest number of bytes of a row.
	maxRecord = 16 << 20
)

// Lines are some whole rows of a text.
type lines struct {
	data  []byte
	first int // number of the first line
}

// A cutter cuts a text into pieces. It does not wait to fill a piece, since more may come much
// later.
type cutter struct {
	reader io.Reader
	size   int    // of a piece, in bytes
	rest   []byte // has been read, but not handed out
	line   int    // of the first byte of rest
	ended  bool
	spare  sync.Pool // of *[]byte, for pieces
}

// next returns the next piece, or errEnd.
func (c *cutter) next() (lines, error) {
	var data []byte
	if spare, ok := c.spare.Get().(*[]byte); ok {
		data = (*spare)[:0]
	} else {
		data = make([]byte, 0, c.size)
	}
	data = append(data, c.rest...)
	for {
		whole := len(data)
		if !c.ended {
			whole = bytes.LastIndexByte(data, '\n') + 1
		}
		switch {
		case whole > 0:
			p := lines{data[:whole], c.line}
			c.rest = append(c.rest[:0], data[whole:]...)
			c.line += bytes.Count(p.data, newline)
			return p, nil
		case c.ended:
			return lines{}, errEnd
		case len(data) >= maxRecord:
			return lines{}, faultAt(c.line, 1, fmt.Sprintf("a row of more than %d bytes", maxRecord), "a shorter one")
		case len(data) == cap(data):
			data = append(make([]byte, 0, 2*cap(data)), data...)
		}
		n, err := c.reader.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if c.ended = errors.Is(err, io.EOF); err != nil && !c.ended {
			return lines{}, err
		}
	}
}

// unread puts the end of the last piece back.
func (c *cutter) unread(data []byte, line int) {
	c.rest, c.line = slices.Concat(data, c.rest), line
}

// recycle takes back the memory of a piece that has been parsed.
func (c *cutter) recycle(p lines) {
	if cap(p.data) >= c.size && cap(p.data) <= 2*c.size {
		c.spare.Put(&p.data)
	}
}

var newline = []byte("\n")

// textPieces cuts CSV or JSON lines.
func (in *input) textPieces(l layout, options Options) (next func() (piece, error), err error) {
	if head, _ := in.reader.Peek(len(byteOrderMark)); bytes.Equal(head, byteOrderMark) { // an error comes again
		_, _ = in.reader.Discard(len(head))
	}
	text := &cutter{reader: in.reader, size: cmp.Or(options.blockSize, textBlock), line: 1}
	parse := l.parseJSONLines
	head := in.head(headBytes)
	in.columns = string(head)
	if in.format == CSV {
		if bytes.IndexByte(head, 0) >= 0 {
			return nil, faultAt(1, 1, "bytes that are not UTF-8", "UTF-8 (the file may be in UTF-16)")
		}
		header, err := l.readHeader(text, l.delimiter(head))
		if err != nil {
			return nil, err
		}
		parse = header.parse
		for i, name := range header.names {
			if header.fields[i] < 0 {
				in.ignored = append(in.ignored, name)
			}
		}
	}
	return func() (piece, error) {
		rows, err := text.next()
		p := piece{parse: func(into sink) { parse(rows, into) }, recycle: func() { text.recycle(rows) }}
		if in.size > 0 {
			p.share = float64(len(rows.data)) / float64(in.size)
		}
		return p, err
	}, nil
}
