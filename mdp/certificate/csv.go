// This file reads policies and values in CSV.

package certificate

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// table is what a file in CSV says.
type table struct {
	model *modelfile.Model
	// Columns; −1 for none. Either of policy and action may have numbers or names of actions.
	state, name, policy, action, probability, value, step, component int
	variables                                                        []int // columns of the variables of states; nil unless all are there

	readings []*reading // those without an error
	failed   error      // that of the last reading which had to be given up
	differ   error      // says where two readings differ first; nil where they do not
	mixed    string     // the number of the policy in a mixture
}

// reading is what a file says if digits are understood in one way.
type reading struct {
	policyBuilder
	states, actions digits
	values          []float64
	given           []bool // by state: its value
	last            taken  // of the last line

	later []*policyBuilder // of the steps after the first
}

// step returns the builder of the policy of a step, from 1.
func (r *reading) step(step int) *policyBuilder {
	if step == 1 {
		return &r.policyBuilder
	}
	if step-2 == len(r.later) {
		r.later = append(r.later, &policyBuilder{model: r.model})
	}
	return r.later[step-2]
}

// ownColumns are the names of columns that the program reads or writes, and so no variables.
var ownColumns = []string{
	"state", "name", "policy", "action", "probability", "value", "step", "component",
	"weight", "exact_value", "lower", "upper", "relative_value",
}

// readCSV reads a policy, values, or both.
func readCSV(r io.Reader, name string, m *modelfile.Model) (*Answer, error) {
	lines := csv.NewReader(r)
	lines.ReuseRecord, lines.TrimLeadingSpace = true, true
	t := &table{model: m}
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
		place := func(column int, err error) error {
			line, at := 1, 1
			if len(cells) > 0 {
				line, at = lines.FieldPos(column)
			}
			return fmt.Errorf("%s:%d:%d: %w", name, line, at, err)
		}
		if header {
			if err := t.readHeader(cells); err != nil {
				return nil, place(0, err)
			}
		} else if t.readLine(cells, place); len(t.readings) == 0 {
			return nil, t.failed
		}
	}
	return t.answer(name)
}

// readHeader finds the columns, and the ways to read them.
func (t *table) readHeader(names []string) error {
	column := func(name string) int { return slices.Index(names, name) }
	t.state, t.name, t.policy, t.action = column("state"), column("name"), column("policy"), column("action")
	t.probability, t.value, t.step, t.component = column("probability"), column("value"), column("step"), column("component")
	if t.model.StateNames == nil || column("property") >= 0 { // then the names are those of properties
		t.name = -1
	}
	if err := t.findVariables(names); err != nil {
		return err
	}
	if t.state < 0 && t.name < 0 && t.variables == nil || !t.hasPolicy() && (t.value < 0 || t.probability >= 0) {
		found := "an empty file"
		if len(names) > 0 {
			found = "a header with the columns " + wording.List(names)
		}
		return fault(found, `"state" with "action", "action" and "probability", or "value", separated by commas`)
	}
	for _, own := range append(t.variables, t.state, t.name, t.policy, t.action, t.probability, t.value, t.step, t.component) {
		if own >= 0 && slices.Contains(names[own+1:], names[own]) {
			return fault("a header with two columns "+wording.Quote(names[own]), "one of them")
		}
	}
	states, actions := []digits{eitherDigits}, []digits{eitherDigits}
	both := []digits{numberDigits, nameDigits}
	if t.name < 0 && t.variables == nil && hasNumeralStates(t.model) {
		states = both
	}
	if t.policy < 0 && t.action >= 0 && hasNumeralActions(t.model) {
		actions = both
	}
	for _, s := range states {
		for _, a := range actions {
			r := &reading{policyBuilder: policyBuilder{model: t.model}, states: s, actions: a}
			if t.value >= 0 {
				r.values, r.given = make([]float64, t.model.NumStates()), make([]bool, t.model.NumStates())
			}
			t.readings = append(t.readings, r)
		}
	}
	return nil
}

