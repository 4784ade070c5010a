// This file writes models in JSON.

package modelfile

import (
	"io"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
)

// WriteJSON writes a model in the JSON format of the package documentation,
// which holds all that a model does: reading it gives an equal model, but that mean sojourn
// times and probabilities of an SMDP are rounded if it is not exact. Models
// that are not valid ([Model.Validate]) are errors, before anything is
// written.
func WriteJSON(w io.Writer, m *Model) error {
	if err := m.Validate(); err != nil {
		return err
	}
	out := &jsonWriter{newLineWriter(w), m}
	out.text(`{"format": "`, jsonVersion, `",`, "\n", `"kind": `).quoted(strings.ToLower(m.Kind.String()))
	if m.IsExact() {
		out.text(",\n", `"numbers": "rational"`)
	}
	out.text(",\n", `"initial": `)
	out.states(m.Initial)
	if len(m.Labels) > 0 {
		out.text(",\n", `"labels": {`)
		for i, name := range m.labelNames() {
			out.separate(i, ",\n").quoted(name).text(": ")
			out.states(m.Labels[name])
		}
		out.text("}")
	}
	if len(m.Rewards) > 0 {
		out.text(",\n", `"reward_models": [`)
		for i := range m.Rewards {
			out.separate(i, ", ").quoted(m.Rewards[i].Name)
		}
		out.text("]")
	}
	if m.Variables != "" {
		out.text(",\n", `"state_variables": `).quoted(m.Variables)
	}
	out.text(",\n", `"states": [`)
	for s := range m.NumStates() {
		out.separate(s, ",").text("\n")
		out.state(s)
	}
	out.text("\n]}\n")
	return out.flush()
}

type jsonWriter struct {
	*lineWriter
	m *Model
}

// quoted writes a text in quotation marks.
func (w *lineWriter) quoted(text string) *lineWriter {
	w.scratch = jsonscan.AppendText(w.scratch[:0], text)
	return w.bytes(w.scratch)
}

func (w *jsonWriter) states(states []int32) {
	w.text("[")
	for i, s := range states {
		w.separate(i, ", ").int(int(s))
	}
	w.text("]")
}

// state writes a state with its actions on one line.
func (w *jsonWriter) state(s int) {
	m := w.m
	w.text("{")
	if m.StateNames != nil {
		w.text(`"name": `).quoted(m.StateNames[s]).text(", ")
	}
	if w.rewards(`"rewards": `, s, stateRewards) {
		w.text(", ")
	}
	w.text(`"actions": [`)
	first := int(m.StateStart[s])
	for k := first; k < int(m.StateStart[s+1]); k++ {
		w.separate(k-first, ", ").text("{")
		if m.hasActionName(k) {
			w.text(`"name": `).quoted(m.ActionNames[k]).text(", ")
		}
		if w.rewards(`"rewards": `, k, actionRewards) {
			w.text(", ")
		}
		if !m.Distance.isZero(k) {
			w.text(`"distance": `)
			w.value(&m.Distance, k)
			w.text(", ")
		}
		lo, hi := m.row(k)
		values, first := &m.Values, 0
		if m.Kind == SMDP {
			duration, probabilities := m.sojourn(k)
			values, first = &probabilities, lo
			w.text(`"duration": `)
			w.value(&duration, 0)
			w.text(", ")
		}
		w.text(`"to": [`)
		for e := lo; e < hi; e++ {
			w.separate(e-lo, ", ").text("[").int(int(m.Columns[e])).text(", ")
			if m.IsUncertain() && !m.isKnown(e) {
				w.text("[")
				w.value(&m.Values, e)
				w.text(", ")
				w.value(&m.High, e)
				w.text("]")
			} else {
				w.value(values, e-first)
			}
			w.rewards(", ", e, transitionRewards)
			w.text("]")
		}
		w.text("]}")
	}
	w.text("]}")
}

// rewards writes a prefix and a list of rewards unless all are 0, and reports whether it
// did.
func (w *jsonWriter) rewards(prefix string, i int, list rewardList) bool {
	some := false
	for r := range w.m.Rewards {
		some = some || !list(&w.m.Rewards[r]).isZero(i)
	}
	if !some {
		return false
	}
	w.text(prefix, "[")
	for r := range w.m.Rewards {
		w.separate(r, ", ")
		w.value(list(&w.m.Rewards[r]), i)
	}
	w.text("]")
	return true
}

// value writes number i of a list: as a number of JSON, or as a text where it
// is an exact fraction.
func (w *jsonWriter) value(numbers *Numbers, i int) {
	if len(numbers.Exact) == 0 || numbers.Exact[i].IsInt() {
		w.number(numbers, i)
		return
	}
	w.text(`"`).number(numbers, i).text(`"`)
}
