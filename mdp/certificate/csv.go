// This file reads policies and values in CSV.

package certificate

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// table is what a file in CSV says.
type table struct {
	policyBuilder
	values []float64
	valued []bool // by state

	state, action, probability, value int // columns; −1 for none
}

// readCSV reads a policy, values, or both.
func readCSV(r io.Reader, name string, m *modelfile.Model) (*Answer, error) {
	lines := csv.NewReader(r)
	lines.ReuseRecord, lines.TrimLeadingSpace = true, true
	t := &table{policyBuilder: policyBuilder{model: m}}
	for header := true; ; header = false {
		cells, err := lines.Read()
		if errors.Is(err, io.EOF) && !header {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			if at, ok := errors.AsType[*csv.ParseError](err); ok {
				err = fmt.Errorf("%s:%d:%d: %w", name, at.Line, max(at.Column, 1), at.Err)
			}
			return nil, err
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		column := 0
		if header {
			err = t.readHeader(cells)
		} else {
			column, err = t.readLine(cells)
		}
		if err != nil {
			line, at := 1, 1
			if len(cells) > 0 {
				line, at = lines.FieldPos(column)
			}
			return nil, fmt.Errorf("%s:%d:%d: %w", name, line, at, err)
		}
	}
	a := &Answer{Values: t.values}
	if s := slices.Index(t.valued, false); s >= 0 {
		return nil, fmt.Errorf("%s: %w", name, fault(fmt.Sprintf("no value for state %d", s), "a line for each state"))
	}
	if t.action >= 0 {
		p, err := t.policy(true)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		a.Policy = p
	}
	return a, nil
}

// readHeader finds the columns.
func (t *table) readHeader(names []string) error {
	column := func(name string) int { return slices.Index(names, name) }
	t.state, t.probability, t.value = column("state"), column("probability"), column("value")
	if t.action = column("policy"); t.action < 0 { // a number, and so the better one of the two
		t.action = column("action")
	}
	if t.state < 0 || t.action < 0 && t.value < 0 || t.action < 0 && t.probability >= 0 {
		return fault("a header with the columns "+wording.List(names),
			`"state" with "action", "action" and "probability", or "value", separated by commas`)
	}
	for _, own := range []int{t.state, t.action, t.probability, t.value} {
		if own >= 0 && slices.Contains(names[own+1:], names[own]) {
			return fault("a header with two columns "+wording.Quote(names[own]), "one of them")
		}
	}
	if t.value >= 0 {
		t.values, t.valued = make([]float64, t.model.NumStates()), make([]bool, t.model.NumStates())
	}
	return nil
}

// readLine reads a line. An error is about the cell of a column.
func (t *table) readLine(cells []string) (column int, err error) {
	s, err := t.policyBuilder.state(cells[t.state])
	if err != nil {
		return t.state, err
	}
	if t.value >= 0 {
		if err := t.readValue(s, cells[t.value]); err != nil {
			return t.value, err
		}
	}
	if t.action < 0 {
		return 0, nil
	}
	own := taken{state: s}
	if own.action, err = t.policyBuilder.action(s, cells[t.action]); err != nil {
		return t.action, err
	}
	if t.probability >= 0 {
		if own.probability, err = probability(cells[t.probability]); err != nil {
			return t.probability, err
		}
	}
	t.take(own)
	return 0, nil
}

// readValue reads the value of a state.
func (t *table) readValue(s int32, text string) error {
	if t.valued[s] {
		return fault(fmt.Sprintf("a value of state %d for the second time", s), "one value of each state")
	}
	t.valued[s] = true
	size, negative := strings.CutPrefix(strings.TrimPrefix(text, "+"), "-")
	if strings.EqualFold(size, "inf") || strings.EqualFold(size, "infinity") {
		t.values[s] = math.Inf(1)
		if negative {
			t.values[s] = math.Inf(-1)
		}
		return nil
	}
	v, err := number.Parse(text)
	if err != nil {
		return fmt.Errorf("value of state %d: %w, inf or -inf", s, err)
	}
	t.values[s] = v + 0 // −0 becomes 0
	return nil
}
