package model

import (
	"bufio"
	"iter"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// write prints a solution. Results of many states are not held as text.
func (s *solution) write(a *ui.Arguments) error {
	switch a.Format {
	case ui.FormatJSON:
		return mdpio.WriteResult(a.CLI.App.Writer, s.result)
	case ui.FormatCSV:
		out := bufio.NewWriter(a.CLI.App.Writer)
		if err := ui.WriteCSV(out, s.rows()); err != nil {
			return err
		}
		return out.Flush()
	case ui.FormatMarkdown:
		return a.Print(ui.Document{Rows: slices.Collect(s.rows())})
	}
	return a.Print(ui.Document{Text: func(screen *ui.Screen) { printSolved(screen, s) }})
}

// rows returns what is known of each state.
func (s *solution) rows() iter.Seq[ui.Record] {
	return func(yield func(ui.Record) bool) {
		for state := range s.result.Values {
			if !yield(s.row(state)) {
				return
			}
		}
	}
}

func (s *solution) row(state int) ui.Record {
	r, m := s.result, s.model
	row := ui.Record{{"state", state}}
	if m.StateNames != nil {
		row = append(row, ui.Field{"name", m.StateNames[state]})
	}
	if r.Exact != nil {
		exact := any(s.exactText(state))
		if r.Exact[state] == nil {
			exact = orInfinite(r.Values[state])
		}
		row = append(row, ui.Field{"exact_value", exact})
	}
	row = append(row,
		ui.Field{"value", orInfinite(r.Values[state])}, ui.Field{"lower", orInfinite(r.Lower[state])}, ui.Field{"upper", orInfinite(r.Upper[state])})
	if r.Relative != nil {
		row = append(row, ui.Field{"relative_value", r.Relative[state]})
	}
	if r.Policy == nil { // a randomised one
		return row
	}
	row = append(row, ui.Field{"policy", int(r.Policy[state])})
	if m.ActionNames != nil {
		row = append(row, ui.Field{"action", s.action(state)})
	}
	return row
}

// orInfinite returns a number, or the word that result files have for an
// infinite one.
func orInfinite(x float64) any {
	switch {
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	return x
}

// action returns the name of the action of the policy in a state.
func (s *solution) action(state int) string {
	m := s.model
	if s.of != nil {
		m = s.of.model
	}
	return m.ActionName(state, int(m.StateStart[state]+s.result.Policy[state]))
}
