package mdpio

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// csvAnswer reads policies and values from CSV.
type csvAnswer struct {
	file   string
	lines  *csv.Reader
	model  *Model
	policy *policyBuilder
	values []float64
	valued []bool // by state

	columns                           int // of the header
	state, action, probability, value int // columns; −1 for none
}

// readAnswerCSV reads a policy, values, or both.
func readAnswerCSV(r io.Reader, name string, m *Model) (*Answer, error) {
	c := &csvAnswer{file: name, lines: csv.NewReader(r), model: m, policy: &policyBuilder{model: m}}
	c.lines.ReuseRecord = true
	c.lines.TrimLeadingSpace = true
	if err := c.readHeader(); err != nil {
		return nil, err
	}
	if c.value >= 0 {
		c.values, c.valued = make([]float64, m.NumStates()), make([]bool, m.NumStates())
	}
	end := place{2, 1}
	for {
		cells, err := c.lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, c.unreadable(err)
		}
		if err := c.readLine(cells); err != nil {
			return nil, err
		}
		end.line = c.at(0).line + 1
	}
	return c.answer(end)
}

// readHeader finds the columns.
func (c *csvAnswer) readHeader() error {
	cells, err := c.lines.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return c.unreadable(err)
	}
	names := make([]string, len(cells))
	for i, cell := range cells {
		names[i] = strings.TrimSpace(cell)
	}
	column := func(name string) int { return slices.Index(names, name) }
	c.state, c.probability, c.value = column("state"), column("probability"), column("value")
	if c.action = column("policy"); c.action < 0 { // a number, and so the better one of the two
		c.action = column("action")
	}
	if c.state < 0 || c.action < 0 && c.value < 0 || c.action < 0 && c.probability >= 0 {
		return (&fault{
			"a header with the columns " + quotedList(names),
			`"state" with "action", "action" and "probability", or "value", set apart by commas,`,
		}).at(c.file, place{1, 1})
	}
	for _, own := range []int{c.state, c.action, c.probability, c.value} {
		if own >= 0 && slices.Contains(names[own+1:], names[own]) {
			return (&fault{"a header with two columns " + wording.Quote(names[own]), "one of them"}).at(c.file, place{1, 1})
		}
	}
	c.columns = len(names)
	return nil
}

// unreadable words what is wrong with the CSV itself.
func (c *csvAnswer) unreadable(err error) error {
	syntax, ok := errors.AsType[*csv.ParseError](err)
	if !ok {
		return fmt.Errorf("mdpio: %s: %w", c.file, err)
	}
	f := &fault{"a quotation mark that is out of place (" + syntax.Err.Error() + ")", "a cell without, or one in two of them, inside which they are doubled,"}
	if errors.Is(err, csv.ErrFieldCount) {
		f = &fault{"a line of another number of cells than the header", fmt.Sprintf("one of %d, set apart by commas,", c.columns)}
	}
	return f.at(c.file, place{syntax.Line, max(syntax.Column, 1)})
}

func (c *csvAnswer) at(column int) place {
	line, from := c.lines.FieldPos(column)
	return place{line, from}
}

func (c *csvAnswer) readLine(cells []string) error {
	s, f := c.policy.stateNamed(strings.TrimSpace(cells[c.state]))
	if f != nil {
		return f.at(c.file, c.at(c.state))
	}
	if c.value >= 0 {
		if f := c.readValue(s, strings.TrimSpace(cells[c.value])); f != nil {
			return f.at(c.file, c.at(c.value))
		}
	}
	if c.action < 0 {
		return nil
	}
	a, f := c.policy.actionNamed(s, strings.TrimSpace(cells[c.action]))
	if f != nil {
		return f.at(c.file, c.at(c.action))
	}
	var probability *big.Rat
	if c.probability >= 0 {
		probability, f = c.policy.probability([]byte(strings.TrimSpace(cells[c.probability])))
		if f != nil {
			return f.at(c.file, c.at(c.probability))
		}
		if probability == nil {
			return nil
		}
	}
	c.policy.taken = append(c.policy.taken, taken{s, a, probability, c.at(c.action)})
	return nil
}

// readValue reads the value of a state.
func (c *csvAnswer) readValue(s int32, text string) *fault {
	if c.valued[s] {
		return &fault{fmt.Sprintf("a value of state %d for the second time", s), "one value of each state"}
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
	v, f := (&numberReader{}).read([]byte(text))
	if f != nil {
		return &fault{fmt.Sprintf("value %s of state %d", wording.Quote(text), s), f.allowed + ", inf or -inf"}
	}
	c.values[s] = v.float
	return nil
}

// answer returns what was read, once nothing is left.
func (c *csvAnswer) answer(end place) (*Answer, error) {
	a := &Answer{Values: c.values}
	if s := slices.Index(c.valued, false); s >= 0 {
		return nil, (&fault{fmt.Sprintf("no value for state %d", s), "a line for each state"}).at(c.file, end)
	}
	if c.action < 0 {
		return a, nil
	}
	var err error
	if a.Policy, err = c.policy.policy(c.file, true, end); err != nil {
		return nil, err
	}
	return a, nil
}
