// This file writes texts, numbers and labels: what the writers of all formats share.

package mdpio

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// lineWriter writes texts and numbers. The first error is kept for flush.
type lineWriter struct {
	w       *bufio.Writer
	scratch []byte
	first   bool // the next member is the first of its object
}

func newLineWriter(w io.Writer) *lineWriter {
	return &lineWriter{w: bufio.NewWriterSize(w, bufferSize)}
}

func (w *lineWriter) text(parts ...string) *lineWriter {
	for _, part := range parts {
		_, _ = w.w.WriteString(part) // errors stay with w.w, for flush
	}
	return w
}

func (w *lineWriter) int(n int) *lineWriter {
	w.scratch = strconv.AppendInt(w.scratch[:0], int64(n), 10)
	return w.bytes(w.scratch)
}

// number writes number i of a list.
func (w *lineWriter) number(numbers *Numbers, i int) *lineWriter {
	w.scratch = numbers.append(w.scratch[:0], i)
	return w.bytes(w.scratch)
}

func (w *lineWriter) bytes(text []byte) *lineWriter {
	_, _ = w.w.Write(text) // errors stay with w.w, for flush
	return w
}

// flush ends the writing.
func (w *lineWriter) flush() error {
	if err := w.w.Flush(); err != nil {
		return fmt.Errorf("mdpio: writing: %w", err)
	}
	return nil
}

// labelCursor tells the labels of one state after another.
type labelCursor struct {
	names  []string
	states [][]int32 // by name, those to come
	here   []string
}

func newLabelCursor(m *Model) *labelCursor {
	c := &labelCursor{names: append([]string{initialLabel}, m.labelNames()...)}
	for _, name := range c.names {
		states, _ := m.Labelled(name) // the names are the model's own
		c.states = append(c.states, states)
	}
	return c
}

// at returns the labels of state s, in order; s increases from call to call.
func (c *labelCursor) at(s int32) []string {
	c.here = c.here[:0]
	for i, name := range c.names {
		if len(c.states[i]) > 0 && c.states[i][0] == s {
			c.here = append(c.here, name)
			c.states[i] = c.states[i][1:]
		}
	}
	return c.here
}
