package model

// The answer of info as text.

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

func printInfo(s *ui.Screen, d *description) {
	states, choices, structure := d.NumStates(), d.NumChoices(), d.structure
	s.Heading("%s: %s", d.file, kindWords(d.Model))
	s.Printf("  %s   %s   %s\n\n", wording.Count(states, "state"), wording.Count(choices, "choice"), wording.Count(d.NumTransitions(), "transition"))
	s.Item("structure", "%s", s.Styled(ui.Bold, structureSummary(d.Kind, structure)))
	s.Item("", "%s", classificationWords(structure.Classification))
	uniformized := ""
	if d.isUniformized() {
		uniformized = ", uniformized at rate " + ui.PlainText(d.rate)
	}
	s.Item("", "%s, %s%s", wording.Count(structure.Components, "strongly connected component"), wording.Count(structure.EndComponents, "maximal end component"), uniformized)
	if intervals := d.NumUncertain(); intervals > 0 {
		s.Item("intervals", "%s; the structure is that in which all are positive", wording.Count(intervals, "transition"))
	}
	s.Item("initial", "%s", initialWords(d.Model))
	if choices > states {
		s.Item("actions", "%s", d.actions.words("in each state"))
	}
	s.Item("choices", "%s", d.rows.words("transitions each"))
	s.Item("memory", "%s as a table", ui.BytesText(float64(d.bytes)))
	s.Printf("\n")
	if s.Records(d.labels()); len(d.Labels) == 0 {
		s.Printf("  no labels\n")
	}
	s.Printf("\n")
	if s.Records(d.rewards()); len(d.Rewards) == 0 {
		s.Printf("  no reward models\n")
	}
}

func kindWords(m *modelfile.Model) string {
	switch m.Kind {
	case modelfile.CTMC:
		return "Markov chain in continuous time (CTMC)"
	case modelfile.DTMC:
		return "Markov chain in discrete time (DTMC)"
	case modelfile.CTMDP:
		return "Markov decision process in continuous time (CTMDP)"
	case modelfile.SMDP:
		return "semi-Markov decision process (SMDP)"
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
		return "some policy leads from any state to any other, except states that all policies leave for good"
	}
	return "the best long-run average may depend on the state"
}

func initialWords(m *modelfile.Model) string {
	words := "state " + m.StateName(int(m.Initial[0]))
	if more := len(m.Initial) - 1; more > 0 {
		words += " and " + wording.Count(more, "other")
	}
	return words
}

func (e extent) words(what string) string {
	if e.least == e.greatest {
		return fmt.Sprintf("%d %s", e.least, what)
	}
	return fmt.Sprintf("%d … %d %s, %s on average", e.least, e.greatest, what, ui.ShortText(e.mean, 4))
}
