// This file tells the variables of states and their values.

package modelfile

import (
	"slices"
	"strings"
)

// Valuations returns the names of the variables of the model's states, and a function
// that returns their values in a state, as texts. Names are nil, and the model has no
// variables, unless each has a name of its own and the name of every state is a list
// of so many values, such as "(0,true)".
func (m *Model) Valuations() (names []string, values func(s int) []string) {
	values = func(s int) []string { return tuple(m.StateNames[s]) }
	if m.StateNames == nil || m.Variables == "" {
		return nil, values
	}
	names = tuple(m.Variables)
	sorted := slices.Sorted(slices.Values(names))
	if sorted[0] == "" || len(slices.Compact(sorted)) < len(names) {
		return nil, values
	}
	for s := range m.StateNames {
		if len(values(s)) != len(names) {
			return nil, values
		}
	}
	return names, values
}

// tuple returns what a text in round brackets lists, or the text if it has none.
func tuple(text string) []string {
	inner, opened := strings.CutPrefix(text, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !opened || !closed {
		return []string{text}
	}
	list := strings.Split(inner, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}
