package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

func printInfo(s *screen, d *description) {
	m := d.model
	s.heading("%s: %s", d.path, kindWords(m))
	s.printf("  %s   %s   %s\n\n", count(m.NumStates(), "state"), count(m.NumChoices(), "choice"), count(m.NumTransitions(), "transition"))
	s.item("structure", "%s", s.styled(bold, structureSummary(m.Kind, d.structure)))
	s.item("", "%s", classificationWords(d.structure.Classification))
	s.item("", "%s, %s%s", count(d.structure.Components, "strongly connected component"),
		count(d.structure.EndComponents, "maximal end component"), uniformizedWords(d))
	s.item("initial", "%s", initialWords(m))
	if m.NumChoices() > m.NumStates() {
		s.item("actions", "%s", extentWords(d.actions, "in a state"))
	}
	s.item("rows", "%s", extentWords(d.rows, "transitions of a choice"))
	s.item("memory", "%s as a table", bytesText(float64(d.tableBytes())))
	s.printf("\n")
	s.labels(m)
	s.rewards(m)
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
		return structure.Classification.String() + ", aperiodic"
	}
	return fmt.Sprintf("%v, of period %d", structure.Classification, structure.Period)
}

func classificationWords(classification mdp.Classification) string {
	switch classification {
	case mdp.Unichain:
		return "every policy has one closed class"
	case mdp.Communicating:
		return "some policy leads from any state to any other"
	case mdp.WeaklyCommunicating:
		return "some policy leads from any state to any other, but for states that no policy comes back to"
	}
	return "the best long-run average may depend on the state"
}

// uniformizedWords says how a CTMC is made one in discrete time.
func uniformizedWords(d *description) string {
	if d.model.Kind != mdpio.CTMC {
		return ""
	}
	return fmt.Sprintf(", uniformized at rate %s", plainText(d.table.Rate()))
}

func initialWords(m *mdpio.Model) string {
	words := "state " + stateName(m, int(m.Initial[0]))
	if more := len(m.Initial) - 1; more > 0 {
		words += " and " + count(more, "other")
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
	return fmt.Sprintf("%d … %d %s, %s on average", e.least, e.greatest, what, shortText(e.mean, 4))
}

// namedTable returns a table with names in the first column, to the left.
func namedTable() table.Writer {
	t := table.NewWriter()
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, Align: text.AlignLeft, AlignHeader: text.AlignLeft}})
	return t
}

func (s *screen) labels(m *mdpio.Model) {
	if len(m.Labels) == 0 {
		s.printf("  no labels\n\n")
		return
	}
	t := namedTable()
	t.AppendHeader(table.Row{"label", "states"})
	for _, name := range slices.Sorted(maps.Keys(m.Labels)) {
		t.AppendRow(table.Row{wording.Short(name), len(m.Labels[name])})
	}
	s.table(t)
	s.printf("\n")
}

func (s *screen) rewards(m *mdpio.Model) {
	if len(m.Rewards) == 0 {
		s.printf("  no reward models\n")
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
				parts = append(parts, count(part.number, part.noun))
			}
		}
		t.AppendRow(table.Row{wording.Short(r.Name), strings.Join(parts, ", ")})
	}
	s.table(t)
}
