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
	for _, name := range m.StateNames {
		inner, ok := bracketed(name)
		if ok && strings.Count(inner, ",")+1 != len(names) || !ok && len(split(name)) != len(names) {
			return nil, values
		}
	}
	return names, values
}

// Valuation returns the value of one of the variables that [Model.Valuations] names, by its number, in
// a state. It takes less time than all values.
func (m *Model) Valuation(s, variable int) string {
	text, ok := bracketed(m.StateNames[s])
	if !ok {
		return text
	}
	for range variable {
		text = text[strings.IndexByte(text, ',')+1:]
	}
	value, _, _ := strings.Cut(text, ",")
	return strings.TrimSpace(value)
}

// WholeValues returns the values of one of the variables that [Model.Valuations] names, by its number, in
// all states; 1 and 0 stand for true and false. It returns nil if the values are not all whole numbers of
// 32 bits, or do not come from a UMB file; then use [Model.Valuation].
func (m *Model) WholeValues(variable int) []float64 {
	if m.packed == nil {
		return nil
	}
	return m.packed.whole(variable)
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
	inner, ok := bracketed(text)
	if !ok {
		return nil
	}
	return strings.Split(inner, ",")
}

// bracketed returns what a text has in round brackets, or the text if it has none.
func bracketed(text string) (inner string, ok bool) {
	if len(text) < 2 || text[0] != '(' || text[len(text)-1] != ')' {
		return text, false
	}
	return text[1 : len(text)-1], true
}
