// This file holds the list of formats: all that reading, writing, help and messages know of them.

package modelfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/gzfile"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Format is a format of model files, one of those that [Formats] lists.
type Format struct {
	Name    string   // in messages, such as "DRN"
	Meaning string   // for help, such as "DRN, the explicit format of Storm"
	Suffix  string   // the end of a file's name, such as ".drn"; ".gz" may follow
	Beside  []string // the suffixes of further files of the same model, such as ".lab"

	gaps  gaps
	read  func(path string, options Options) (*Model, error)
	write func(path string, m *Model) error

	// readText reads a stream; begins reports whether first bytes are of this format. Both are nil
	// for a format of several files.
	readText func(r io.Reader, name string, options Options) (*Model, error)
	begins   func(start []byte) bool
}

// gaps are what a format has no place for.
type gaps struct {
	transitionRewards bool // rewards of transitions
	mixedRewards      bool // rewards of transitions and of actions in one reward model
	stateNames        bool
	emptyLabels       bool // labels that hold nowhere
	distances         bool // L1 distances around probabilities
	rateIntervals     bool
	kinds             []Kind
	unevenExits       bool // exit rates that differ between the choices of a state
}

// Formats lists the formats of model files. The first holds all of a [Model].
func Formats() []Format {
	return []Format{
		{
			Name: "JSON", Meaning: "JSON", Suffix: ".json",
			read: readFileBy(ReadJSON), write: writeFileBy(WriteJSON), readText: ReadJSON,
			begins: func(start []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte{'{'}) },
		},
		{
			Name: "DRN", Meaning: "DRN, the explicit format of Storm", Suffix: ".drn",
			gaps: gaps{transitionRewards: true, stateNames: true, emptyLabels: true, distances: true, kinds: []Kind{CTMDP, SMDP}},
			read: readFileBy(ReadDRN), write: writeFileBy(WriteDRN), readText: ReadDRN,
			begins: isDRN,
		},
		{
			Name: "UMB", Meaning: "UMB, the binary format of PRISM, Storm and Modest", Suffix: ".umb",
			gaps: gaps{distances: true, rateIntervals: true, kinds: []Kind{SMDP}, unevenExits: true},
			read: readUMBFile, write: writeFileBy(WriteUMB), readText: ReadUMB, begins: isUMB,
		},
		{
			Name: "PRISM", Meaning: "the explicit format of PRISM", Suffix: traSuffix, Beside: []string{".sta", ".lab", ".srew", ".trew"},
			gaps: gaps{mixedRewards: true, distances: true, rateIntervals: true, kinds: []Kind{CTMDP, SMDP}},
			read: readPRISMFiles, write: writePRISMFiles,
		},
	}
}

// readFileBy makes a reader of files from a reader of streams.
func readFileBy(read func(io.Reader, string, Options) (*Model, error)) func(string, Options) (*Model, error) {
	return func(path string, options Options) (*Model, error) {
		return gzfile.Read(path, func(r io.Reader) (*Model, error) { return read(r, path, options) })
	}
}

// writeFileBy makes a writer of files from a writer of streams.
func writeFileBy(write func(io.Writer, *Model) error) func(string, *Model) error {
	return func(path string, m *Model) error {
		return gzfile.Write(path, func(w io.Writer) error { return write(w, m) })
	}
}

// FormatOf returns the format that the name of a file tells, or an error that wraps
// [ErrFormat].
func FormatOf(path string) (Format, error) {
	suffix := filepath.Ext(strings.TrimSuffix(path, gzfile.Suffix))
	for _, f := range Formats() {
		if f.Suffix == suffix {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("modelfile: %w: %s: use a name that ends in %s", ErrFormat, wording.Quote(path), Suffixes())
}

// Suffixes lists the ends of the names of model files, for messages.
func Suffixes() string {
	return suffixesOf(Formats()) + ", or in one of these and " + gzfile.Suffix
}

func suffixesOf(formats []Format) string {
	var all []string
	for _, f := range formats {
		all = append(all, f.Suffix)
	}
	return wording.Alternatives(all)
}

// FormatText lists the formats for a page of help, one a line.
func FormatText() string {
	var lines []string
	for _, f := range Formats() {
		line := fmt.Sprintf("  %-6s %s", f.Suffix, f.Meaning)
		if last := len(f.Beside) - 1; last >= 0 {
			line += ", with the " + strings.Join(f.Beside[:last], ", ") + " and " + f.Beside[last] + " beside it"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Fit changes a model where the format needs it: rewards of transitions become their expectation, as
// rewards of actions. It returns a sentence for each thing that is lost, by this or because
// [WriteFile] leaves it out; nil for none. What may not be left out is an error of WriteFile.
func (f Format) Fit(m *Model) (lost []string) {
	for _, name := range m.Unread {
		lost = append(lost, fmt.Sprintf("reward model %s is lost, as its rewards are intervals", wording.Quote(name)))
	}
	folded := len(lost)
	for i := range m.Rewards {
		r := &m.Rewards[i]
		if r.Transition.Len() > 0 && (f.gaps.transitionRewards || f.gaps.mixedRewards && r.Action.Len() > 0) {
			lost = append(lost, fmt.Sprintf("reward model %s: its rewards of transitions are lost, but for their expectation, a reward of actions", wording.Quote(r.Name)))
		}
	}
	if len(lost) > folded {
		m.FoldTransitionRewards()
	}
	if names, _ := m.drnVariables(); f.gaps.stateNames && m.StateNames != nil && names == nil {
		lost = append(lost, "the names of states are lost")
	}
	empty := slices.DeleteFunc(slices.Sorted(maps.Keys(m.Labels)), func(name string) bool { return len(m.Labels[name]) > 0 })
	if f.gaps.emptyLabels && len(empty) > 0 {
		lost = append(lost, "labels that hold nowhere are lost: "+wording.List(empty))
	}
	return lost
}

// checkFor returns an error if a model is not valid, or has what the named format cannot hold and
// may not leave out.
func (m *Model) checkFor(name string) error {
	if err := m.Validate(); err != nil {
		return err
	}
	var others []string
	var surplus error
	for _, f := range Formats() {
		switch has := f.surplus(m); {
		case has == nil:
			others = append(others, f.Name)
		case f.Name == name:
			surplus = has
		}
	}
	if surplus == nil {
		return nil
	}
	return fmt.Errorf("modelfile: %s: %w, for which the format has no place: use %s", name, surplus, wording.Alternatives(others))
}

// surplus names, as an error, what a model has and the format can neither hold nor leave out; nil
// for nothing.
func (f Format) surplus(m *Model) error {
	switch {
	case f.gaps.distances && m.Distance.Len() > 0:
		return errors.New("the model has distances")
	case slices.Contains(f.gaps.kinds, m.Kind):
		return fmt.Errorf("the model is of kind %v", m.Kind)
	case f.gaps.unevenExits && m.Kind == CTMDP:
		if s := m.uneven(); s >= 0 {
			return fmt.Errorf("the actions of state %d have different exit rates", s)
		}
	case f.gaps.rateIntervals && m.Kind == CTMC && m.IsUncertain():
		return fmt.Errorf("%w of rates", ErrIntervals)
	}
	return nil
}
