package model

// The answer of info as text.

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

func printInfo(s *ui.Screen, d *description, m *modelfile.Model, structure mdp.Structure) {
	s.Heading("%s: %s", d.File, kindWords(m))
	s.Printf("  %s   %s   %s\n\n", ui.Count(d.States, "state"), ui.Count(d.Choices, "choice"), ui.Count(d.Transitions, "transition"))
	s.Item("structure", "%s", s.Styled(ui.Bold, structureSummary(m.Kind, structure)))
	s.Item("", "%s", classificationWords(structure.Classification))
	uniformized := ""
	if d.Rate != nil {
		uniformized = ", uniformized at rate " + ui.PlainText(*d.Rate)
	}
	s.Item("", "%s, %s%s", ui.Count(d.Components, "strongly connected component"), ui.Count(d.EndComponents, "maximal end component"), uniformized)
	if d.Intervals > 0 {
		s.Item("intervals", "%s; the structure is that in which all are positive", ui.Count(d.Intervals, "transition"))
	}
	s.Item("initial", "%s", initialWords(m))
	if d.Choices > d.States {
		s.Item("actions", "%s", extentWords(d.ActionsMin, d.ActionsMax, d.ActionsMean, "in each state"))
	}
	s.Item("choices", "%s", extentWords(d.RowMin, d.RowMax, d.RowMean, "transitions each"))
	s.Item("memory", "%s as a table", ui.BytesText(float64(d.TableBytes)))
	s.Printf("\n")
	printLabels(s, d.Labels)
	printRewards(s, d.Rewards)
}

func kindWords(m *modelfile.Model) string {
	switch m.Kind {
	case modelfile.CTMC:
		return "Markov chain in continuous time (CTMC)"
	case modelfile.DTMC:
		return "Markov chain in discrete time (DTMC)"
	}
	return "Markov decision process (MDP)"
}

// structureSummary returns "unichain, aperiodic".
func structureSummary(kind modelfile.Kind, structure mdp.Structure) string {
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
		return "some policy leads from any state to any other, except for states that no policy returns to"
	}
	return "the best long-run average may depend on the state"
}

func initialWords(m *modelfile.Model) string {
	words := "state " + m.StateName(int(m.Initial[0]))
	if more := len(m.Initial) - 1; more > 0 {
		words += " and " + ui.Count(more, "other")
	}
	return words
}

func extentWords(least, greatest int, mean float64, what string) string {
	if least == greatest {
		return fmt.Sprintf("%d %s", least, what)
	}
	return fmt.Sprintf("%d … %d %s, %s on average", least, greatest, what, ui.ShortText(mean, 4))
}

// namedTable returns a table whose first column holds names, aligned to the left.
func namedTable() table.Writer {
	t := table.NewWriter()
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, Align: text.AlignLeft, AlignHeader: text.AlignLeft}})
	return t
}

func printLabels(s *ui.Screen, labels []labelled) {
	if len(labels) == 0 {
		s.Printf("  no labels\n\n")
		return
	}
	t := namedTable()
	t.AppendHeader(table.Row{"label", "states"})
	for _, l := range labels {
		t.AppendRow(table.Row{wording.Short(l.Label), l.States})
	}
	s.Table(t)
	s.Printf("\n")
}

func printRewards(s *ui.Screen, rewards []rewardKind) {
	if len(rewards) == 0 {
		s.Printf("  no reward models\n")
		return
	}
	t := namedTable()
	t.AppendHeader(table.Row{"reward model", "rewards"})
	for _, r := range rewards {
		var parts []string
		for i, number := range []int{r.States, r.Actions, r.Transitions} {
			if number > 0 {
				parts = append(parts, ui.Count(number, []string{"state", "choice", "transition"}[i]))
			}
		}
		t.AppendRow(table.Row{wording.Short(r.Name), "of " + strings.Join(parts, " and ")})
	}
	s.Table(t)
}
