package model

// What solve and evaluate print: columns of states, and the text for people.

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

const (
	maxRows = 20 // how many states the text shows
	maxText = 40 // how many characters of a fraction it shows
)

func printSolved(s *ui.Screen, a *solution) {
	r, m := a.result, a.Model
	a.printHead(s, a.title())
	if a.of != nil {
		a.of.printPolicy(s)
	}
	value := a.valueText(r.Initial, ui.ValueText(r.Value, r.Lower[r.Initial], r.Upper[r.Initial]))
	if a.Criterion == question.Compound && r.Lower[r.Initial] != r.Upper[r.Initial] { // it may be a range
		value = ui.Interval(r.Lower[r.Initial], r.Upper[r.Initial])
	}
	first := ""
	if r.InitialStates != nil {
		first = ", the first initial one"
	}
	s.Item("value", "%s%s from state %s%s", s.Styled(ui.Bold, value), a.unit(), m.StateName(r.Initial), first)
	certainty := s.Styled(ui.StatusStyle(a.status), ui.StatusWords(a.status))
	if exact := a.exactText(r.Initial); exact != "" {
		certainty = "exactly " + shortFraction(exact) + ": " + certainty
	}
	s.Item("", "%s", certainty)
	if text := a.initialText(); text != "" {
		s.Item("initial", "%s", text)
	}
	if r.Answer != "" {
		s.Item("answer", "%s", s.Styled(ui.Bold, r.Answer))
	}
	if r.Infinite != "" {
		s.Item("infinite", "%s", r.Infinite)
	}
	if end := needless(r); a.HasChoices() && (end < 0 && slices.Contains(r.Upper, end) || end > 0 && slices.Contains(r.Lower, end)) {
		s.Item("", "no policy need achieve %s, so check does not judge the policy there", ui.PlainText(end))
	}
	for _, text := range r.Questions {
		s.Item("asked", "%s", wording.Line(text))
	}
	words := r.Method + ", " + wording.Count(r.Iterations, "iteration")
	if a.compared == nil { // otherwise the table of methods has the times, in which bounds were recorded, too
		words += ", " + ui.ShortText(r.Seconds, 3) + " s"
	}
	s.Item("method", "%s", words)
	if r.Choice != "" {
		s.Item("", "chosen because %s", r.Choice)
	}
	if a.textbook != "" {
		s.Item("textbook", "%s", a.textbook)
	}
	if a.structure.Classification != "" {
		s.Item("structure", "%s", structureSummary(m.Kind, a.structure))
	}
	if a.rules != "" {
		s.Item("rules", "%s", a.rules)
	}
	a.compared.print(s)
	s.Printf("\n")
	a.stateTable(s)
	if r.Actions != nil {
		a.actionTable(s)
	}
	if a.of == nil && a.HasChoices() && r.Steps() > 1 && r.Policy != nil {
		s.Printf("  the actions are those of the first step: --output csv or json prints all steps\n")
	}
}

// printHead prints what is asked, and the sizes of the model.
func (q asked) printHead(s *ui.Screen, heading string) {
	m := q.Model
	if q.Given.Criterion != q.Criterion || q.ofPolicy && q.HasChoices() { // each step has states, or choices, of its own in q.Model
		m = q.given
	}
	s.Heading("%s", heading)
	s.Printf("  %s   %v   %s", q.path, m.Kind, wording.Count(m.NumStates(), "state"))
	if q.HasChoices() {
		s.Printf("   %s", wording.Count(m.NumChoices(), "choice"))
	}
	s.Printf("   %s\n\n", wording.Count(m.NumTransitions(), "transition"))
}

// unit returns the unit of the value, such as " per step"; "" for a total or a probability.
func (q asked) unit() string {
	switch {
	case !q.HasGain(), q.Stated != nil && q.Stated.IsProbability(), q.Parsed != nil && q.Parsed.Optimized() > 0:
		return ""
	case q.Model.Kind.IsContinuous():
		return " per unit of time"
	}
	return " per step"
}

// shortFraction returns a fraction of at most maxText characters. For a longer one it says how
// many digits it has.
func shortFraction(fraction string) string {
	if len(fraction) <= maxText {
		return fraction
	}
	return fmt.Sprintf("a fraction of %d digits", len(fraction)-1)
}

// exactText returns the value of a state as a fraction where that is known and
// says more than a decimal; "" otherwise.
func (s *solution) exactText(state int) string {
	if len(s.result.Exact) == 0 || s.result.Exact[state] == nil {
		return ""
	}
	return s.result.Exact[state].RatString()
}

// valueText returns known, the text of a state's value and its bounds. If the fraction is printed
// beside it, valueText returns the value alone.
func (s *solution) valueText(state int, known string) string {
	if s.exactText(state) != "" {
		return ui.PlainText(s.result.Values[state])
	}
	return known
}

// headings are those of the columns that people see, by the name of the field.
var headings = map[string]string{
	"state": "state", "step": "step", "name": "name", "exact_value": "exact", "value": "value", "relative_value": "relative value", "action": "action",
}

