package model

// What solve and evaluate print: columns of states, and the text for people.

import (
	"bufio"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

const (
	maxRows = 20 // how many states the text shows
	maxText = 40 // how much of the name of a state or an action, and of a fraction
)

func printSolved(s *ui.Screen, a *solution) {
	r, m := a.result, a.model
	s.Heading("%s", a.title())
	s.Printf("  %s   %v   %s", a.path, m.Kind, ui.Count(m.NumStates(), "state"))
	if a.hasChoices() {
		s.Printf("   %s", ui.Count(m.NumChoices(), "choice"))
	}
	s.Printf("   %s\n\n", ui.Count(m.NumTransitions(), "transition"))
	if a.of != nil {
		s.Item("policy", "%s, %s", wording.Short(a.of.policyPath), a.of.words())
	}
	value := a.valueText(r.Initial, ui.ValueText(r.Value, r.Lower[r.Initial], r.Upper[r.Initial]))
	s.Item("value", "%s%s from state %s%s", s.Styled(ui.Bold, value), a.unit(), stateName(m, r.Initial), a.firstWords())
	certainty := s.Styled(ui.StatusStyle(a.status), ui.StatusWords(a.status))
	if exact := a.exactText(r.Initial); exact != "" {
		certainty = "exactly " + shortFraction(exact) + ": " + certainty
	}
	s.Item("", "%s", certainty)
	if a.question.criterion == criterionTotal && slices.Contains(r.Upper, math.Inf(-1)) {
		s.Item("", "no policy need achieve −∞: the one given is not judged there")
	}
	s.Item("method", "%s, %s, %s s", r.Method, ui.Count(r.Iterations, "iteration"), ui.ShortText(r.Seconds, 3))
	if r.Choice != "" {
		s.Item("", "chosen since %s", r.Choice)
	}
	s.Item("structure", "%s", structureSummary(m.Kind, a.structure))
	s.Printf("\n")
	a.stateTable(s)
}

func (s *solution) hasChoices() bool { return s.model.NumChoices() > s.model.NumStates() }

// title returns "Least long-run average of energy".
func (s *solution) title() string {
	q, what := s.question, ""
	switch q.criterion {
	case criterionAverage:
		what = "long-run average"
	case criterionDiscounted:
		what = "discounted total"
	case criterionTotal:
		what = "expected total"
	case criterionFinite:
		what = "expected total"
	}
	what += " of " + wording.Quote(q.reward)
	switch q.criterion {
	case criterionDiscounted:
		what += ", discount factor " + ui.ExactText(q.discount)
	case criterionTotal:
		what += " until " + wording.Quote(q.target)
	case criterionFinite:
		what += " in " + ui.Count(q.horizon, "step")
	}
	if !s.hasChoices() {
		return capitalized(what)
	}
	if q.sense == mdp.Maximize {
		return "Greatest " + what
	}
	return "Least " + what
}

// shortFraction returns a fraction that there is room for, or how long it is.
func shortFraction(fraction string) string {
	if len(fraction) <= maxText {
		return fraction
	}
	return fmt.Sprintf("a fraction of %d digits", len(fraction)-1)
}

// ExactText returns the value of a state as a fraction where that is known and
// says more than a decimal; "" otherwise.
func (s *solution) exactText(state int) string {
	if len(s.result.Exact) == 0 || s.result.Exact[state] == nil {
		return ""
	}
	return s.result.Exact[state].RatString()
}

// valueText returns what is known of the value of a state, or a few digits of it where the
// fraction stands beside it.
func (s *solution) valueText(state int, known string) string {
	if s.exactText(state) != "" {
		return ui.PlainText(s.result.Values[state])
	}
	return known
}

// capitalized returns an English text with a capital at its head.
func capitalized(text string) string { return string(text[0]-'a'+'A') + text[1:] }

func (s *solution) unit() string {
	switch {
	case s.question.criterion != criterionAverage:
		return ""
	case s.model.Kind == mdpio.CTMC:
		return " per unit of time"
	}
	return " per step"
}

func (s *solution) firstWords() string {
	if n := len(s.model.Initial); n > 1 {
		return fmt.Sprintf(", the first of %d initial ones", n)
	}
	return ""
}

// column is one of those that say something of each state.
type column struct {
	name    string // for programs; "" for the text alone
	heading string // in the text; "" for programs alone
	value   func(s int) any
	text    func(s int) string // nil for the value
}

// columns returns what is known of each state.
func (s *solution) columns() []column {
	r, m := s.result, s.model
	columns := []column{{name: "state", heading: "state", value: func(i int) any { return i }}}
	if m.StateNames != nil {
		columns = append(columns, column{
			"name", "name", func(i int) any { return m.StateNames[i] },
			func(i int) string { return text.Snip(m.StateNames[i], maxText, "…") },
		})
	}
	if r.Exact != nil {
		columns = append(columns, column{"exact_value", "exact", func(i int) any {
			if r.Exact[i] == nil {
				return orInfinite(r.Values[i])
			}
			return s.exactText(i)
		}, func(i int) string { return shortFraction(s.exactText(i)) }})
	}
	for _, c := range []struct {
		name, heading string
		numbers       []float64
		text          func(int) string
	}{
		{"value", "value", r.Values, func(i int) string { return s.valueText(i, ui.Interval(r.Lower[i], r.Upper[i])) }},
		{"lower", "", r.Lower, nil},
		{"upper", "", r.Upper, nil},
		{"relative_value", "relative value", r.Relative, func(i int) string { return ui.PlainText(r.Relative[i]) }},
	} {
		if c.numbers != nil {
			columns = append(columns, column{
				c.name, c.heading, func(i int) any { return orInfinite(c.numbers[i]) }, c.text,
			})
		}
	}
	if r.Policy == nil { // a randomised one
		return columns
	}
	columns = append(columns, column{name: "policy", value: func(i int) any { return int(r.Policy[i]) }})
	action := column{value: func(i int) any { return s.action(i) }, text: func(i int) string { return text.Snip(s.action(i), maxText, "…") }}
	if m.ActionNames != nil {
		action.name = "action"
	}
	if s.hasChoices() {
		action.heading = "action"
	}
	return append(columns, action)
}

// write prints a solution. Results of many states are not held as text.
func (s *solution) write(a *ui.Arguments) error {
	switch a.Format {
	case ui.FormatJSON:
		return certificate.Write(a.CLI.App.Writer, s.result)
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

// rows returns a record of each state.
func (s *solution) rows() iter.Seq[ui.Record] {
	columns := slices.DeleteFunc(s.columns(), func(c column) bool { return c.name == "" })
	return func(yield func(ui.Record) bool) {
		for state := range s.result.Values {
			row := make(ui.Record, len(columns))
			for i, c := range columns {
				row[i] = ui.Field{Name: c.name, Value: c.value(state)}
			}
			if !yield(row) {
				return
			}
		}
	}
}

// stateTable prints the first states.
func (s *solution) stateTable(out *ui.Screen) {
	t := table.NewWriter()
	t.SetColumnConfigs([]table.ColumnConfig{
		{Name: "name", Align: text.AlignLeft, AlignHeader: text.AlignLeft},
	})
	columns := slices.DeleteFunc(s.columns(), func(c column) bool { return c.heading == "" })
	header := make(table.Row, len(columns))
	for i, c := range columns {
		header[i] = c.heading
	}
	t.AppendHeader(header)
	shown := min(s.model.NumStates(), maxRows)
	for state := range shown {
		row := make(table.Row, len(columns))
		for i, c := range columns {
			if row[i] = c.value(state); c.text != nil {
				row[i] = c.text(state)
			}
		}
		t.AppendRow(row)
	}
	out.Table(t)
	if more := s.model.NumStates() - shown; more > 0 {
		out.Printf("  … and %s: --output csv or json prints all\n", ui.Count(more, "more state"))
	}
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
