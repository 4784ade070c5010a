// This file holds index.json, the member of a UMB file that says what the others hold.

package modelfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Names and numbers in UMB files.
const (
	umbVersion = 1

	umbIndexName       = "index.json"
	umbStateToChoices  = "state-to-choices.bin"
	umbStateToExitRate = "state-to-exit-rate.bin"
	umbStateIsInitial  = "state-is-initial.bin"
	umbChoiceToBranch  = "choice-to-branches.bin"
	umbBranchToTarget  = "branch-to-target.bin"
	umbBranchToValue   = "branch-to-probability.bin"
	umbActions         = "actions/choices/"
	umbValuations      = "valuations/states/"
	umbValues          = "values.bin"
	umbPackedValues    = "valuations.bin"
	umbTextEnds        = "string-mapping.bin"
	umbTextBytes       = "strings.bin"

	umbLabels  = "aps"
	umbRewards = "rewards"

	umbStates   = "states"
	umbChoices  = "choices"
	umbBranches = "branches"

	umbBool     = "bool"
	umbInt      = "int"
	umbUint     = "uint"
	umbDouble   = "double"
	umbRational = "rational"
	umbString   = "string"
)

// umbPlaces are the parts of a model that may have rewards.
var umbPlaces = []string{umbStates, umbChoices, umbBranches}

// umbIndex is the content of index.json, as far as it matters here.
type umbIndex struct {
	Version     uint32                              `json:"format-version"`
	Revision    uint32                              `json:"format-revision"`
	File        map[string]any                      `json:"file-data,omitempty"`
	System      umbSystem                           `json:"transition-system"`
	Annotations map[string]map[string]umbAnnotation `json:"annotations,omitempty"`
	Valuations  map[string]umbValuation             `json:"valuations,omitempty"`
	Matrices    []*umbMatrix                        `json:"matrices,omitempty"` // of a model in memory
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

// umbType is a type of numbers, with its size in bits; 0 stands for the usual size of the type.
type umbType struct {
	Type string `json:"type"`
	Size uint64 `json:"size,omitempty"`
}

// bits returns the size of a number.
func (t umbType) bits() uint64 {
	switch {
	case t.Size > 0:
		return t.Size
	case t.Type == umbBool:
		return 1
	case t.Type == umbRational:
		return 128
	}
	return 64
}

// width returns the bytes of a number, 0 for types that are not read.
func (t umbType) width() int {
	bits := t.bits()
	if t.Type == umbDouble && bits == 64 || t.Type == umbRational && bits%128 == 0 && bits <= 2*(maxBits+64) {
		return int(bits / 8)
	}
	return 0
}

// annotationMember names the member with the values of an annotation.
func annotationMember(group, id, place string) string {
	return "annotations/" + group + "/" + id + "/" + place + "/" + umbValues
}

// name returns the name of an annotation that the index calls id.
func (x umbIndex) name(group, id string) string {
	if alias := x.Annotations[group][id].Alias; alias != "" {
		return alias
	}
	return id
}

// ids lists the annotations of a group in order.
func (x umbIndex) ids(group string) []string { return slices.Sorted(maps.Keys(x.Annotations[group])) }

// readIndex reads index.json, and refuses what [Model] has no place for.
func (u *umbReader) readIndex() error {
	text, err := io.ReadAll(u.body)
	if err != nil {
		return u.cut(err)
	}
	if err := json.Unmarshal(text, &u.index); err != nil {
		at := int64(-1)
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = syntax.Offset
		} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			at = kind.Offset
		}
		return u.fault(int(at), filepos.Fault(fmt.Sprintf("%.150q", err), "an index in JSON, as UMB has it"))
	}
	if fault := u.checkIndex(); fault != nil {
		return u.fault(-1, fault)
	}
	s := &u.index.System
	if u.options.KeepFloats && u.isBinary() && !u.builder.model.Kind.IsContinuous() {
		u.builder.numbers.exact = false
	}
	return u.options.announce(Header{
		Kind: u.builder.model.Kind, Rational: s.ProbabilityType.ends().Type == umbRational,
		States: int(s.States), Choices: int(s.Choices), Transitions: int(s.Branches),
	})
}

