// This file writes policies: as schedulers and as CSV.

package certificate

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// WriteScheduler writes a policy in the form in which Storm exports schedulers: a list with an
// object for each state. Its "s" has the values of the state's variables, or its number where the
// model has no variables. Its "c" lists the choices taken, by their number among all choices of the
// model, or is "undefined" in a state without an action. Probabilities that float64 does not hold
// are texts such as "1/3". missing lists the states without an action, ascending. Errors are a policy
// that changes from step to step, or does not fit the model, and those of w.
func WriteScheduler(w io.Writer, m *modelfile.Model, p mdp.Policy, missing []int32) error {
	if p.Steps != nil {
		return fmt.Errorf("certificate: a scheduler has no place for the policies of %d steps: use a CSV file", len(p.Steps))
	}
	if err := p.Validate(m); err != nil {
		return err
	}
	type choice struct {
		Index  int32    `json:"index"`
		Labels []string `json:"labels,omitzero"`
		Prob   any      `json:"prob"`
	}
	out := bufio.NewWriter(w) // faults come from Flush
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	names, values := m.Valuations()
	before := "["
	for s := range m.NumStates() {
		var choices any = "undefined"
		if _, isMissing := slices.BinarySearch(missing, int32(s)); !isMissing {
			var list []choice
			actions, shares := p.At(s)
			for i, a := range actions {
				c := choice{Index: m.StateStart[s] + a, Prob: probabilityText(shares, i)}
				if m.ActionNames != nil {
					c.Labels = slices.DeleteFunc([]string{m.ActionNames[c.Index]}, func(name string) bool { return name == "" })
				}
				list = append(list, c)
			}
			choices = list
		}
		var state any = s
		if names != nil {
			valued := make(map[string]any, len(names))
			for i, value := range values(s) {
				valued[names[i]] = typed(value)
			}
			state = valued
		}
		_, _ = out.WriteString(before)
		_ = encoder.Encode(map[string]any{"c": choices, "s": state})
		before = ","
	}
	_, _ = out.WriteString("]\n")
	return out.Flush()
}

// probabilityText returns the probability of an action, 1 for nil, as a number for JSON or, where
// float64 does not hold it, as a fraction.
func probabilityText(shares []*big.Rat, action int) any {
	if shares == nil {
		return 1
	}
	if x, isExact := shares[action].Float64(); isExact {
		return x
	}
	return shares[action].RatString()
}

// typed returns the value of a variable for JSON: true, false or a whole number if it is written so,
// and otherwise a text.
func typed(value string) any {
	if x, isInt := new(big.Int).SetString(value, 10); value == "true" || value == "false" || isInt && x.String() == value {
		return json.RawMessage(value)
	}
	return value
}

// WritePolicyCSV writes a policy, or one for each step, with a line for each state and action taken.
// The columns are: state, its number; step, from 1, if there are several policies; one for each
// variable of states; policy, the number of the action in its state; action, its name, if actions
// have names; probability, if a policy is randomised. The last three are empty for a state without
// an action. If states have names without variables, or a variable has the name of another column,
// a column name replaces the variables. Errors are a policy that does not fit, and those of w.
func WritePolicyCSV(w io.Writer, m *modelfile.Model, p mdp.Policy, missing []int32) error {
	if err := p.Validate(m); err != nil {
		return err
	}
	isRandomised := p.Probabilities != nil || slices.ContainsFunc(p.Steps, func(step mdp.Policy) bool { return step.Probabilities != nil })
	names, values := m.Valuations()
	clash := slices.ContainsFunc(names, func(name string) bool { return slices.Contains(ownColumns, name) })
	if m.StateNames != nil && (names == nil || clash) {
		names, values = []string{"name"}, func(s int) []string { return m.StateNames[s : s+1] }
	}
	out := csv.NewWriter(w)
	write := func(state, step string, named []string, policy, action, probability string) { // faults come from Error
		line := []string{state}
		if p.Steps != nil {
			line = append(line, step)
		}
		line = append(append(line, named...), policy)
		if m.ActionNames != nil {
			line = append(line, action)
		}
		if isRandomised {
			line = append(line, probability)
		}
		_ = out.Write(line)
	}
	write("state", "step", names, "policy", "action", "probability")
	for step := range max(1, len(p.Steps)) {
		for s := range m.NumStates() {
			var named []string
			if names != nil {
				named = values(s)
			}
			if _, isMissing := slices.BinarySearch(missing, int32(s)); isMissing {
				write(strconv.Itoa(s), strconv.Itoa(step+1), named, "", "", "")
				continue
			}
			actions, shares := p.InStep(step).At(s)
			for i, a := range actions {
				write(strconv.Itoa(s), strconv.Itoa(step+1), named, strconv.Itoa(int(a)), m.ActionName(s, int(m.StateStart[s]+a)), fmt.Sprint(probabilityText(shares, i)))
			}
		}
	}
	out.Flush()
	return out.Error()
}
