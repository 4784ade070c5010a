// This file writes policies: as schedulers and as CSV.

package certificate

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math/big"
	"slices"
	"strconv"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// WriteScheduler writes a policy in the form in which Storm exports schedulers: a list with an
// object for each state. Its "s" has the values of the state's variables, or its number where the
// model has no variables. Its "c" lists the choices taken, by their number among all choices of the
// model, or is "undefined" in a state without an action. Probabilities that float64 does not hold
// are texts such as "1/3". Errors are several policies, one that does not fit the model, and those
// of w.
func WriteScheduler(w io.Writer, m *modelfile.Model, policies []*modelfile.Policy) error {
	if len(policies) != 1 {
		return fmt.Errorf("certificate: a scheduler has no place for the policies of %d steps: use a CSV file", len(policies))
	}
	p := policies[0]
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
		if !isMissing(p, s) {
			var list []choice
			for a, probability := range actionsTaken(p, s) {
				c := choice{Index: m.StateStart[s] + a, Prob: probabilityText(probability)}
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

// isMissing reports whether a policy has no action for a state.
func isMissing(p *modelfile.Policy, state int) bool {
	_, is := slices.BinarySearch(p.Missing, int32(state))
	return is
}

// actionsTaken yields the actions that a policy takes in a state, with their probabilities; nil
// stands for 1.
func actionsTaken(p *modelfile.Policy, state int) iter.Seq2[int32, *big.Rat] {
	return func(yield func(int32, *big.Rat) bool) {
		for i := p.Start[state]; i < p.Start[state+1]; i++ {
			var probability *big.Rat
			if p.Probabilities != nil {
				probability = p.Probabilities[i]
			}
			if !yield(p.Actions[i], probability) {
				return
			}
		}
	}
}

// probabilityText returns a probability as a number for JSON or, where float64 does not hold it, as
// a fraction.
func probabilityText(p *big.Rat) any {
	if p == nil {
		return 1
	}
	if x, isExact := p.Float64(); isExact {
		return x
	}
	return p.RatString()
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
func WritePolicyCSV(w io.Writer, m *modelfile.Model, policies []*modelfile.Policy) error {
	isRandomised := false
	for _, p := range policies {
		if err := p.Validate(m); err != nil {
			return err
		}
		isRandomised = isRandomised || p.Probabilities != nil
	}
	names, values := m.Valuations()
	clash := slices.ContainsFunc(names, func(name string) bool { return slices.Contains(ownColumns, name) })
	if m.StateNames != nil && (names == nil || clash) {
		names, values = []string{"name"}, func(s int) []string { return m.StateNames[s : s+1] }
	}
	out := csv.NewWriter(w)
	write := func(state, step string, named []string, policy, action, probability string) { // faults come from Error
		line := []string{state}
		if len(policies) > 1 {
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
	for step, p := range policies {
		for s := range m.NumStates() {
			var named []string
			if names != nil {
				named = values(s)
			}
			if isMissing(p, s) {
				write(strconv.Itoa(s), strconv.Itoa(step+1), named, "", "", "")
				continue
			}
			for a, probability := range actionsTaken(p, s) {
				write(strconv.Itoa(s), strconv.Itoa(step+1), named, strconv.Itoa(int(a)), m.ActionName(s, int(m.StateStart[s]+a)), fmt.Sprint(probabilityText(probability)))
			}
		}
	}
	out.Flush()
	return out.Error()
}