// rows yields the rows of CSV, Markdown and LaTeX: one for each state, or for each state and step if
// there are policies or values of several steps. Columns that have no value in any state are left
// out. Steps after the first have values only with --step-values. forPeople marks the columns that
// people see.
func (s *solution) rows(forPeople bool) iter.Seq[ui.Record] {
	r, m := s.result, s.Model
	var open []int32 // the states where the policy plays no role
	if s.Stated != nil {
		open = s.Stated.Decided
	}
	n, policies := len(r.Values), r.Policies
	if policies == nil {
		policies = [][]int32{r.Policy}
	}
	if v := r.StepValues; v != nil && len(policies) < len(v.Values) { // there is nothing to choose
		policies = slices.Repeat(policies, len(v.Values))
	}
	return func(yield func(ui.Record) bool) {
		for line := range n * len(policies) {
			i, step := line%n, line/n
			row := ui.Record{{"state", i}}
			if r.Steps() > 1 && (r.Policies != nil || r.StepValues != nil || s.of == nil) {
				row = append(row, ui.Field{"step", step + 1})
			}
			if m.StateNames != nil {
				row = append(row, ui.Field{"name", m.StateNames[i]})
			}
			value := orInfinite(r.Values[i])
			if exact := s.exactText(i); exact != "" {
				row = append(row, ui.Field{"exact_value", exact})
			} else if r.Exact != nil {
				row = append(row, ui.Field{"exact_value", value})
			}
			known := len(row)
			row = append(row, ui.Record{{"value", value}, {"lower", orInfinite(r.Lower[i])}, {"upper", orInfinite(r.Upper[i])}}...)
			if r.Exact != nil {
				known--
			}
			for at := known; step > 0 && at < len(row); at++ {
				row[at].Value = nil
			}
			if v := r.StepValues; v != nil && step > 0 {
				for at, list := range [][]certificate.Floats{v.Values, v.Lower, v.Upper} {
					row[len(row)-3+at].Value = orInfinite(list[step][i])
				}
			}
			if s.hasRelative() {
				row = append(row, ui.Field{"relative_value", orInfinite(r.Relative[i])})
			}
			var policy, action any
			if _, isOpen := slices.BinarySearch(open, int32(i)); r.Policy != nil && !isOpen {
				policy, action = policies[step][i], s.action(i, policies[step][i])
			}
			if r.Policy != nil { // not a randomised one
				row = append(row, ui.Field{"policy", policy})
			}
			if r.Policy != nil && m.ActionNames != nil {
				row = append(row, ui.Field{"action", action})
			}
			for at, f := range row {
				if heading, is := headings[f.Name]; is && forPeople {
					row[at].Value = ui.Shown(heading, f.Value)
				}
			}
			if !yield(row) {
				return
			}
		}
	}
}

// hasRelative reports whether there are relative values to show. Those of a probability of paths are about
// the model that decides it, and mean nothing in the model given.
func (s *solution) hasRelative() bool {
	return s.result.Relative != nil && (s.Stated == nil || !s.Stated.IsAbsorbed())
}

// write prints a solution. Results of many states are not held as text.
func (s *solution) write(a *ui.Arguments) error {
	rows, words := s.rows(a.Format != ui.FormatCSV), func(screen *ui.Screen) { printSolved(screen, s) }
	if s.result.Actions != nil {
		rows = s.actionRows
	}
	if s.compared != nil {
		rows = s.compared.rows
	}
	if s.result.Constraints != nil {
		rows, words = s.mixtureRows, s.printMixture
		warnInitial(a, s.Model, "")
	}
	switch a.Format {
	case ui.FormatJSON:
		if s.result.Constraints == nil {
			warnInitial(a, s.Model, " (initial_values has all)")
		}
		return certificate.Write(a.CLI.App.Writer, s.result)
	case ui.FormatCSV:
		return a.WriteRows(rows)
	case ui.FormatMarkdown, ui.FormatLatex:
		return a.Print(ui.Document{Rows: slices.Collect(rows)})
	}
	return a.Print(ui.Document{Text: words})
}

// stateTable prints the first states.
func (s *solution) stateTable(out *ui.Screen) {
	r, m := s.result, s.Model
	t := table.NewWriter()
	t.SetColumnConfigs([]table.ColumnConfig{
		{Name: "name", Align: text.AlignLeft, AlignHeader: text.AlignLeft},
	})
	var header, row table.Row
	column := func(heading string, isKnown bool, cell func() any) {
		if isKnown {
			header, row = append(header, heading), append(row, cell())
		}
	}
	shown := min(m.NumStates(), maxRows)
	for i := range shown {
		header, row = nil, nil
		column("state", true, func() any { return i })
		column("name", m.StateNames != nil, func() any { return wording.Short(m.StateNames[i]) })
		column("exact", r.Exact != nil, func() any { return shortFraction(s.exactText(i)) })
		column("value", true, func() any { return out.Rounded(r.Values[i], s.valueText(i, ui.Interval(r.Lower[i], r.Upper[i]))) })
		column("relative value", s.hasRelative(), func() any { return out.Rounded(r.Relative[i], ui.PlainText(r.Relative[i])) })
		column("action", r.Policy != nil && s.HasChoices(), func() any { return wording.Short(s.action(i, r.Policy[i])) })
		t.AppendRow(row)
	}
	t.AppendHeader(header)
	out.Table(t)
	if more := m.NumStates() - shown; more > 0 {
		out.Printf("  … and %s: --output csv or json prints all\n", wording.Count(more, "more state"))
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

// action returns the name of an action in a state.
func (s *solution) action(state int, action int32) string {
	m := s.Model
	if s.of != nil {
		m = s.of.Whole
	}
	return m.ActionName(state, int(m.StateStart[state]+action))
}
