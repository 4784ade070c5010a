// Package numberfile reads files of numbers: rows of numbers set apart by spaces or
// commas, where # begins a comment that ends with the line.
package numberfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/number"
)

// maxLine is the length of the longest line that is read, in bytes.
const maxLine = 1 << 24

// Cell is a number and its place.
type Cell struct {
	Value float64
	Place filepos.Place
}

// Read returns the numbers of a text, line by line, without the lines that have
// none; name is what errors call the file. What is no number is a
// [*filepos.Error].
func Read(r io.Reader, name string) ([][]Cell, error) {
	var rows [][]Cell
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	line := 1
	for ; lines.Scan(); line++ {
		row, err := readRow(lines.Text(), name, line)
		if err != nil {
			return nil, err
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, filepos.Fault(fmt.Sprintf("a line of more than %d bytes", maxLine), "a shorter one").At(name, filepos.Place{Line: line, Column: 1})
	} else if err != nil {
		return nil, fmt.Errorf("%s: reading line %d: %w", name, line, err)
	}
	return rows, nil
}

func readRow(text, name string, line int) (row []Cell, err error) {
	text, _, _ = strings.Cut(text, "#")
	for at := 0; at < len(text); {
		if isSeparator(rune(text[at])) {
			at++
			continue
		}
		word, place := text[at:], filepos.Place{Line: line, Column: at + 1}
		if length := strings.IndexFunc(word, isSeparator); length >= 0 {
			word = word[:length]
		}
		value, err := number.Parse(word)
		if err != nil {
			return nil, filepos.BadNumber(err).At(name, place)
		}
		row = append(row, Cell{value, place})
		at += len(word)
	}
	return row, nil
}

func isSeparator(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == '\r' }

// NotNegative returns the numbers of all rows, or an error at the first that is
// negative; what says what they are.
func NotNegative(rows [][]Cell, name, what string) ([]float64, error) {
	var list []float64
	for _, row := range rows {
		for _, cell := range row {
			if cell.Value < 0 {
				return nil, filepos.Fault(fmt.Sprintf("%s %v", what, cell.Value), "a number of 0 or more").At(name, cell.Place)
			}
			list = append(list, cell.Value)
		}
	}
	return list, nil
}
