// This file checks whether a model is valid.

package modelfile

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// checkChoice says what is wrong with the transitions of choice k, nil if
// nothing. With divided, probabilities will be divided by their sum, and it is
// allowed to be within 1e-6 of 1. The states they lead to are known to exist,
// the values to be finite and positive. Where the kind is not known yet (0),
// sums are not checked.
func (m *Model) checkChoice(k int, divided bool) *filepos.Error {
	lo, hi := m.row(k)
	if twice := repeated(m.Columns[lo:hi]); twice >= 0 {
		return filepos.Fault(fmt.Sprintf("state %d twice among those that the action leads to", twice), "each once")
	}
	if f := m.checkDistance(k); f != nil {
		return f
	}
	switch {
	case (m.Kind == CTMDP || m.Kind == SMDP) && !m.areKnown(lo, hi):
		return filepos.Fault(fmt.Sprintf("an interval in a model of kind %v", m.Kind), "a number")
	case m.Kind == SMDP && lo == hi:
		return filepos.Fault("no transitions", "one that leads somewhere (to its own state, if it does nothing)")
	case m.Kind != DTMC && m.Kind != MDP:
		return nil
	case lo == hi:
		return filepos.Fault("no transitions", "one that leads somewhere (to its own state, if it does nothing)")
	case m.IsUncertain() && !m.areKnown(lo, hi):
		return m.checkIntervals(lo, hi)
	}
	return m.Values.checkSum(lo, hi, divided)
}

// checkSum says what keeps numbers lo … hi−1 from being a distribution, nil if nothing.
func (n *Numbers) checkSum(lo, hi int, divided bool) *filepos.Error {
	if n.sumToOne(lo, hi) {
		return nil
	}
	sum := strconv.FormatFloat(floatSum(n.Float[lo:hi]).Float(), 'g', -1, 64)
	expected := "a sum of 1, within 1e-9"
	switch {
	case divided:
		expected = "a sum of 1, within 1e-6"
	case math.Abs(n.excess(lo, hi)) <= normalTolerance:
		expected += " (Options.Normalize divides sums within 1e-6)"
	}
	return filepos.Fault("probabilities that sum to "+sum, expected)
}

// repeated returns a number that occurs twice, −1 if none does. Files usually
// list the states of a row in increasing order, which needs no sorting.
func repeated(columns []int32) int32 {
	sorted := true
	for i := 1; i < len(columns); i++ {
		sorted = sorted && columns[i-1] < columns[i]
	}
	if sorted {
		return -1
	}
	columns = slices.Sorted(slices.Values(columns))
	for i := 1; i < len(columns); i++ {
		if columns[i-1] == columns[i] {
			return columns[i]
		}
	}
	return -1
}

// Validate reports the first thing that is wrong with a model, by state and
// choice: what the fields of [Model] demand of each other, rows that are no
// distributions, numbers that are negative, infinite or NaN, exact numbers that
// the others are not nearest to. Readers return valid models only.
func (m *Model) Validate() error {
	for _, check := range []func() error{m.checkShape, m.checkRows, m.checkInitial, m.checkLabels, m.checkRewards, m.checkNames} {
		if err := check(); err != nil {
			return fmt.Errorf("modelfile: model: %w", err)
		}
	}
	return nil
}

func (m *Model) checkShape() error {
	n, choices, transitions := m.NumStates(), m.NumChoices(), m.NumTransitions()
	if kindNames[m.Kind] == "" {
		return fmt.Errorf("kind %d is not valid: use DTMC, CTMC, MDP, CTMDP or SMDP", m.Kind)
	}
	if n == 0 || choices == 0 || m.StateStart[0] != 0 || int(m.StateStart[n]) != choices ||
		m.RowStart[0] != 0 || int(m.RowStart[choices]) != transitions {
		return errors.New("StateStart must lead from 0 to the number of choices, RowStart from 0 to the number of transitions, in at least one step")
	}
	for s := range n {
		switch actions := int64(m.StateStart[s+1]) - int64(m.StateStart[s]); {
		case actions < 1 || int(m.StateStart[s+1]) > choices:
			return fmt.Errorf("state %d has %d choices: use at least 1, of %d in all", s, actions, choices)
		case actions > 1 && !m.Kind.HasChoices():
			return fmt.Errorf("state %d has %d choices: use 1 in a %v", s, actions, m.Kind)
		}
	}
	for k := range choices {
		if m.RowStart[k+1] < m.RowStart[k] || int(m.RowStart[k+1]) > transitions {
			return fmt.Errorf("RowStart leads from %d to %d at choice %d: use numbers that do not decrease, up to %d",
				m.RowStart[k], m.RowStart[k+1], k, transitions)
		}
	}
	if m.Distance.Len() > 0 {
		if err := m.checkNumbers("distances", m.Distance, choices); err != nil {
			return err
		}
		if !m.IsUncertain() {
			return errors.New("distances without upper ends: use those of intervals of width 0")
		}
	}
	if err := m.checkNumbers("values", m.Values, transitions); err != nil || !m.IsUncertain() {
		return err
	}
	return m.checkNumbers("upper ends", m.High, transitions)
}

