// This file reads policies and values in CSV.

package certificate

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// table is what a file in CSV says.
type table struct {
	policyBuilder
	values []float64
	given  []bool // by state: its value

	state, action, probability, value int   // columns; −1 for none
	numbered                          bool  // actions are first taken for numbers, and then for names
	variables                         []int // columns of the variables of states; nil unless all are there
}

// ownColumns are the names of columns that are no variables.
var ownColumns = []string{"state", "policy", "action", "probability", "value"}

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
	if s := slices.Index(t.given, false); s >= 0 {
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
	if t.action = column("policy"); t.action < 0 {
		t.action = column("action")
	}
	t.numbered = column("policy") >= 0 // and so the better one of the two
	if err := t.findVariables(names); err != nil {
		return err
	}
	if t.state < 0 && t.variables == nil || t.action < 0 && t.value < 0 || t.action < 0 && t.probability >= 0 {
		found := "a header with the columns " + wording.List(names)
		if len(names) == 0 {
			found = "an empty file"
		}
		return fault(found,
			`"state" with "action", "action" and "probability", or "value", separated by commas`)
	}
	for _, own := range append(t.variables, t.state, t.action, t.probability, t.value) {
		if own >= 0 && slices.Contains(names[own+1:], names[own]) {
			return fault("a header with two columns "+wording.Quote(names[own]), "one of them")
		}
	}
	if t.value >= 0 {
		t.values, t.given = make([]float64, t.model.NumStates()), make([]bool, t.model.NumStates())
	}
	return nil
}

// findVariables finds the columns of the variables of states.
func (t *table) findVariables(names []string) error {
	variables, _ := t.model.Valuations()
	var columns []int
	clash := ""
	for _, name := range variables {
		if slices.Contains(ownColumns, name) {
			clash = name
		}
		at := slices.Index(names, name)
		if at < 0 {
			return nil
		}
		columns = append(columns, at)
	}
	if clash == "" {
		t.variables = columns
	} else if len(columns) > 1 {
		return fault("a column for each variable, and the variable "+wording.Quote(clash)+" has the name of another column",
			`the names of states, such as `+wording.Quote(t.model.StateNames[0])+`, in a column "state", without columns of variables`)
	}
	return nil
}

// readState returns the state of a line, and the column that an error is about.
func (t *table) readState(cells []string) (s int32, column int, err error) {
	valued := int32(-1)
	if t.variables != nil {
		values := make([]string, len(t.variables))
		for i, at := range t.variables {
			values[i] = cells[at]
		}
		if valued, err = t.valuation(values); err == nil && valued < 0 && t.state < 0 {
			err = fault("values that several states have", `a column "state" with the numbers of states`)
		}
		if err != nil || t.state < 0 {
			return valued, t.variables[0], err
		}
	}
	if s, err = t.policyBuilder.state(cells[t.state]); err == nil && valued >= 0 && valued != s {
		err = fault(fmt.Sprintf("state %d with the values of state %d", s, valued), "the state that has these values")
	}
	return s, t.state, err
}

// readLine reads a line. An error is about the cell of a column.
func (t *table) readLine(cells []string) (column int, err error) {
	s, column, err := t.readState(cells)
	if err != nil {
		return column, err
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
	if a, err := strconv.ParseUint(cells[t.action], 10, 31); t.numbered && err == nil && int32(a) < t.model.StateStart[s+1]-t.model.StateStart[s] {
		own.action = int32(a)
	} else if own.action, err = t.policyBuilder.action(s, cells[t.action]); err != nil {
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
	if t.given[s] {
		return fault(fmt.Sprintf("a value of state %d for the second time", s), "one value of each state")
	}
	t.given[s] = true
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