// kindName names the kind of a model as the literature does.
func (s *umbSystem) kindName() string {
	process := fmt.Sprintf("%s time, %d players", s.Time, s.Players)
	name, known := map[string]string{
		"discrete time, 0 players": "DTMC", "discrete time, 1 players": "MDP", "stochastic time, 0 players": "CTMC",
		"stochastic time, 1 players": "CTMDP", "urgent-stochastic time, 1 players": "MA",
	}[process]
	switch {
	case s.Players > 1:
		return "game"
	case !known:
		return process
	case s.Observations > 0:
		return "PO" + name
	case s.ProbabilityType == nil:
		return name + " without probabilities"
	case s.Time != "discrete" && s.hasIntervals():
		return "I" + name
	}
	return name
}

// hasIntervals reports whether probabilities are intervals.
func (s *umbSystem) hasIntervals() bool {
	return s.ProbabilityType != nil && s.ProbabilityType.isInterval()
}

func (t umbType) isInterval() bool { return strings.HasSuffix(t.Type, ofIntervals) }

// ends returns the type of the two ends of intervals of type t, or t itself if it has no intervals.
func (t umbType) ends() umbType {
	if of, ok := strings.CutSuffix(t.Type, ofIntervals); ok {
		return umbType{of, t.Size / 2}
	}
	return t
}

func (u *umbReader) checkIndex() *filepos.Error {
	s := &u.index.System
	if u.index.Version > umbVersion { // umbi 0.2 writes 0, and means the same
		return filepos.Fault(fmt.Sprintf("format-version %d", u.index.Version), fmt.Sprintf("%d at most", umbVersion))
	}
	if fault := u.builder.kind([]byte(s.kindName()), CTMDP); fault != nil {
		return fault
	}
	for i, count := range []uint64{s.States, s.Choices, s.Branches} {
		if count >= math.MaxInt32-1 {
			return tooMany(umbPlaces[i])
		}
	}
	if s.States == 0 || s.Choices < s.States || s.Choices > s.States && !u.builder.model.Kind.HasChoices() {
		return filepos.Fault(fmt.Sprintf("%d states with %d choices", s.States, s.Choices), "a state at least, and a choice in each, in a DTMC or CTMC only one")
	}
	types := map[string]umbType{"probabilities": s.ProbabilityType.ends()}
	if s.ExitRateType != nil {
		types["exit rates"] = *s.ExitRateType
	} else if kind := u.builder.model.Kind; kind.IsContinuous() {
		return filepos.Fault(fmt.Sprintf("a %v without exit-rate-type", kind), "the type of its exit rates")
	}
	for _, group := range []string{umbLabels, umbRewards} {
		names := make(map[string]bool)
		for _, id := range u.index.ids(group) {
			a, name := u.index.Annotations[group][id], u.index.name(group, id)
			what := fmt.Sprintf("annotation %s of group %s", quote([]byte(id)), group)
			switch {
			case checkName(name) != nil || names[name]:
				return filepos.Fault(what+" with the name "+quote([]byte(name)), "a name that no other has")
			case a.ProbabilityType != nil:
				return filepos.Fault(what+" with distributions of values", "one value each")
			case group == umbLabels && (a.Type.Type != umbBool || !slices.Equal(a.AppliesTo, umbPlaces[:1])):
				return filepos.Fault(fmt.Sprintf("%s of type %s for %s", what, quote([]byte(a.Type.Type)), wording.Short(fmt.Sprintf("%q", a.AppliesTo))), fmt.Sprintf("%q for %q", umbBool, umbStates))
			case group == umbRewards:
				types[what] = a.Type.ends()
			}
			names[name] = true
		}
	}
	for _, what := range slices.Sorted(maps.Keys(types)) {
		if t := types[what]; t.width() == 0 {
			return filepos.Fault(fmt.Sprintf("%s of type %s with %d bits", what, quote([]byte(t.Type)), t.bits()),
				`"double" of 64 bits or "rational" of a multiple of 128`)
		}
	}
	if fault := u.checkValuation(); fault != nil || u.index.Matrices == nil {
		return fault
	}
	return u.checkMatrices()
}
