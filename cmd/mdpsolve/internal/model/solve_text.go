package model

import (
	"fmt"
	"math"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
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
	lower, upper := r.Lower[r.Initial], r.Upper[r.Initial]
	s.Item("value", "%s%s from state %s%s", s.Styled(ui.Bold, numberText(r.Value, ui.PlainText)), a.unit(), stateName(m, r.Initial), a.firstWords())
	certainty := betweenWords(lower, upper)
	if exact := a.exactText(r.Initial); exact != "" {
		certainty = "exactly " + shortFraction(exact)
	}
	s.Item("", "%s: %s", certainty, s.Styled(ui.StatusStyle(a.status), ui.StatusWords(a.status)))
	s.Item("method", "%s, %s, %s s", r.Method, ui.Count(r.Iterations, "iteration"), ui.ShortText(r.Seconds, 3))
	if r.Choice != "" {
		s.Item("", "chosen since %s", r.Choice)
	}
	s.Item("structure", "%s", structureSummary(m.Kind, a.structure))
	s.Printf("\n")
	a.stateTable(s)
}

func (a *solution) hasChoices() bool { return a.model.NumChoices() > a.model.NumStates() }

// title returns "Least long-run average of energy".
func (a *solution) title() string {
	q, what := a.question, ""
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
	if !a.hasChoices() {
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
func (a *solution) exactText(state int) string {
	if len(a.result.Exact) == 0 || a.result.Exact[state] == nil {
		return ""
	}
	return a.result.Exact[state].RatString()
}

// capitalized returns an English text with a capital at its head.
func capitalized(text string) string { return string(text[0]-'a'+'A') + text[1:] }

func (a *solution) unit() string {
	switch {
	case a.question.criterion != criterionAverage:
		return ""
	case a.model.Kind == mdpio.CTMC:
		return " per unit of time"
	}
	return " per step"
}

func (a *solution) firstWords() string {
	if n := len(a.model.Initial); n > 1 {
		return fmt.Sprintf(", the first of %d initial ones", n)
	}
	return ""
}

// betweenWords says what bounds there are.
func betweenWords(lower, upper float64) string {
	words := fmt.Sprintf("between %s and %s", numberText(lower, ui.LowerText), numberText(upper, ui.UpperText))
	switch gap := upper - lower; {
	case math.IsNaN(gap): // of two infinities
		return "for certain"
	case math.IsInf(gap, 1):
		return words
	default:
		return fmt.Sprintf("%s, %s apart", words, ui.ShortText(gap, 2))
	}
}

// numberText returns a number as text says, or the sign of infinity.
func numberText(x float64, text func(float64) string) string {
	switch {
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "−∞"
	}
	return text(x)
}

// stateTable prints the first states.
func (a *solution) stateTable(s *ui.Screen) {
	r, m := a.result, a.model
	t := table.NewWriter()
	t.SetColumnConfigs([]table.ColumnConfig{
		{Name: "name", Align: text.AlignLeft, AlignHeader: text.AlignLeft},
	})
	header := table.Row{"state"}
	if m.StateNames != nil {
		header = append(header, "name")
	}
	if r.Exact != nil {
		header = append(header, "exact")
	}
	header = append(header, "value", "lower", "upper")
	if r.Relative != nil {
		header = append(header, "relative value")
	}
	if a.hasChoices() {
		header = append(header, "action")
	}
	t.AppendHeader(header)
	shown := min(m.NumStates(), maxRows)
	for state := range shown {
		row := table.Row{state}
		if m.StateNames != nil {
			row = append(row, text.Snip(m.StateNames[state], maxText, "…"))
		}
		if r.Exact != nil {
			row = append(row, shortFraction(a.exactText(state)))
		}
		row = append(row, numberText(r.Values[state], ui.PlainText),
			numberText(r.Lower[state], ui.LowerText), numberText(r.Upper[state], ui.UpperText))
		if r.Relative != nil {
			row = append(row, ui.PlainText(r.Relative[state]))
		}
		if a.hasChoices() {
			row = append(row, text.Snip(a.action(state), maxText, "…"))
		}
		t.AppendRow(row)
	}
	s.Table(t)
	if more := m.NumStates() - shown; more > 0 {
		s.Printf("  … and %s: --output csv or json prints all\n", ui.Count(more, "more state"))
	}
}
