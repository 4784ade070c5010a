// This file writes policies.

package certificate

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// WriteScheduler writes the policy that takes an action in each state, by its number
// there, in the form in which Storm exports schedulers: a list that has, for each
// state, its number or, where the model has variables, their values as "s", and as "c"
// the choice, with its number among all choices of the model.
func WriteScheduler(w io.Writer, m *modelfile.Model, actions []int32) error {
	if err := modelfile.NewPolicy(actions).Validate(m); err != nil {
		return err
	}
	names, values := m.Valuations()
	out := bufio.NewWriter(w) // faults come from Flush
	for s, a := range actions {
		k := int(m.StateStart[s] + a)
		fmt.Fprintf(out, `%s{"c": [{"index": %d, `, separator(s, "[\n", ",\n"), k)
		if len(m.ActionNames) > 0 {
			var label []byte
			if m.ActionNames[k] != "" {
				label = quoted(m.ActionNames[k])
			}
			fmt.Fprintf(out, `"labels": [%s], `, label)
		}
		out.WriteString(`"prob": 1}], "s": `)
		if names == nil {
			fmt.Fprintf(out, "%d}", s)
			continue
		}
		for i, value := range values(s) {
			fmt.Fprintf(out, "%s%s: %s", separator(i, "{", ", "), quoted(names[i]), typed(value))
		}
		out.WriteString("}}")
	}
	out.WriteString("\n]\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("certificate: writing: %w", err)
	}
	return nil
}

func separator(i int, first, next string) string {
	if i == 0 {
		return first
	}
	return next
}

// quoted returns a text in JSON.
func quoted(text string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // texts can be encoded
	return bytes.TrimSpace(out.Bytes())
}

// typed returns the value of a variable in JSON: true, false or a whole number where that
// is how it is written, and otherwise a text.
func typed(value string) []byte {
	if x, isInt := new(big.Int).SetString(value, 10); value == "true" || value == "false" || isInt && x.String() == value {
		return []byte(value)
	}
	return quoted(value)
}

// WritePolicyCSV writes the policy that takes an action in each state, by its number
// there, with a line for each state and the columns
//
//	state             its number
//	the variables     a column for each, where the model has them
//	name              of the state, where it has one but no variables, or one of
//	                  them has the name of another column
//	policy            the number of the action
//	action            the name of the action, where actions have names
func WritePolicyCSV(w io.Writer, m *modelfile.Model, actions []int32) error {
	if err := modelfile.NewPolicy(actions).Validate(m); err != nil {
		return err
	}
	names, values := m.Valuations()
	if isOwn := func(name string) bool { return slices.Contains(ownColumns, name) }; m.StateNames != nil && (names == nil || slices.ContainsFunc(names, isOwn)) {
		names, values = []string{"name"}, func(s int) []string { return m.StateNames[s : s+1] }
	}
	header := append(append([]string{"state"}, names...), "policy")
	if m.ActionNames != nil {
		header = append(header, "action")
	}
	out := csv.NewWriter(w)
	_ = out.Write(header) // faults come from Error
	for s, a := range actions {
		line := []string{strconv.Itoa(s)}
		if names != nil {
			line = append(line, values(s)...)
		}
		line = append(line, strconv.Itoa(int(a)))
		if m.ActionNames != nil {
			line = append(line, m.ActionName(s, int(m.StateStart[s]+a)))
		}
		_ = out.Write(line)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("certificate: writing: %w", err)
	}
	return nil
}
