package model

// The answer of check for people.

import (
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

// maxFaultLines is how many faults the text lists of each kind of claim.
const maxFaultLines = 5

func printChecked(s *ui.Screen, k *checked) {
	r := k.result
	s.Heading("%s: %s", k.resultPath, verdictText(s, k.report.Verdict()))
	s.Printf("  %s   %s\n\n", k.path, k.title())
	if r.Initial < len(k.report.Optimum) {
		if r.Evaluated {
			s.Item("about", "the value of a given policy, not of the best one")
		}
		s.Item("claimed", "%s", k.claimText())
		s.Item("optimum", "%s, proved from the model", intervalText(k.report.Optimum[r.Initial]))
		if k.report.Achieved != nil {
			s.Item("policy", "achieves %s", intervalText(k.report.Achieved[r.Initial]))
		}
		if k.made && r.Certificate != nil {
			s.Item("certificate", "a new one, because the certificate in the result leaves claims undecided")
		}
		s.Printf("\n")
	}
	var rows []ui.Record
	for _, f := range k.findings() {
		text := verdictText(s, f.Verdict)
		if f.NotJudged == k.Model.NumStates() {
			text = "not judged"
		}
		rows = append(rows, ui.Record{{"", ui.ShownLeft("claims", f.claim)}, {"", ui.Shown("verdict", text)}})
	}
	s.Records(rows)
	if states := k.report.Policy.NotJudged; states > 0 {
		s.Printf("\n")
		s.Item("not judged", "what the policy achieves in %s whose optimum is %s, which no policy need achieve", wording.Count(states, "state"), ui.PlainText(needless(r)))
	}
	for _, f := range k.findings() {
		printFaults(s, k, f)
	}
	if k.report.Reason != nil {
		s.Printf("\n")
		s.Item("undecided", "because %s", plainError(k.report.Reason))
	}
}

// printFaults lists the first claims that do not hold.
func printFaults(s *ui.Screen, k *checked, f finding) {
	if f.Verdict == certificate.Holds {
		return
	}
	s.Printf("\n")
	shown := f.Faults[:min(len(f.Faults), maxFaultLines)]
	for _, fault := range shown {
		s.Wrapped("  ", k.faultText(f, fault))
	}
	if more := f.Refuted + f.Undecided - len(shown); more > 0 {
		s.Printf("  … and %s\n", wording.Count(more, "more claim"))
	}
}

// faultText says what is wrong with a claim. For a policy without bounds it adds the optimum.
func (k *checked) faultText(f finding, fault certificate.Fault) string {
	text := fault.String()
	if f.name == "policy" && k.result.Lower == nil && k.report.Achieved != nil {
		text += "; the optimum is " + intervalText(k.report.Optimum[fault.State])
	}
	return text
}

func verdictText(s *ui.Screen, v certificate.Verdict) string {
	style := map[certificate.Verdict]string{certificate.Holds: ui.Green, certificate.Refuted: ui.Red, certificate.Undecided: ui.Yellow}[v]
	return s.Styled(style, v.String())
}

// intervalText returns what is proved of a number.
func intervalText(i certificate.Interval) string { return ui.Interval(i.Lower, i.Upper) }
