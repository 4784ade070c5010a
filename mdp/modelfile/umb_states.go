// This file reads and writes the names of actions and states in UMB files. States are named
// by the values of variables.

package modelfile

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
)

// umbValuation describes how the values of variables are packed.
type umbValuation struct {
	Unique  bool       `json:"unique"`
	Strings uint32     `json:"#strings,omitempty"`
	Classes []umbClass `json:"classes"`
}

type umbClass struct {
	Variables []umbVariable `json:"variables"`
}

// umbVariable is a variable, or padding between two.
type umbVariable struct {
	Padding  uint64  `json:"padding,omitempty"`
	Name     string  `json:"name,omitempty"`
	Optional bool    `json:"is-optional,omitempty"`
	Type     umbType `json:"type,omitzero"`
	Offset   int64   `json:"offset,omitempty"`
}

// noVariables stands for the variables of a model without them, whose states have names.
const noVariables = "()"

// checkValuation refuses values of state variables that are not read.
func (u *umbReader) checkValuation() *filepos.Error {
	v, ok := u.index.Valuations[umbStates]
	if !ok {
		return nil
	}
	if len(v.Classes) != 1 {
		return filepos.Fault(fmt.Sprintf("%d classes of valuations of states", len(v.Classes)), "one")
	}
	size := uint64(0)
	for _, x := range v.Classes[0].Variables {
		bits := x.Type.bits()
		switch t := x.Type.Type; {
		case x.Padding > 0:
			size += min(x.Padding, math.MaxInt32)
			continue
		case (t == umbBool || t == umbInt || t == umbUint) && bits <= 64, (t == umbDouble || t == umbString) && bits == 64:
		default:
			return filepos.Fault(fmt.Sprintf("variable %s of type %s with %d bits", quote([]byte(x.Name)), quote([]byte(t)), bits),
				`"bool", "int" or "uint" of at most 64 bits, "double" or "string"`)
		}
		if size += bits; x.Optional {
			size++
		}
		u.variables = v.Classes[0].Variables
	}
	if size%8 != 0 || size > math.MaxInt32 {
		return filepos.Fault(fmt.Sprintf("valuations of %d bits", size), "a multiple of 8, for which there is padding")
	}
	u.valuationSize = int(size / 8)
	return nil
}

// checkTexts demands that texts end where their bytes do.
func (u *umbReader) checkTexts(folder string, t *umbTexts) error {
	u.member, u.within = folder+umbTextBytes, outside
	if n := len(t.ends); n > 0 && int(t.ends[n-1]) != len(t.bytes) {
		return u.fault(-1, filepos.Fault(fmt.Sprintf("%d bytes", len(t.bytes)), fmt.Sprintf("%d, by %s", t.ends[n-1], umbTextEnds)))
	}
	return nil
}

// nameActions names the choices: by numbers where actions have no names.
func (u *umbReader) nameActions() error {
	if err := u.checkTexts(umbActions, &u.actionTexts); err != nil {
		return err
	}
	m, named := u.builder.model, len(u.actionTexts.ends) > 0
	for s, k := range m.choices() {
		a := 0
		if u.actions != nil {
			a = int(u.actions[k])
		} else if !named {
			return nil
		}
		if !named && a == m.number(s, k) {
			continue
		}
		name := strconv.AppendInt(nil, int64(a), 10)
		if named {
			name = u.actionTexts.text(a)
		}
		if len(name) == 0 || string(name) == strconv.Itoa(m.number(s, k)) {
			continue
		}
		text, fault := u.builder.text(name)
		if fault != nil {
			return u.fault(-1, fault)
		}
		if m.ActionNames == nil {
			m.ActionNames = make([]string, m.NumChoices())
		}
		m.ActionNames[k] = text
	}
	return nil
}

// nameStates names the states by the values of their variables, as "(0,true)"; if there is
// only one and it is a text, by that text.
func (u *umbReader) nameStates() error {
	if err := u.checkTexts(umbValuations, &u.stateTexts); err != nil || u.valuations == nil {
		return err
	}
	u.member = umbValuations + umbPackedValues
	m := u.builder.model
	var names []string
	for _, x := range u.variables {
		if x.Padding == 0 {
			names = append(names, x.Name)
		}
	}
	single := len(u.variables) == 1 && u.variables[0].Type.Type == umbString && !u.variables[0].Optional
	if m.Variables = "(" + strings.Join(names, ",") + ")"; single {
		m.Variables = names[0]
	}
	if m.Variables == noVariables {
		m.Variables = ""
	}
	m.StateNames = make([]string, m.NumStates())
	m.packed = &packedValues{u.valuations, u.valuationSize, u.variables}
	var text []byte
	packed := packedBits{bytes: u.valuations}
	for s := range m.StateNames {
		text = append(text[:0], '(')
		var fault *filepos.Error
		for _, x := range u.variables {
			if x.Padding > 0 {
				packed.at += int(x.Padding)
			} else if text, fault = u.appendValue(text, &packed, x); fault != nil {
				return u.fault(s, fault)
			}
		}
		text[len(text)-1] = ')' // after the last value is a comma
		if single && len(text) > len(noVariables) {
			text = text[1 : len(text)-1]
		}
		if !utf8.Valid(text) {
			return u.fault(s, filepos.Fault(quote(text), "a name in UTF-8"))
		}
		m.StateNames[s] = string(text)
	}
	return nil
}

