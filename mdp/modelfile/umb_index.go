// This file holds index.json, the member of a UMB file that says what the others hold.

package modelfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
)

const (
	umbIndexName = "index.json"
	umbVersion   = 1

	// maxIndex bounds the index, which is small in every model.
	maxIndex = 64 << 20
)

// The parts of a model that annotations and valuations belong to.
const (
	umbStates   = "states"
	umbChoices  = "choices"
	umbBranches = "branches"
)

// umbIndex is the content of index.json, as far as it matters here.
type umbIndex struct {
	Version     uint32                              `json:"format-version"`
	Revision    uint32                              `json:"format-revision"`
	File        *umbFile                            `json:"file-data,omitempty"`
	System      umbSystem                           `json:"transition-system"`
	Annotations map[string]map[string]umbAnnotation `json:"annotations,omitempty"`
	Valuations  map[string]umbValuation             `json:"valuations,omitempty"`
}

type umbFile struct {
	Tool string `json:"tool,omitempty"`
}

type umbSystem struct {
	Time            string   `json:"time"`
	Players         uint32   `json:"#players"`
	States          uint64   `json:"#states"`
	InitialStates   uint64   `json:"#initial-states"`
	Choices         uint64   `json:"#choices"`
	ChoiceActions   uint32   `json:"#choice-actions"`
	Branches        uint64   `json:"#branches"`
	BranchActions   uint32   `json:"#branch-actions"`
	Observations    uint64   `json:"#observations"`
	ProbabilityType *umbType `json:"branch-probability-type,omitempty"`
	ExitRateType    *umbType `json:"exit-rate-type,omitempty"`
}

// umbAnnotation is a reward model or a label (an atomic proposition).
type umbAnnotation struct {
	Alias           string   `json:"alias,omitempty"`
	AppliesTo       []string `json:"applies-to"`
	Type            umbType  `json:"type"`
	ProbabilityType *umbType `json:"probability-type,omitempty"`
}

// name returns the name of an annotation that the index calls id.
func (a umbAnnotation) name(id string) []byte {
	if a.Alias != "" {
		id = a.Alias
	}
	return []byte(id)
}

// umbType is a type of numbers with its size in bits.
type umbType struct {
	Type string `json:"type"`
	Size uint64 `json:"size,omitempty"`
}

const (
	umbBool     = "bool"
	umbInt      = "int"
	umbUint     = "uint"
	umbDouble   = "double"
	umbRational = "rational"
	umbString   = "string"
)

// withSize returns a type with its size.
func (t umbType) withSize() umbType {
	if t.Size == 0 {
		t.Size = 64
		switch t.Type {
		case umbBool:
			t.Size = 1
		case umbRational:
			t.Size = 128
		}
	}
	return t
}

// String returns a type as messages show it.
func (t umbType) String() string {
	t = t.withSize()
	return fmt.Sprintf("type %s of %d bits", quote([]byte(t.Type)), t.Size)
}

// width returns how many bytes a number of a member takes, 0 for types that are not read.
func (t umbType) width() int {
	switch t = t.withSize(); {
	case t.Type == umbDouble && t.Size == 64:
		return 8
	case t.Type == umbRational && t.Size%128 == 0 && t.Size <= 2*(maxBits+64):
		return int(t.Size / 8)
	}
	return 0
}

// checkNumbers refuses types of numbers that are not read.
func (t umbType) checkNumbers(what string) *filepos.Error {
	if t.width() == 0 {
		return filepos.Fault(fmt.Sprintf("%s of %v", what, t), `"double" of 64 bits or "rational" of a multiple of 128`)
	}
	return nil
}

// readIndex reads index.json, and refuses what [Model] has no place for.
func (u *umbReader) readIndex(r io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(r, maxIndex))
	if err != nil {
		return u.cut(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&u.index); err != nil {
		return u.indexFault(text, err)
	}
	if end := decoder.InputOffset(); len(bytes.TrimSpace(text[end:])) > 0 {
		return u.textFault(text, end, filepos.Fault("more text", "the end of the index"))
	}
	if fault := u.checkIndex(); fault != nil {
		return u.fault(-1, fault)
	}
	s := &u.index.System
	return u.options.announce(Header{
		Kind: u.b.model.Kind, Rational: s.ProbabilityType.Type == umbRational,
		States: int(s.States), Choices: int(s.Choices), Transitions: int(s.Branches),
	})
}

