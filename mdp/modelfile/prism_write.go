// This file writes PRISM's explicit files.

package modelfile

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// WritePRISM writes a model in PRISM's explicit format, to the files that create
// returns for the suffixes ".tra", ".lab", then ".sta" where states have names,
// and for one reward model ".srew" and ".trew", for several "1.srew", "1.trew",
// "2.srew" and so on, as far as they have rewards. It closes each.
//
// Reading the files gives an equal model, but for what the format cannot hold:
// the names of actions of which a choice has no transition, and transition rewards
// that are equal throughout every choice (they are read as action rewards, which are
// written in the same way).
//
// Models that are not valid ([Model.Validate]), CTMDPs and SMDPs, distances, intervals of rates, reward
// models with rewards of both actions and transitions, action rewards of choices without
// transitions and names that the format cannot hold are errors, before anything is written.
func WritePRISM(create func(suffix string) (io.WriteCloser, error), m *Model) error {
	if err := m.checkFor("PRISM"); err != nil {
		return err
	}
	if err := m.checkPRISMNames(); err != nil {
		return fmt.Errorf("modelfile: PRISM: %w", err)
	}
	for _, file := range m.prismFiles() {
		if err := writePRISMFile(create, file); err != nil {
			return err
		}
	}
	return nil
}

// prismFile is one of the files of a model.
type prismFile struct {
	suffix string
	write  func(out *lineWriter)
}

// prismFiles returns the files that a model consists of.
func (m *Model) prismFiles() []prismFile {
	files := []prismFile{{traSuffix, m.writeTransitions}, {".lab", m.writeLabels}}
	if m.StateNames != nil {
		files = append(files, prismFile{".sta", m.writeStateNames})
	}
	for i := range m.Rewards {
		r, number := &m.Rewards[i], ""
		if len(m.Rewards) > 1 {
			number = strconv.Itoa(i + 1)
		}
		byTransition := r.Transition.Len() > 0 || r.Action.Len() > 0
		if r.State.Len() > 0 || !byTransition {
			files = append(files, prismFile{number + ".srew", func(out *lineWriter) { m.writeStateRewards(out, r) }})
		}
		if byTransition {
			files = append(files, prismFile{number + ".trew", func(out *lineWriter) { m.writeTransitionRewards(out, r) }})
		}
	}
	return files
}

func writePRISMFile(create func(suffix string) (io.WriteCloser, error), file prismFile) (err error) {
	w, err := create(file.suffix)
	if err != nil {
		return err
	}
	defer func() {
		if closing := w.Close(); err == nil && closing != nil {
			err = fmt.Errorf("modelfile: writing: %w", closing)
		}
	}()
	out := newLineWriter(w)
	file.write(out)
	return out.flush()
}

func (m *Model) writeTransitions(out *lineWriter) {
	lines := m.NumTransitions()
	for _, k := range m.choices() {
		if lo, hi := m.row(k); lo == hi { // an absorbing state of a CTMC
			lines++
		}
	}
	kind := m.Kind.String()
	if m.IsUncertain() {
		kind = intervalMark + kind
	}
	out.text("# ", transitionsSection, " (", kind, ")\n")
	m.prismCounts(out, lines)
	for s, k := range m.choices() {
		lo, hi := m.row(k)
		for e := lo; e < hi; e++ {
			m.prismTransition(out, s, k, int(m.Columns[e])).text(" ")
			if m.IsUncertain() {
				out.text("[").number(&m.Values, e).text(",").number(&m.High, e).text("]")
			} else {
				out.number(&m.Values, e)
			}
			if m.hasActionName(k) {
				out.text(" ", m.ActionNames[k])
			}
			out.text("\n")
		}
		if lo == hi {
			m.prismTransition(out, s, k, s).text(" 0\n")
		}
	}
}

// prismCounts writes a line of counts.
func (m *Model) prismCounts(out *lineWriter, last int) {
	out.int(m.NumStates()).text(" ")
	if m.Kind == MDP {
		out.int(m.NumChoices()).text(" ")
	}
	out.int(last).text("\n")
}

// prismTransition writes "state [choice] target".
func (m *Model) prismTransition(out *lineWriter, s, k, target int) *lineWriter {
	out.int(s).text(" ")
	if m.Kind == MDP {
		out.int(m.number(s, k)).text(" ")
	}
	return out.int(target)
}

