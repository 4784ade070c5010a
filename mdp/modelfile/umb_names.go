// This file reads the names of actions and the values of state variables in UMB files.

package modelfile

import (
	"fmt"
	"math"
	"math/big"
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

// unnamedStates is the variable that holds the names of states where these are no lists of
// values and the model has no list of variables.
const unnamedStates = "()"

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
		if x.Padding > 0 {
			size += min(x.Padding, math.MaxInt32)
			continue
		}
		t := x.Type.withSize()
		switch {
		case (t.Type == umbBool || t.Type == umbInt || t.Type == umbUint) && t.Size <= 64:
		case (t.Type == umbDouble || t.Type == umbString) && t.Size == 64:
		default:
			return filepos.Fault(fmt.Sprintf("variable %s of %v", quote([]byte(x.Name)), t), `"bool", "int" or "uint" of at most 64 bits, "double" or "string"`)
		}
		if x.Optional {
			size++
		}
		size += t.Size
		u.stateClass = v.Classes[0].Variables
	}
	if size%8 != 0 || size > math.MaxInt32 {
		return filepos.Fault(fmt.Sprintf("valuations of %d bits", size), "a multiple of 8, for which padding may be added")
	}
	u.stateNameSize = int(size / 8)
	return nil
}

// check demands that texts end where their bytes do.
func (t *umbTexts) check() *filepos.Error {
	if n := len(t.ends); n > 0 && int(t.ends[n-1]) != len(t.bytes) {
		return filepos.Fault(fmt.Sprintf("%d bytes of text", len(t.bytes)), fmt.Sprintf("%d, by %s", t.ends[n-1], umbStringMapping))
	}
	return nil
}

// text returns text i.
func (t *umbTexts) text(i int) []byte { return t.bytes[t.ends[i]:t.ends[i+1]] }

// nameActions names the choices.
func (u *umbReader) nameActions() error {
	u.member, u.within = umbActions+umbStringBytes, outside
	if fault := u.actionTexts.check(); fault != nil {
		return u.fault(-1, fault)
	}
	m, named := u.b.model, len(u.actionTexts.ends) > 0
	if u.index.System.ChoiceActions == 0 || !named && u.actions == nil {
		return nil
	}
	for s, k := range m.choices() {
		a := 0
		if u.actions != nil {
			a = int(u.actions[k])
		}
		name := strconv.AppendInt(nil, int64(a), 10) // without names: the numbers of actions
		if named {
			name = u.actionTexts.text(a)
		}
		if len(name) == 0 || string(name) == strconv.Itoa(m.number(s, k)) {
			continue
		}
		text, fault := u.b.text(name)
		if fault != nil {
			return u.fault(int(u.actionTexts.ends[a]), fault)
		}
		if m.ActionNames == nil {
			m.ActionNames = make([]string, m.NumChoices())
		}
		m.ActionNames[k] = text
	}
	return nil
}

// nameStates makes the names of states of the values of variables, "(0,true)", or of a
// single text.
func (u *umbReader) nameStates() error {
	u.member, u.within = umbValuations+umbStringBytes, outside
	if fault := u.stateTexts.check(); fault != nil {
		return u.fault(-1, fault)
	}
	if u.valuations == nil {
		return nil
	}
	u.member = umbValuations + umbValuationBytes
	m := u.b.model
	var names []string
	for _, x := range u.stateClass {
		if x.Padding == 0 {
			names = append(names, x.Name)
		}
	}
	single := len(u.stateClass) == 1 && u.stateClass[0].Type.Type == umbString && !u.stateClass[0].Optional
	if m.Variables = "(" + strings.Join(names, ",") + ")"; single {
		m.Variables = names[0]
	}
	if m.Variables == unnamedStates {
		m.Variables = ""
	}
	m.StateNames = make([]string, m.NumStates())
	var text []byte
	packed := packedBits{bytes: u.valuations}
	for s := range m.StateNames {
		u.within.state = s
		text = append(text[:0], '(')
		for _, x := range u.stateClass {
			if x.Padding > 0 {
				packed.at += int(x.Padding)
				continue
			}
			var fault *filepos.Error
			if text, fault = u.appendVariable(text, &packed, x); fault != nil {
				return u.fault(s, fault)
			}
			text = append(text, ',')
		}
		text[len(text)-1] = ')'
		if single && len(text) > len(unnamedStates) {
			text = text[1 : len(text)-1]
		}
		if !utf8.Valid(text) {
			return u.fault(s, filepos.Fault(quote(text), "a name in UTF-8"))
		}
		m.StateNames[s] = string(text)
	}
	return nil
}

// appendVariable appends the next value to a text.
func (u *umbReader) appendVariable(text []byte, packed *packedBits, x umbVariable) ([]byte, *filepos.Error) {
	t := x.Type.withSize()
	present := !x.Optional || packed.next(1) == 1
	value := packed.next(int(t.Size))
	if !present {
		return append(text, "none"...), nil
	}
	switch t.Type {
	case umbBool:
		return strconv.AppendBool(text, value != 0), nil
	case umbDouble:
		return strconv.AppendFloat(text, math.Float64frombits(value), 'g', -1, 64), nil
	case umbString:
		if texts := len(u.stateTexts.ends) - 1; texts <= 0 || value >= uint64(texts) {
			return text, filepos.Fault(strconv.FormatUint(value, 10), fmt.Sprintf("the number of one of %d texts", max(texts, 0)))
		}
		return append(text, u.stateTexts.text(int(value))...), nil
	case umbInt:
		value = uint64(int64(value<<(64-t.Size)) >> (64 - t.Size))
	}
	number := new(big.Int).SetUint64(value)
	if t.Type == umbInt {
		number.SetInt64(int64(value))
	}
	return number.Add(number, big.NewInt(x.Offset)).Append(text, 10), nil
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
