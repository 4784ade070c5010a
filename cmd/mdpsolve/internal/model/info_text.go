package model

// The answer of info as text.

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

func printInfo(s *ui.Screen, d *description) {
	m := d.model
	s.Heading("%s: %s", d.path, kindWords(m))
	s.Printf("  %s   %s   %s\n\n", ui.Count(m.NumStates(), "state"), ui.Count(m.NumChoices(), "choice"), ui.Count(m.NumTransitions(), "transition"))
	s.Item("structure", "%s", s.Styled(ui.Bold, structureSummary(m.Kind, d.structure)))
	s.Item("", "%s", classificationWords(d.structure.Classification))
	s.Item("", "%s, %s%s", ui.Count(d.structure.Components, "strongly connected component"),
		ui.Count(d.structure.EndComponents, "maximal end component"), uniformizedWords(d))
	s.Item("initial", "%s", initialWords(m))
	if m.NumChoices() > m.NumStates() {
		s.Item("actions", "%s", extentWords(d.actions, "in a state"))
	}
	s.Item("rows", "%s", extentWords(d.rows, "transitions of a choice"))
	s.Item("memory", "%s as a table", ui.BytesText(float64(d.tableBytes())))
	s.Printf("\n")
	printLabels(s, m)
	printRewards(s, m)
}

func kindWords(m *mdpio.Model) string {
	switch m.Kind {
	case mdpio.CTMC:
		return "Markov chain in continuous time (CTMC)"
	case mdpio.DTMC:
		return "Markov chain in discrete time (DTMC)"
	}
	return "Markov decision process (MDP)"
}

// structureSummary returns "unichain, aperiodic".
func structureSummary(kind mdpio.Kind, structure mdp.Structure) string {
	if isAperiodic(kind, structure) {
		return structure.Classification + ", aperiodic"
	}
	return fmt.Sprintf("%v, of period %d", structure.Classification, structure.Period)
}

func classificationWords(classification string) string {
	switch classification {
	case "unichain":
		return "every policy has one closed class"
	case "communicating":
		return "some policy leads from any state to any other"
	case "weakly-communicating":
		return "some policy leads from any state to any other, but for states that no policy comes back to"
	}
	return "the best long-run average may depend on the state"
}

// uniformizedWords says at which rate a CTMC is uniformized; "" for other models.
func uniformizedWords(d *description) string {
	if d.model.Kind != mdpio.CTMC {
		return ""
	}
	return fmt.Sprintf(", uniformized at rate %s", ui.PlainText(d.table.Rate()))
}

func initialWords(m *mdpio.Model) string {
	words := "state " + stateName(m, int(m.Initial[0]))
	if more := len(m.Initial) - 1; more > 0 {
		words += " and " + ui.Count(more, "other")
	}
	return words
}

// stateName returns the number of a state, with its name where it has one.
func stateName(m *mdpio.Model, s int) string {
	if m.StateNames == nil {
		return strconv.Itoa(s)
	}
	return strconv.Itoa(s) + " " + wording.Short(m.StateNames[s])
}

func extentWords(e extent, what string) string {
	if e.least == e.greatest {
		return fmt.Sprintf("%d %s", e.least, what)
	}
	return fmt.Sprintf("%d … %d %s, %s on average", e.least, e.greatest, what, ui.ShortText(e.mean, 4))
}

// namedTable returns a table whose first column holds names, aligned to the left.
func namedTable() table.Writer {
	t := table.NewWriter()
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, Align: text.AlignLeft, AlignHeader: text.AlignLeft}})
	return t
}

func printLabels(s *ui.Screen, m *mdpio.Model) {
	if len(m.Labels) == 0 {
		s.Printf("  no labels\n\n")
		return
	}
	t := namedTable()
	t.AppendHeader(table.Row{"label", "states"})
	for _, name := range slices.Sorted(maps.Keys(m.Labels)) {
		t.AppendRow(table.Row{wording.Short(name), len(m.Labels[name])})
	}
	s.Table(t)
	s.Printf("\n")
}

func printRewards(s *ui.Screen, m *mdpio.Model) {
	if len(m.Rewards) == 0 {
		s.Printf("  no reward models\n")
		return
	}
	t := namedTable()
	t.AppendHeader(table.Row{"reward model", "rewards of"})
	for i := range m.Rewards {
		r := &m.Rewards[i]
		var parts []string
		for _, part := range []struct {
			number int
			noun   string
		}{{nonzero(r.State), "state"}, {nonzero(r.Action), "action"}, {nonzero(r.Transition), "transition"}} {
			if part.number > 0 {
				parts = append(parts, ui.Count(part.number, part.noun))
			}
		}
		t.AppendRow(table.Row{wording.Short(r.Name), strings.Join(parts, ", ")})
	}
	s.Table(t)
}
