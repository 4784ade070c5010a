package main

import (
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mdpsolve/mdpsolve/mdp/verify"
)

// maxFaultLines is how many faults the text lists of each kind of claim.
const maxFaultLines = 5

func printChecked(s *screen, k *checked) {
	r := k.result
	s.heading("%s: %s", k.resultPath, s.verdict(k.report.Verdict()))
	s.printf("  %s   %s\n\n", k.path, (&solution{model: k.model, question: questionOf(r, k.model)}).title())
	if r.Initial < len(k.report.Optimum) {
		s.item("claimed", "%s", k.claimText())
		s.item("optimum", "%s, proved from the model", intervalText(k.report.Optimum[r.Initial]))
		if k.report.Achieved != nil {
			s.item("policy", "achieves %s", intervalText(k.report.Achieved[r.Initial]))
		}
		if k.made && r.Certificate != nil {
			s.item("certificate", "made for it, as its own leaves claims undecided")
		}
		s.printf("\n")
	}
	t := namedTable()
	t.AppendHeader(table.Row{"claims", "verdict"})
	for _, f := range k.findings() {
		t.AppendRow(table.Row{f.claim, s.verdict(f.Verdict)})
	}
	s.table(t)
	for _, f := range k.findings() {
		s.faults(k, f)
	}
	if k.report.Reason != nil {
		s.printf("\n")
		s.item("undecided", "since %s", plainError(k.report.Reason))
	}
}

// faults lists the first claims that do not hold.
func (s *screen) faults(k *checked, f finding) {
	if f.Verdict == verify.Holds {
		return
	}
	s.printf("\n")
	shown := f.Faults[:min(len(f.Faults), maxFaultLines)]
	for _, fault := range shown {
		s.wrapped("  ", k.faultText(f, fault))
	}
	if more := f.Refuted + f.Undecided - len(shown); more > 0 {
		s.printf("  … and %s\n", count(more, "more claim"))
	}
}

// faultText says what is wrong with a claim; of a policy without bounds, what it is
// compared with, too.
func (k *checked) faultText(f finding, fault verify.Fault) string {
	text := fault.String()
	if f.name == "policy" && k.result.Lower == nil && k.report.Achieved != nil {
		text += "; the optimum is " + intervalText(k.report.Optimum[fault.State])
	}
	return text
}

func (s *screen) verdict(v verify.Verdict) string {
	style := map[verify.Verdict]string{verify.Holds: green, verify.Refuted: red, verify.Undecided: yellow}[v]
	return s.styled(style, v.String())
}

// intervalText returns what is proved of a number, with all digits.
func intervalText(i verify.Interval) string {
	if i.Lower == i.Upper {
		return exactOrInfinite(i.Lower)
	}
	return "between " + exactOrInfinite(i.Lower) + " and " + exactOrInfinite(i.Upper)
}

func exactOrInfinite(x float64) string { return numberText(x, exactText) }
