package queue

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/number"
)

// maxLine is the length of the longest line that is read, in bytes.
const maxLine = 1 << 24

// cell is a number of a file and where it stands; lines and columns count
// from 1, columns in bytes.
type cell struct {
	value        float64
	line, column int
}

// readRows returns the numbers of a file, line by line, without the lines that
// have none.
func readRows(name string, open func(string) (io.ReadCloser, error)) ([][]cell, error) {
	if name == "" {
		return nil, fmt.Errorf("no file name: use sample:FILE or ph:FILE")
	}
	if open == nil {
		return nil, fmt.Errorf("file %q is not valid here: use a law without a file", name)
	}
	file, err := open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	defer func() { _ = file.Close() }() // nothing was written that closing could lose
	var rows [][]cell
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine)
	line := 0
	for lines.Scan() {
		line++
		row, err := readRow(lines.Text(), line)
		if err != nil {
			return nil, fmt.Errorf("%s:%w", name, err)
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d:1: %w", name, line+1, err)
	}
	return rows, nil
}

// readRow returns the numbers of a line; an error begins with line:column.
func readRow(text string, line int) ([]cell, error) {
	text, _, _ = strings.Cut(text, "#")
	var row []cell
	for at := 0; at < len(text); {
		if isSeparator(rune(text[at])) {
			at++
			continue
		}
		end := len(text)
		if length := strings.IndexFunc(text[at:], isSeparator); length >= 0 {
			end = at + length
		}
		value, err := number.Parse(text[at:end])
		if err != nil {
			return nil, fmt.Errorf("%d:%d: %w", line, at+1, err)
		}
		row = append(row, cell{value, line, at + 1})
		at = end
	}
	return row, nil
}

func isSeparator(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == '\r' }
