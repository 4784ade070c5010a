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
	names, values = m.listing(tuple)
	sorted := slices.Sorted(slices.Values(names))
	if len(names) == 0 || sorted[0] == "" || len(slices.Compact(sorted)) < len(names) {
		return nil, values
	}
	return names, values
}

// listing splits the list of variables and the names of states. The names of variables are
// nil unless that of every state lists as many values.
func (m *Model) listing(split func(text string) []string) (names []string, values func(s int) []string) {
	values = func(s int) []string { return split(m.StateNames[s]) }
	if m.StateNames == nil || m.Variables == "" {
		return nil, values
	}
	names = split(m.Variables)
	for s := range m.StateNames {
		if len(values(s)) != len(names) {
			return nil, values
		}
	}
	return names, values
}

// tuple returns what a text in round brackets lists, or the text if it has none.
func tuple(text string) []string {
	list := listed(text)
	if list == nil {
		return []string{text}
	}
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// listed returns the elements of a text such as "(1,true)", nil for another.
func listed(text string) []string {
	inner, opened := strings.CutPrefix(text, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !opened || !closed {
		return nil
	}
	return strings.Split(inner, ",")
}
