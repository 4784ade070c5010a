// This file writes Storm's explicit format.

package modelfile

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// WriteDRN writes a model in Storm's explicit format. Reading it gives an equal model, but for
// what the format cannot hold: labels that hold nowhere, and names of states, unless they are
// values of variables, which go into comments as Storm writes them.
//
// Models that are not valid ([Model.Validate]), CTMDPs and SMDPs, distances, transition rewards
// (see [Model.FoldTransitionRewards]) and names that the format cannot tell from
// others are errors, before anything is written.
func WriteDRN(w io.Writer, m *Model) error {
	if err := m.checkFor("DRN"); err != nil {
		return err
	}
	if err := m.checkDRNNames(); err != nil {
		return fmt.Errorf("modelfile: DRN: %w", err)
	}
	out := newLineWriter(w)
	out.text("@type: ", m.Kind.String(), "\n")
	numbers := "double"
	if m.IsExact() {
		numbers = "rational"
	}
	if m.IsUncertain() {
		numbers += ofIntervals
	}
	out.text("@value_type: ", numbers, "\n")
	out.text("@parameters\n\n@reward_models\n")
	for i := range m.Rewards {
		out.separate(i, " ").text(m.Rewards[i].Name)
	}
	out.text("\n@nr_states\n").int(m.NumStates()).text("\n@nr_choices\n").int(m.NumChoices()).text("\n@model\n")
	labels := m.labelsOfStates()
	exit := Numbers{}
	hasExit := m.Kind == CTMC && !m.IsUncertain()
	if hasExit {
		exit = m.ExitRates()
	}
	variables, values := m.drnVariables()
	for s := range m.NumStates() {
		out.text("state ").int(s)
		if hasExit {
			out.text(" !").number(&exit, s)
		}
		out.drnRewards(m, s, stateRewards)
		for _, name := range labels[s] {
			if strings.ContainsAny(name, " \t") {
				name = `"` + name + `"`
			}
			out.text(" ", name)
		}
		out.text("\n").valuation(variables, values, s)
		for k := int(m.StateStart[s]); k < int(m.StateStart[s+1]); k++ {
			out.text("\taction ", m.ActionName(s, k))
			out.drnRewards(m, k, actionRewards)
			out.text("\n")
			for e := int(m.RowStart[k]); e < int(m.RowStart[k+1]); e++ {
				out.text("\t\t").int(int(m.Columns[e])).text(" : ")
				if m.IsUncertain() {
					out.text("[").number(&m.Values, e).text(", ").number(&m.High, e).text("]\n")
				} else {
					out.number(&m.Values, e).text("\n")
				}
			}
		}
	}
	return out.flush()
}

// drnRewards writes " [REWARD, …]".
func (w *lineWriter) drnRewards(m *Model, i int, list rewardList) {
	if len(m.Rewards) == 0 {
		return
	}
	w.text(" [")
	for r := range m.Rewards {
		w.separate(r, ", ").number(list(&m.Rewards[r]), i)
	}
	w.text("]")
}

// checkDRNNames refuses what the format cannot hold.
func (m *Model) checkDRNNames() error {
	for i := range m.Rewards {
		if r := &m.Rewards[i]; r.Transition.Len() > 0 {
			return fmt.Errorf("reward model %s has transition rewards, for which the format has no place", wording.Quote(r.Name))
		} else if strings.ContainsAny(r.Name, " \t\r\n") || r.Name[0] == '@' {
			return fmt.Errorf("reward model %s has a name with spaces, or one that begins with \"@\"", wording.Quote(r.Name))
		}
	}
	for _, name := range m.labelNames() {
		if strings.ContainsAny(name, "\"\r\n") || name[0] == '[' || name[0] == '!' {
			return fmt.Errorf("label %s has quotation marks or several lines, or begins with \"[\" or \"!\"", wording.Quote(name))
		}
	}
	for k, name := range m.ActionNames {
		if strings.ContainsAny(name, "[]\r\n") || strings.TrimSpace(name) != name || name == unnamedAction {
			return fmt.Errorf("action name %s of choice %d has brackets or several lines, or begins or ends with a space",
				wording.Quote(name), k)
		}
	}
	return nil
}

// drnVariables is Valuations; names are nil where a comment cannot tell them or their values apart.
func (m *Model) drnVariables() (names []string, values func(s int) []string) {
	names, values = m.Valuations()
	isUnclear := func(text string) bool { return text != strings.TrimSpace(text) || strings.ContainsAny(text, "&=!\r\n") }
	if slices.ContainsFunc(names, isUnclear) || names != nil && slices.ContainsFunc(m.StateNames, isUnclear) {
		return nil, values
	}
	return names, values
}

// valuation writes the values of variables in a state as Storm does, in a comment.
func (w *lineWriter) valuation(variables []string, values func(s int) []string, s int) {
	if variables == nil {
		return
	}
	w.text("//[")
	for i, value := range values(s) {
		switch w.separate(i, "\t& "); value {
		case "true":
			w.text(variables[i])
		case "false":
			w.text("!", variables[i])
		default:
			w.text(variables[i], "=", value)
		}
	}
	w.text("]\n")
}
