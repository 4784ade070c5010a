package model

// The values of actions: --action-values.

import (
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

const actionValues = "action-values"

// actionText is for the help of solve.
const actionText = `--action-values adds, for each action, the value of taking it once (in a finite horizon: in
the first step) and following an optimal policy afterwards. The action is then optimal,
suboptimal, or undecided where bounds do not tell. Small models are solved in fractions, which
show ties. --output csv then has a line for each state and action.`

// keepActions reads --action-values, and refuses it where actions have no values.
func (s *solution) keepActions(a *ui.Arguments) {
	if s.actions = a.CLI.Bool(actionValues); !s.actions {
		return
	}
	if s.Goes(question.ActionValues) != nil || s.Model.IsUncertain() || s.Model.Kind.IsContinuous() {
		a.Fault(actionValues, "not valid here: values of actions are those of a discounted or total sum, or of a finite horizon, in an ordinary model with steps")
	}
}

// actionRows yields a line for each state and action.
func (s *solution) actionRows(yield func(ui.Record) bool) {
	m, values := s.Model, s.result.Actions
	for state := range m.NumStates() {
		for k := int(m.StateStart[state]); k < int(m.StateStart[state+1]); k++ {
			row := ui.Record{{"state", state}}
			if m.StateNames != nil {
				row = append(row, ui.Field{"name", m.StateNames[state]})
			}
			row = append(row, ui.Record{
				{"choice", k - int(m.StateStart[state])},
				{"action", m.ActionName(state, k)},
				{"lower", orInfinite(values.Lower[k])},
				{"upper", orInfinite(values.Upper[k])},
				{"optimality", values.Optimality[k]},
			}...)
			if !yield(row) {
				return
			}
		}
	}
}

// actionTable prints the first values of actions.
func (s *solution) actionTable(out *ui.Screen) {
	m, values, t := s.Model, s.result.Actions, table.NewWriter()
	t.AppendHeader(table.Row{"state", "action", "value", "optimality"})
	shown := 0
	for state := range m.NumStates() {
		for k := int(m.StateStart[state]); k < int(m.StateStart[state+1]) && shown < maxRows; k++ {
			t.AppendRow(table.Row{m.StateName(state), wording.Short(m.ActionName(state, k)), out.Rounded(values.Lower[k]/2+values.Upper[k]/2, ui.Interval(values.Lower[k], values.Upper[k])), values.Optimality[k]})
			shown++
		}
	}
	out.Printf("\n")
	out.Table(t)
	if more := m.NumChoices() - shown; more > 0 {
		out.Printf("  … and %s: --output csv or json prints all\n", wording.Count(more, "more action"))
	}
}
