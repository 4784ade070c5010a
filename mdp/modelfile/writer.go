// This file writes texts, numbers and labels: what the writers of all formats share.

package modelfile

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
}

func newLineWriter(w io.Writer) *lineWriter {
	return &lineWriter{w: bufio.NewWriterSize(w, 1<<18)}
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
		return fmt.Errorf("modelfile: writing: %w", err)
	}
	return nil
}

// separate writes a separator before every element but the first.
func (w *lineWriter) separate(i int, separator string) *lineWriter {
	if i > 0 {
		w.text(separator)
	}
	return w
}

// labelsOfStates returns the labels of each state, in order; "init" is one.
func (m *Model) labelsOfStates() [][]string {
	labels := make([][]string, m.NumStates())
	for _, name := range append([]string{initialLabel}, m.labelNames()...) {
		states, _ := m.Labelled(name) // the names are the model's own
		for _, s := range states {
			labels[s] = append(labels[s], name)
		}
	}
	return labels
}
