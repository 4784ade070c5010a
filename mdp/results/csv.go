// This file reads policies and values in CSV.

package results

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// csvReader reads policies and values.
type csvReader struct {
	file   string
	lines  *csv.Reader
	cells  []string // of the present line
	policy *policyBuilder
	values []float64
	valued []bool // by state

	columns                           int // of the header
	state, action, probability, value int // columns; −1 for none
}

// readCSV reads a policy, values, or both.
func readCSV(r io.Reader, name string, m *mdpio.Model) (*Answer, error) {
	c := &csvReader{file: name, lines: csv.NewReader(r), policy: &policyBuilder{model: m, file: name}}
	c.lines.ReuseRecord = true
	c.lines.TrimLeadingSpace = true
	more, err := c.next()
	if err == nil {
		err = c.readHeader()
	}
	if err != nil {
		return nil, err
	}
	if c.value >= 0 {
		c.values, c.valued = make([]float64, m.NumStates()), make([]bool, m.NumStates())
	}
	end := filepos.Place{Line: 2, Column: 1}
	for more {
		if more, err = c.next(); err == nil && more {
			end.Line = c.at(0).Line + 1
			err = c.readLine()
		}
		if err != nil {
			return nil, err
		}
	}
	a := &Answer{Values: c.values}
	if s := slices.Index(c.valued, false); s >= 0 {
		return nil, filepos.Fault(fmt.Sprintf("no value for state %d", s), "a line for each state").At(name, end)
	}
	if c.action >= 0 {
		a.Policy, err = c.policy.policy(true, end)
	}
	return a, err
}

// next reads a line, if there is one.
func (c *csvReader) next() (more bool, err error) {
	c.cells, err = c.lines.Read()
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	for i := range c.cells {
		c.cells[i] = strings.TrimSpace(c.cells[i])
	}
	if syntax, ok := errors.AsType[*csv.ParseError](err); ok {
		fault := filepos.Fault("a quotation mark that is out of place ("+syntax.Err.Error()+")", "a cell without, or one in two of them, inside which they are doubled")
		if errors.Is(err, csv.ErrFieldCount) {
			fault = filepos.Fault("a line of another number of cells than the header", fmt.Sprintf("one of %d, set apart by commas", c.columns))
		}
		err = fault.At(c.file, filepos.Place{Line: syntax.Line, Column: max(syntax.Column, 1)})
	} else if err != nil {
		err = fmt.Errorf("%s: %w", c.file, err)
	}
	return true, err
}

// readHeader finds the columns.
func (c *csvReader) readHeader() error {
	names, start := c.cells, filepos.Place{Line: 1, Column: 1}
	column := func(name string) int { return slices.Index(names, name) }
	c.columns, c.state, c.probability, c.value = len(names), column("state"), column("probability"), column("value")
	if c.action = column("policy"); c.action < 0 { // a number, and so the better one of the two
		c.action = column("action")
	}
	if c.state < 0 || c.action < 0 && c.value < 0 || c.action < 0 && c.probability >= 0 {
		return filepos.Fault("a header with the columns "+wording.List(names),
			`"state" with "action", "action" and "probability", or "value", set apart by commas`).At(c.file, start)
	}
	for _, own := range []int{c.state, c.action, c.probability, c.value} {
		if own >= 0 && slices.Contains(names[own+1:], names[own]) {
			return filepos.Fault("a header with two columns "+wording.Quote(names[own]), "one of them").At(c.file, start)
		}
	}
	return nil
}

// at returns the place of a cell.
func (c *csvReader) at(column int) filepos.Place {
	line, from := c.lines.FieldPos(column)
	return filepos.Place{Line: line, Column: from}
}

func (c *csvReader) readLine() error {
	column := c.state
	s, fault := c.policy.state(c.cells[c.state])
	if fault == nil && c.value >= 0 {
		column = c.value
		fault = c.readValue(s, c.cells[c.value])
	}
	t := taken{state: s}
	if fault == nil && c.action >= 0 {
		column = c.action
		t.at = c.at(column)
		t.action, fault = c.policy.action(s, c.cells[c.action])
	}
	if fault == nil && c.probability >= 0 {
		column = c.probability
		t.probability, fault = probability(c.cells[c.probability])
	}
	if fault != nil {
		return fault.At(c.file, c.at(column))
	}
	if c.action >= 0 {
		c.policy.take(t)
	}
	return nil
}

// readValue reads the value of a state.
func (c *csvReader) readValue(s int32, text string) *filepos.Error {
	if c.valued[s] {
		return filepos.Fault(fmt.Sprintf("a value of state %d for the second time", s), "one value of each state")
	}
	c.valued[s] = true
	size, negative := strings.CutPrefix(strings.TrimPrefix(text, "+"), "-")
	if strings.EqualFold(size, "inf") || strings.EqualFold(size, infinity) {
		c.values[s] = math.Inf(1)
		if negative {
			c.values[s] = math.Inf(-1)
		}
		return nil
	}
	v, err := number.Parse(text)
	if err != nil {
		return filepos.Fault(fmt.Sprintf("value %s of state %d", wording.Quote(text), s), filepos.BadNumber(err).Expected+", inf or -inf")
	}
	c.values[s] = v + 0 // −0 becomes 0
	return nil
}