func (m *Model) checkRows() error {
	n := int32(m.NumStates())
	for s, k := range m.choices() {
		lo, hi := m.row(k)
		for e := lo; e < hi; e++ {
			if j := m.Columns[e]; j < 0 || j >= n {
				return fmt.Errorf("transition %d leads to state %d: use one of 0 … %d", e, j, n-1)
			}
			x := m.Values.Float[e]
			if high := m.high(e).float; m.IsUncertain() && !(x >= 0 && x <= high && (high > 0 || !m.Distance.isZero(k))) {
				return fmt.Errorf("transition %d has the interval [%v, %v]: use 0 ≤ low ≤ high, and high > 0", e, x, high)
			} else if !m.IsUncertain() && !(x > 0) {
				return fmt.Errorf("transition %d has the value %v: use a positive number", e, x)
			}
		}
		if fault := m.checkChoice(k, false); fault != nil {
			return fmt.Errorf("state %d, choice %d: %s", s, m.number(s, k), fault.What())
		}
	}
	return nil
}

func (m *Model) checkInitial() error {
	if len(m.Initial) == 0 {
		return errors.New("no initial state: use at least one")
	}
	return m.checkStates("initial states", m.Initial)
}

// checkStates checks a list of states.
func (m *Model) checkStates(what string, states []int32) error {
	last := int32(-1)
	for _, s := range states {
		if s <= last || int(s) >= m.NumStates() {
			return fmt.Errorf("%s: state %d after %d: use increasing ones of 0 … %d", what, s, last, m.NumStates()-1)
		}
		last = s
	}
	return nil
}

func (m *Model) checkLabels() error {
	for _, name := range m.labelNames() {
		if err := checkName(name); err != nil || name == initialLabel {
			return fmt.Errorf("label %s is not valid: use a text other than %q", wording.Quote(name), initialLabel)
		}
		if err := m.checkStates("label "+wording.Quote(name), m.Labels[name]); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) checkRewards() error {
	names := make(map[string]bool)
	for i := range m.Rewards {
		r := &m.Rewards[i]
		if err := checkName(r.Name); err != nil || names[r.Name] {
			return fmt.Errorf("reward model %d: name %s is not valid: use a text that no other has", i, wording.Quote(r.Name))
		}
		names[r.Name] = true
		for _, part := range []struct {
			name    string
			numbers Numbers
			length  int
		}{
			{"state rewards", r.State, m.NumStates()},
			{"action rewards", r.Action, m.NumChoices()},
			{"transition rewards", r.Transition, m.NumTransitions()},
		} {
			if part.numbers.Float == nil && part.numbers.Exact == nil {
				continue
			}
			if err := m.checkNumbers(fmt.Sprintf("reward model %s: %s", wording.Quote(r.Name), part.name), part.numbers, part.length); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *Model) checkNames() error {
	if m.ActionNames != nil && len(m.ActionNames) != m.NumChoices() {
		return fmt.Errorf("%d action names: use none or %d", len(m.ActionNames), m.NumChoices())
	}
	for k, name := range m.ActionNames {
		if name != "" && checkName(name) != nil {
			return fmt.Errorf("choice %d: action name %s is not a text in UTF-8", k, wording.Quote(name))
		}
	}
	if m.StateNames != nil && len(m.StateNames) != m.NumStates() {
		return fmt.Errorf("%d state names: use none or %d", len(m.StateNames), m.NumStates())
	}
	for s, name := range m.StateNames {
		if checkName(name) != nil {
			return fmt.Errorf("state %d: name %s is not a text in UTF-8", s, wording.Quote(name))
		}
	}
	if m.Variables != "" && checkName(m.Variables) != nil {
		return fmt.Errorf("variables %s are not a text in UTF-8", wording.Quote(m.Variables))
	}
	return nil
}

// checkName demands a text that is not empty, in UTF-8.
func checkName(name string) error {
	if name == "" || !utf8.ValidString(name) {
		return errors.New("no text")
	}
	return nil
}

// checkNumbers checks length, exactness and finiteness of a list.
func (m *Model) checkNumbers(what string, numbers Numbers, length int) error {
	exact := m.IsExact()
	if numbers.Len() != length || exact != (numbers.Exact != nil) || exact && len(numbers.Exact) != length {
		return fmt.Errorf("%s: %d numbers, %d exact ones: use %d and, as the model is exact or not, %d or 0",
			what, numbers.Len(), len(numbers.Exact), length, length)
	}
	for i, x := range numbers.Float {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%s: number %d is %v: use a finite number", what, i, x)
		}
		if !exact {
			continue
		}
		if numbers.Exact[i] == nil || isLong(numbers.Exact[i]) {
			return fmt.Errorf("%s: exact number %d is missing or has more than %d bits", what, i, maxBits)
		}
		if nearest, _ := numbers.Exact[i].Float64(); nearest != x {
			return fmt.Errorf("%s: number %d is %v: use the nearest to its exact value, %v", what, i, x, nearest)
		}
	}
	return nil
}
