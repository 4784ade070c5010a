package lines

import (
	"fmt"
	"io"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/number"
)

// Cell is a number and its place.
type Cell struct {
	Value float64
	Place filepos.Place
}

// Numbers returns the numbers of a text, line by line, without the lines that have
// none: they are separated by spaces or commas, and # begins a comment that ends with
// the line. name is what errors call the file. What is no number is a [*filepos.Error].
func Numbers(r io.Reader, name string) ([][]Cell, error) {
	var rows [][]Cell
	l := NewReader(r, name, "#")
	for l.Next() {
		var row []Cell
		for l.SkipSpace() && l.Peek() != '#' {
			if l.Accept(',') {
				continue
			}
			place := l.Place()
			value, err := number.Parse(string(l.WordBefore('#')))
			if err != nil {
				return nil, filepos.BadNumber(err).At(name, place)
			}
			row = append(row, Cell{value, place})
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
	}
	return rows, l.Err()
}

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