func (t *table) hasPolicy() bool { return t.policy >= 0 || t.action >= 0 }

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
	switch {
	case clash == "":
		t.variables = columns
	case t.state < 0 && t.name < 0 || t.state >= 0 && clash == "state" && len(columns) > 1:
		return fault("a column for each variable, and the variable "+wording.Quote(clash)+" has the name of another column",
			`the names of states, such as `+wording.Quote(t.model.StateNames[0])+`, in a column "name", without columns of variables`)
	}
	return nil
}

// readLine reads a line in all ways that have no error so far.
func (t *table) readLine(cells []string, place func(column int, err error) error) {
	kept := t.readings[:0]
	for _, r := range t.readings {
		if column, err := t.readLineAs(r, cells); err != nil {
			t.failed = place(column, err)
		} else {
			kept = append(kept, r)
		}
	}
	t.readings = kept
	for _, r := range t.readings {
		first := t.readings[0]
		switch {
		case t.differ != nil:
		case r.last.state != first.last.state:
			t.differ = place(t.state, fault("state "+wording.Quote(cells[t.state])+", the name of one state and the number of another",
				`names in a column "name" or, for numbers, that column beside "state"`))
		case r.last.action != first.last.action:
			t.differ = place(t.action, fault("action "+wording.Quote(cells[t.action])+", the name of one action and the number of another",
				`a column "policy" with the number of each action in its state`))
		}
	}
}

// readLineAs reads a line in one way. An error is about the cell of a column.
func (t *table) readLineAs(r *reading, cells []string) (column int, err error) {
	if column, err := t.checkComponent(cells); err != nil {
		return column, err
	}
	step, err := t.readStep(r, cells)
	if err != nil {
		return t.step, err
	}
	s, column, err := t.readState(r, cells)
	if err != nil {
		return column, err
	}
	if t.value >= 0 && step == 1 {
		if err := r.readValue(s, cells[t.value]); err != nil {
			return t.value, err
		}
	}
	own := taken{state: s}
	if !t.hasPolicy() {
		r.last = own
		return 0, nil
	}
	if (t.policy < 0 || cells[t.policy] == "") && (t.action < 0 || cells[t.action] == "") {
		r.step(step).leaveOpen(s)
		r.last = own
		return 0, nil
	}
	if own.action, column, err = t.readAction(r, s, cells); err != nil {
		return column, err
	}
	if t.probability >= 0 {
		if own.probability, err = probability(cells[t.probability]); err != nil {
			return t.probability, err
		}
	}
	r.step(step).take(own)
	r.last = own
	return 0, nil
}

// readStep returns the step of a line, 1 without a column for it.
func (t *table) readStep(r *reading, cells []string) (int, error) {
	if t.step < 0 {
		return 1, nil
	}
	most := 2 + len(r.later)
	step := int(numeral(cells[t.step], most+1))
	if step < 1 {
		return 0, fault("step "+wording.Quote(cells[t.step]), fmt.Sprintf("a step from 1 to %d here: steps are whole numbers in ascending order", most))
	}
	return step, nil
}

// checkComponent refuses lines of another policy of a mixture.
func (t *table) checkComponent(cells []string) (column int, err error) {
	if t.component < 0 {
		return 0, nil
	}
	if t.mixed == "" {
		t.mixed = cells[t.component]
	}
	if cells[t.component] != t.mixed {
		return t.component, fault("policy "+wording.Quote(cells[t.component])+" of a mixture, one of which is drawn at the start and followed for ever",
			"the lines of one policy")
	}
	return 0, nil
}