// indexFault gives an error of package json its place.
func (u *umbReader) indexFault(text []byte, err error) error {
	at, fault := int64(len(text)), filepos.Fault("no index", "one in JSON: "+err.Error())
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = syntax.Offset - 1
	} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at, fault = kind.Offset-1, filepos.Fault(quote([]byte(kind.Value))+" as "+quote([]byte(kind.Field)), "a value of type "+kind.Type.String())
	}
	return u.textFault(text, at, fault)
}

// textFault is a fault at an offset of the index.
func (u *umbReader) textFault(text []byte, offset int64, fault *filepos.Error) error {
	before := text[:min(max(offset, 0), int64(len(text)))]
	return &SyntaxError{
		File: u.file, Member: umbIndexName, Found: fault.Found, Expected: fault.Expected,
		Line: 1 + bytes.Count(before, []byte{'\n'}), Column: len(before) - bytes.LastIndexByte(before, '\n'),
	}
}

// kindName names the kind of a model as the literature does.
func (s *umbSystem) kindName() string {
	name := map[string]string{
		"discrete 0": "DTMC", "discrete 1": "MDP", "stochastic 0": "CTMC", "stochastic 1": "CTMDP", "urgent-stochastic 1": "MA",
	}[fmt.Sprintf("%s %d", s.Time, s.Players)]
	switch {
	case s.Players > 1:
		name = "game"
	case name == "":
		name = fmt.Sprintf("time %s with %d players", s.Time, s.Players)
	case s.Observations > 0:
		name = "PO" + name
	case s.ProbabilityType == nil:
		name = "LTS"
	case s.ProbabilityType.Type == "double-interval" || s.ProbabilityType.Type == "rational-interval":
		name = "I" + name
	}
	return name
}

// checkIndex checks the index, but for names.
func (u *umbReader) checkIndex() *filepos.Error {
	s := &u.index.System
	if u.index.Version != umbVersion {
		return filepos.Fault(fmt.Sprintf("format-version %d", u.index.Version), fmt.Sprint(umbVersion))
	}
	if fault := u.b.kind([]byte(s.kindName())); fault != nil {
		return fault
	}
	for _, count := range []struct {
		what  string
		count uint64
	}{{umbStates, s.States}, {umbChoices, s.Choices}, {umbBranches, s.Branches}} {
		if count.count >= math.MaxInt32-1 {
			return tooMany(count.what)
		}
	}
	if s.States == 0 || s.Choices < s.States {
		return filepos.Fault(fmt.Sprintf("%d states with %d choices", s.States, s.Choices), "a state at least, and a choice in each")
	}
	if fault := s.ProbabilityType.checkNumbers("probabilities"); fault != nil {
		return fault
	}
	if u.b.model.Kind == CTMC {
		if s.ExitRateType == nil {
			return filepos.Fault("a CTMC without exit-rate-type", "the type of its exit rates")
		}
		if fault := s.ExitRateType.checkNumbers("exit rates"); fault != nil {
			return fault
		}
	}
	for _, group := range []string{umbLabels, umbRewards} {
		names := make(map[string]bool)
		for _, id := range slices.Sorted(maps.Keys(u.index.Annotations[group])) {
			if fault := u.index.Annotations[group][id].check(group, id); fault != nil {
				return fault
			}
			name := u.index.Annotations[group][id].name(id)
			if names[string(name)] {
				return filepos.Fault(fmt.Sprintf("name %s in group %s for the second time", quote(name), group), "a name that no other has")
			}
			names[string(name)] = true
		}
	}
	return u.checkValuation()
}

// check refuses annotations that [Model] has no place for.
func (a umbAnnotation) check(group, id string) *filepos.Error {
	what := fmt.Sprintf("annotation %s of group %s", quote([]byte(id)), group)
	places := []string{umbStates, umbChoices, umbBranches}
	if a.ProbabilityType != nil {
		return filepos.Fault(what+" with distributions of values", "one value each")
	}
	if group == umbLabels {
		if a.Type.Type != umbBool {
			return filepos.Fault(fmt.Sprintf("%s of %v", what, a.Type), `"bool"`)
		}
		places = places[:1]
	} else if fault := a.Type.checkNumbers(what); fault != nil {
		return fault
	}
	for i, place := range a.AppliesTo {
		if !slices.Contains(places, place) || slices.Contains(a.AppliesTo[:i], place) {
			return filepos.Fault(what+" for "+quote([]byte(place)), fmt.Sprintf("some of %q", places))
		}
	}
	return nil
}
