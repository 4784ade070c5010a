// This file writes policies that take one action in each state, by its number there.

package certificate

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"math/big"
	"slices"
	"strconv"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// WriteScheduler writes a policy in the form in which Storm exports schedulers: a list
// with an object for each state, in which "c" lists its choice, by the number among all
// choices of the model, and "s" has the values of its variables, or its number where the
// model has none.
func WriteScheduler(w io.Writer, m *modelfile.Model, actions []int32) error {
	if err := modelfile.NewPolicy(actions).Validate(m); err != nil {
		return err
	}
	type choice struct {
		Index  int32    `json:"index"`
		Labels []string `json:"labels,omitzero"`
		Prob   int      `json:"prob"`
	}
	out := bufio.NewWriter(w) // faults come from Flush
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	names, values := m.Valuations()
	before := "["
	for s, a := range actions {
		c := choice{Index: m.StateStart[s] + a, Prob: 1}
		if m.ActionNames != nil {
			c.Labels = slices.DeleteFunc([]string{m.ActionNames[c.Index]}, func(name string) bool { return name == "" })
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
		_ = encoder.Encode(map[string]any{"c": []choice{c}, "s": state})
		before = ","
	}
	_, _ = out.WriteString("]\n")
	return out.Flush()
}

// typed returns the value of a variable for JSON: a truth or a whole number where that is
// how it is written, and otherwise a text.
func typed(value string) any {
	if x, isInt := new(big.Int).SetString(value, 10); value == "true" || value == "false" || isInt && x.String() == value {
		return json.RawMessage(value)
	}
	return value
}

// WritePolicyCSV writes a policy with a line for each state: its number (state), the values
// of its variables, each in a column of its own, the number of the action (policy), and
// its name (action). Where states have names without variables, or a variable has the
// name of another column, the column name has the names of states.
func WritePolicyCSV(w io.Writer, m *modelfile.Model, actions []int32) error {
	if err := modelfile.NewPolicy(actions).Validate(m); err != nil {
		return err
	}
	names, values := m.Valuations()
	clash := slices.ContainsFunc(names, func(name string) bool { return slices.Contains(ownColumns, name) })
	if m.StateNames != nil && (names == nil || clash) {
		names, values = []string{"name"}, func(s int) []string { return m.StateNames[s : s+1] }
	}
	out := csv.NewWriter(w)
	write := func(state string, named []string, policy, action string) { // faults come from Error
		line := append(append([]string{state}, named...), policy, action)
		if m.ActionNames == nil {
			line = line[:len(line)-1]
		}
		_ = out.Write(line)
	}
	write("state", names, "policy", "action")
	for s, a := range actions {
		var named []string
		if names != nil {
			named = values(s)
		}
		write(strconv.Itoa(s), named, strconv.Itoa(int(a)), m.ActionName(s, int(m.StateStart[s]+a)))
	}
	out.Flush()
	return out.Error()
}