// readState returns the state of a line, and the column that an error is about.
func (t *table) readState(r *reading, cells []string) (s int32, column int, err error) {
	told, column := int32(-1), -1 // by values of variables, or by a name
	if t.variables != nil {
		values := make([]string, len(t.variables))
		for i, at := range t.variables {
			values[i] = cells[at]
		}
		column = t.variables[0]
		if told, err = r.valuation(values); err == nil && told < 0 && t.state < 0 {
			err = fault("values that several states have", `a column "state" with the numbers of states`)
		}
	} else if t.name >= 0 && t.state < 0 {
		column = t.name
		told, err = r.state(cells[t.name], nameDigits)
	}
	if err != nil || t.state < 0 {
		return told, column, err
	}
	if s, err = r.state(cells[t.state], r.states); err != nil {
		return s, t.state, err
	}
	if told >= 0 && told != s {
		err = fault(fmt.Sprintf("state %d with the values of state %d", s, told), "the state that has these values")
	} else if t.name >= 0 {
		if own := strings.TrimSpace(t.model.StateNames[s]); cells[t.name] != own {
			return s, t.name, fault(fmt.Sprintf("state %d with the name %s", s, wording.Quote(cells[t.name])), wording.Quote(own)+", its name in the model")
		}
	}
	return s, t.state, err
}

// readAction returns the action of a line, and the column that an error is about.
func (t *table) readAction(r *reading, s int32, cells []string) (a int32, column int, err error) {
	if t.policy < 0 {
		a, err = r.action(s, cells[t.action], r.actions)
		return a, t.action, err
	}
	if a, err = r.action(s, cells[t.policy], eitherDigits); err != nil || t.action < 0 {
		return a, t.policy, err
	}
	named, own := cells[t.action], strings.TrimSpace(t.model.ActionName(int(s), int(t.model.StateStart[s]+a)))
	if named == "" || named == own {
		return a, t.action, nil
	}
	if _, isNone := r.action(s, named, nameDigits); named != strconv.Itoa(int(a)) || isNone == nil {
		err = fault(fmt.Sprintf("action %d of state %d with the name %s", a, s, wording.Quote(named)), wording.Quote(own)+", its name in the model")
	}
	return a, t.action, err
}

// readValue reads the value of a state.
func (r *reading) readValue(s int32, text string) error {
	if r.given[s] {
		return fault(fmt.Sprintf("a value of state %d for the second time", s), "one value of each state")
	}
	r.given[s] = true
	size, negative := strings.CutPrefix(strings.TrimPrefix(text, "+"), "-")
	if strings.EqualFold(size, "inf") || strings.EqualFold(size, "infinity") {
		r.values[s] = math.Inf(1)
		if negative {
			r.values[s] = math.Inf(-1)
		}
		return nil
	}
	v, err := number.Parse(text)
	if err != nil {
		return fmt.Errorf("value of state %d: %w, inf or -inf", s, err)
	}
	r.values[s] = v + 0 // −0 becomes 0
	return nil
}

// answer returns what the file says in the only way to read it.
func (t *table) answer(name string) (found *Answer, err error) {
	for _, r := range t.readings {
		a, fault := t.answerAs(r)
		switch {
		case fault != nil:
			err = fmt.Errorf("%s: %w", name, fault)
		case found != nil && !reflect.DeepEqual(a, found):
			return nil, t.differ
		default:
			found = a
		}
	}
	if found != nil {
		err = nil
	}
	return found, err
}

func (t *table) answerAs(r *reading) (*Answer, error) {
	a := &Answer{Values: r.values, FirstStep: t.step >= 0 && r.later == nil}
	if s := slices.Index(r.given, false); s >= 0 {
		return nil, fault(fmt.Sprintf("no value for state %d", s), "a line for each state")
	}
	if !t.hasPolicy() {
		return a, nil
	}
	p, missing, err := r.policy(true)
	if err != nil {
		return nil, err
	}
	for step, later := range r.later {
		own, more, err := later.policy(true)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", step+2, err)
		}
		if step == 0 {
			p = mdp.Policy{Steps: []mdp.Policy{p}}
		}
		p.Steps, missing = append(p.Steps, own), append(missing, more...)
	}
	slices.Sort(missing)
	a.Policy, a.Missing = &p, slices.Compact(missing)
	return a, nil
}