func (m *Model) writeStateNames(out *lineWriter) {
	variables := m.Variables
	if variables == "" {
		variables = "()"
	}
	out.text(variables, "\n")
	for s, name := range m.StateNames {
		out.int(s).text(":", name, "\n")
	}
}

// writeLabels writes the labels; PRISM expects the first two always.
func (m *Model) writeLabels(out *lineWriter) {
	names := []string{initialLabel, deadlockLabel}
	for _, name := range m.labelNames() {
		if name != deadlockLabel {
			names = append(names, name)
		}
	}
	number := make(map[string]int, len(names))
	for i, name := range names {
		out.separate(i, " ").int(i).text(`="`, name, `"`)
		number[name] = i
	}
	out.text("\n")
	for s, labels := range m.labelsOfStates() {
		if len(labels) == 0 {
			continue
		}
		out.int(s).text(":")
		for _, name := range labels {
			out.text(" ").int(number[name])
		}
		out.text("\n")
	}
}

func (w *lineWriter) rewardComments(r *RewardModel, section string) {
	w.text("# ", rewardMark, " \"", r.Name, "\"\n# ", section, "\n")
}

func (m *Model) writeStateRewards(out *lineWriter, r *RewardModel) {
	out.rewardComments(r, stateRewardsSection)
	out.int(m.NumStates()).text(" ").int(r.State.CountNonzero()).text("\n")
	for s := range r.State.Float {
		if !r.State.isZero(s) {
			out.int(s).text(" ").number(&r.State, s).text("\n")
		}
	}
}

// writeTransitionRewards writes transition rewards, or action rewards as the
// same reward of each transition.
func (m *Model) writeTransitionRewards(out *lineWriter, r *RewardModel) {
	lines := r.Transition.CountNonzero()
	for k := range r.Action.Float {
		if lo, hi := m.row(k); !r.Action.isZero(k) {
			lines += hi - lo
		}
	}
	out.rewardComments(r, transitionRewardsSection)
	m.prismCounts(out, lines)
	for s, k := range m.choices() {
		lo, hi := m.row(k)
		for e := lo; e < hi; e++ {
			rewards, i := &r.Transition, e
			if r.Action.Len() > 0 {
				rewards, i = &r.Action, k
			}
			if !rewards.isZero(i) {
				m.prismTransition(out, s, k, int(m.Columns[e])).text(" ").number(rewards, i).text("\n")
			}
		}
	}
}

// checkPRISMNames refuses what the format cannot hold.
func (m *Model) checkPRISMNames() error {
	for i := range m.Rewards {
		r := &m.Rewards[i]
		if r.Action.Len() > 0 && r.Transition.Len() > 0 {
			return fmt.Errorf("reward model %s has action rewards and transition rewards, which the format cannot tell apart", wording.Quote(r.Name))
		}
		if err := checkPRISMName("reward model", r.Name); err != nil {
			return err
		}
		for k := range r.Action.Float {
			if lo, hi := m.row(k); lo == hi && !r.Action.isZero(k) {
				return fmt.Errorf("reward model %s has a reward for the action of state %d, which leads nowhere", wording.Quote(r.Name), k)
			}
		}
	}
	for _, name := range m.labelNames() {
		if err := checkPRISMName("label", name); err != nil {
			return err
		}
	}
	for k, name := range m.ActionNames {
		if strings.ContainsAny(name, " \t\r\n") {
			return fmt.Errorf("action name %s of choice %d has spaces", wording.Quote(name), k)
		}
	}
	for _, name := range append(slices.Clone(m.StateNames), m.Variables) {
		if name != "" && (strings.ContainsAny(name, "\r\n") || name[0] != '(' || name[len(name)-1] != ')' || len(name) < 2) {
			return fmt.Errorf("state name %s is not a list in round brackets", wording.Quote(name))
		}
	}
	return nil
}

func checkPRISMName(what, name string) error {
	if strings.ContainsAny(name, "\"\r\n") {
		return fmt.Errorf("%s %s has quotation marks or more than one line", what, wording.Quote(name))
	}
	return nil
}
