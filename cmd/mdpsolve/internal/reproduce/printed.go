// This file reads what the paper prints.

package reproduce

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/testdata"
)

// The printed numbers: tables and captions as rows of cells.

// exhibit is a table of the paper, or the captions of its figures.
type exhibit struct {
	name    string
	label   any // of its rows in JSON: the number of the table; nil for figures, whose rows have labels of their own
	reach   reach
	columns []string // of results
	rows    []*row
	notes   []string // about the whole exhibit
}

// reach says how many robots the policies of an exhibit may switch.
type reach int

const (
	reachFixed      reach = iota // the best fixed number: Table 1
	reachSufficient              // all that lower the cost: Table 2
	reachGiven                   // the number in the caption: Figures 6-8
)

// row is a row of an exhibit.
type row struct {
	name       string // for people
	label      any    // of the exhibit in JSON
	parameters robots.Parameters
	gamma      string // as a fraction
	outcome    outcome
	cells      []*cell // by column
}

// keys are the columns that hold parameters.
var keys = []string{"figure", "robots", "lambda", "K", "mu", "gamma", "gamma_printed"}

// printedExhibits returns the printed numbers of the chosen figures and tables.
func printedExhibits(figures, tables []string) []*exhibit {
	var exhibits []*exhibit
	if len(figures) > 0 {
		captions := readExhibit(testdata.Figures, reachGiven, nil)
		captions.name = "Figures 6-8"
		captions.rows = slices.DeleteFunc(captions.rows, func(r *row) bool {
			return !slices.Contains(figures, strings.TrimPrefix(r.name, "Figure "))
		})
		if len(figures) == 1 {
			captions.name = captions.rows[0].name
		}
		exhibits = append(exhibits, captions)
	}
	if slices.Contains(tables, "1") {
		exhibits = append(exhibits, readExhibit(testdata.Table1, reachFixed, 1))
	}
	if slices.Contains(tables, "2") {
		exhibits = append(exhibits, readExhibit(testdata.Table2, reachSufficient, 2))
	}
	return exhibits
}

// readExhibit reads embedded data; it panics where they are damaged.
func readExhibit(text string, reach reach, label any) *exhibit {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		panic("reproduce: printed data: " + err.Error())
	}
	header := lines[0]
	e := &exhibit{name: fmt.Sprintf("Table %v", label), label: label, reach: reach}
	for _, name := range header {
		if !slices.Contains(keys, name) {
			e.columns = append(e.columns, name)
		}
	}
	for _, line := range lines[1:] {
		values := map[string]string{}
		for i, name := range header {
			values[name] = line[i]
		}
		e.rows = append(e.rows, readRow(e, values))
	}
	return e
}

func readRow(e *exhibit, values map[string]string) *row {
	r := &row{label: e.label, gamma: values["gamma"]}
	r.parameters = robots.Parameters{
		Robots:           printedCount(values["robots"], 1),
		Buffer:           printedCount(values["K"], 0),
		ArrivalRate:      printedNumber(values["lambda"], 0),
		ServiceRate:      printedNumber(values["mu"], 1), // "μ = 1" in the text stands for all tables
		StarvationWeight: printedNumber(values["gamma"], 0),
	}
	r.name = fmt.Sprintf("lambda=%s K=%s gamma=%s", values["lambda"], values["K"], values["gamma"])
	if figure := values["figure"]; figure != "" {
		r.name, r.label = "Figure "+figure, "Figure "+figure
	}
	for _, column := range e.columns {
		c := &cell{row: r, column: column, printed: values[column]}
		c.digits = c.decimals()
		r.cells = append(r.cells, c)
	}
	return r
}

func printedNumber(text string, missing float64) float64 {
	if text == "" {
		return missing
	}
	value, err := number.Parse(text)
	if err != nil {
		panic("reproduce: printed data: " + err.Error())
	}
	return value
}

func printedCount(text string, missing int) int {
	return int(printedNumber(text, float64(missing)))
}

func (e *exhibit) cells() []*cell {
	var cells []*cell
	for _, r := range e.rows {
		cells = append(cells, r.cells...)
	}
	return cells
}

// cell is a printed number beside the computed ones.
type cell struct {
	row          *row
	column       string
	printed      string
	digits       int     // decimals of computed numbers
	paper, exact float64 // exact is NaN for the number of iterations, which depends on the method
	counted      bool    // equal if the whole exhibit counts in another way
	verdict      string  // empty where all numbers agree
	explained    bool
}

// decimals returns the number of printed decimals.
func (c *cell) decimals() int {
	_, fraction, _ := strings.Cut(c.printed, ".")
	return len(fraction)
}

// round returns a computed value with the decimals asked for; by default those printed.
func (c *cell) round(value float64) string { return strconv.FormatFloat(value, 'f', c.digits, 64) }
