// This file writes the names of states into UMB files, as values of variables.

package modelfile

import (
	"math/bits"
	"strconv"
	"strings"
)

// describeStates adds the names of states: the values of the variables of the model where
// they are lists of them, and otherwise one text each.
func (u *umbWriter) describeStates() {
	m := u.m
	if m.StateNames == nil {
		return
	}
	variables := m.stateVariables()
	if variables == nil {
		name := m.Variables
		if name == "" {
			name = unnamedStates
		}
		variables = []umbVariable{{Name: name, Type: umbType{umbString, 64}}}
	}
	single := len(variables) == 1 && variables[0].Type.Type == umbString
	fields := func(s int) []string {
		if single {
			return m.StateNames[s : s+1]
		}
		return listed(m.StateNames[s])
	}
	table, size := &textTable{}, 0
	for i, x := range variables {
		size += int(x.Type.Size)
		if x.Type.Type == umbString {
			for s := range m.StateNames {
				table.add(fields(s)[i])
			}
		}
	}
	class := variables
	if rest := size % 8; rest > 0 {
		class = append(class, umbVariable{Padding: uint64(8 - rest)})
	}
	u.index.Valuations = map[string]umbValuation{umbStates: {Strings: uint32(len(table.list)), Classes: []umbClass{{class}}}}
	if len(table.list) > 0 {
		u.enterTexts(umbValuations, table)
	}
	u.enter(umbValuations+umbValuationBytes, len(m.StateNames), (size+7)/8, func() {
		packed := make([]byte, (size+7)/8)
		for s := range m.StateNames {
			clear(packed)
			at := 0
			for i, text := range fields(s) {
				value := uint64(0)
				switch variables[i].Type.Type {
				case umbBool:
					value = uint64(len("false") - len(text))
				case umbString:
					value = uint64(table.add(text))
				default:
					number, _ := strconv.ParseInt(text, 10, 64) // as stateVariables has found
					value = uint64(number)
				}
				for end := at + int(variables[i].Type.Size); at < end; at, value = at+1, value>>1 {
					packed[at/8] |= byte(value&1) << (at % 8)
				}
			}
			u.bytes(packed)
		}
	})
}

// listed returns the elements of a text such as "(1,true)", nil for another.
func listed(text string) []string {
	if len(text) <= len(unnamedStates) || text[0] != '(' || text[len(text)-1] != ')' {
		return nil
	}
	return strings.Split(text[1:len(text)-1], ",")
}

// stateVariables returns the variables of which the names of all states list the values,
// with their types; nil where names are something else.
func (m *Model) stateVariables() []umbVariable {
	names := listed(m.Variables)
	if names == nil {
		return nil
	}
	truths, numbers := make([]int, len(names)), make([]int, len(names))
	least, greatest := make([]int64, len(names)), make([]int64, len(names))
	for _, name := range m.StateNames {
		fields := listed(name)
		if len(fields) != len(names) {
			return nil
		}
		for i, text := range fields {
			number, err := strconv.ParseInt(text, 10, 64)
			switch {
			case text == "true" || text == "false":
				truths[i]++
			case err == nil && strconv.FormatInt(number, 10) == text:
				numbers[i]++
				least[i], greatest[i] = min(least[i], number), max(greatest[i], number)
			}
		}
	}
	variables := make([]umbVariable, len(names))
	for i, name := range names {
		x := &variables[i]
		x.Name = name
		switch n := len(m.StateNames); {
		case name == "":
			return nil
		case truths[i] == n:
			x.Type = umbType{umbBool, 1}
		case numbers[i] == n && least[i] == 0: // none is below
			x.Type = umbType{umbUint, uint64(max(bits.Len64(uint64(greatest[i])), 1))}
		case numbers[i] == n:
			x.Type = umbType{umbInt, uint64(1 + max(bits.Len64(uint64(greatest[i])), bits.Len64(uint64(^least[i]))))}
		case len(names) == 1:
			return nil
		default:
			x.Type = umbType{umbString, 64}
		}
	}
	return variables
}