// appendValue appends the next value and a comma to a text.
func (u *umbReader) appendValue(text []byte, packed *packedBits, x umbVariable) ([]byte, *filepos.Error) {
	present := !x.Optional || packed.next(1) == 1
	bits := int(x.Type.bits())
	value := packed.next(bits)
	number := new(big.Int).SetUint64(value)
	switch t := x.Type.Type; {
	case !present:
		text = append(text, "none"...)
	case t == umbBool:
		text = strconv.AppendBool(text, value != 0)
	case t == umbDouble:
		text = strconv.AppendFloat(text, math.Float64frombits(value), 'g', -1, 64)
	case t == umbString:
		if fault := outOfRange(value+1, 1, uint64(max(len(u.stateTexts.ends), 1)-1)); fault != nil {
			return text, fault
		}
		text = append(text, u.stateTexts.text(int(value))...)
	case t == umbInt:
		number.SetInt64(int64(value<<(64-bits)) >> (64 - bits))
		fallthrough
	default:
		text = number.Add(number, big.NewInt(x.Offset)).Append(text, 10)
	}
	return append(text, ','), nil
}

// packedValues are the values of the variables of states as a UMB file has them.
type packedValues struct {
	bytes     []byte
	size      int // of a state
	variables []umbVariable
}

// whole returns the values of a variable by its number in [Model.Variables], 1 and 0 for truth values;
// nil if it has others than whole numbers of 32 bits.
func (v *packedValues) whole(variable int) []float64 {
	at := 0 // bit
	for _, x := range v.variables {
		bits, t := int(x.Type.bits()), x.Type.Type
		isWhole := bits <= 32 && (t == umbBool || t == umbInt || t == umbUint) && !x.Optional && x.Offset == int64(int32(x.Offset))
		switch {
		case x.Padding > 0:
			at += int(x.Padding)
			continue
		case variable > 0:
			if at += bits; x.Optional {
				at++
			}
			variable--
			continue
		case !isWhole:
			return nil
		}
		values := make([]float64, len(v.bytes)/v.size)
		for s := range values {
			packed := packedBits{v.bytes, 8*v.size*s + at}
			number := int64(packed.next(bits))
			switch t {
			case umbBool:
				number = min(number, 1)
			case umbInt:
				number = number << (64 - bits) >> (64 - bits)
			}
			values[s] = float64(number + x.Offset)
		}
		return values
	}
	return nil
}

// packedBits are numbers of any size in a row, the least bit first.
type packedBits struct {
	bytes []byte
	at    int // bit
}

// next returns the next number, of at most 64 bits.
func (p *packedBits) next(size int) (x uint64) {
	for got := 0; got < size; {
		part := min(8-p.at%8, size-got)
		x |= uint64(p.bytes[p.at/8]>>(p.at%8)) & (1<<part - 1) << got
		got, p.at = got+part, p.at+part
	}
	return x
}

// describeStates adds the names of states: where they are lists of values of the variables,
// one number or text of 64 bits for each value, and otherwise one text for each state.
func (u *umbWriter) describeStates() {
	m := u.m
	if m.StateNames == nil {
		return
	}
	names, fields := m.listing(listed)
	unlisted := names == nil || slices.Contains(names, "")
	if unlisted {
		names = []string{""}
	}
	class, types := umbClass{}, make([]string, len(names))
	for i, name := range names {
		types[i] = umbBool
		for s := 0; s < len(m.StateNames) && types[i] != umbString; s++ {
			if unlisted {
				types[i] = umbString
			} else if text := fields(s)[i]; isInt(text) && (s == 0 || types[i] == umbInt) {
				types[i] = umbInt
			} else if text != "true" && text != "false" || types[i] == umbInt {
				types[i] = umbString
			}
		}
		class.Variables = append(class.Variables, umbVariable{Name: name, Type: umbType{Type: types[i]}})
		if types[i] == umbBool {
			class.Variables = append(class.Variables, umbVariable{Padding: 63})
		}
	}
	if len(names) == 1 && types[0] == umbString { // names as they are
		class.Variables[0].Name = cmp.Or(m.Variables, noVariables)
		fields = func(s int) []string { return m.StateNames[s : s+1] }
	}
	texts := textList(func(use func(string) bool) {
		for s := range m.StateNames {
			for i, text := range fields(s) {
				if types[i] == umbString && !use(text) {
					return
				}
			}
		}
	})
	u.enter(umbValuations+umbPackedValues, func() {
		for s := range m.StateNames {
			for i, text := range fields(s) {
				switch types[i] {
				case umbBool:
					u.uint64(uint64(len("false") - len(text)))
				case umbInt:
					number, _ := strconv.ParseInt(text, 10, 64) // it is one
					u.uint64(uint64(number))
				default:
					u.uint64(numberIn(texts, text))
				}
			}
		}
	})
	u.enterTexts(umbValuations, texts)
	u.index.Valuations = map[string]umbValuation{umbStates: {Strings: uint32(len(texts)), Classes: []umbClass{class}}}
}

// isInt reports whether a text is a number of 64 bits as it is usually written.
func isInt(text string) bool {
	number, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(number, 10) == text
}
