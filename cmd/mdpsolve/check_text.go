package main

import (
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/verify"
)

// maxFaultLines is how many faults the text lists of each kind of claim.
const maxFaultLines = 5

func printChecked(s *screen, k *checked) {
	r := k.result
	s.heading("%s: %s", k.resultPath, s.verdict(k.report.Verdict()))
	s.printf("  %s   %s\n\n", k.path, (&solution{model: k.model, question: k.question()}).title())
	if r.Initial < len(k.report.Optimum) {
		s.item("claimed", "between %s and %s from state %d: %s", exactOrInfinite(r.Lower[r.Initial]), exactOrInfinite(r.Upper[r.Initial]), r.Initial, r.Status)
		s.item("optimum", "%s, proved from the model", intervalText(k.report.Optimum[r.Initial]))
		if k.report.Achieved != nil {
			s.item("policy", "achieves %s", intervalText(k.report.Achieved[r.Initial]))
		}
		s.printf("\n")
	}
	t := namedTable()
	t.AppendHeader(table.Row{"claims", "verdict"})
	for _, f := range findingsOf(k.report) {
		t.AppendRow(table.Row{f.claim, s.verdict(f.Verdict)})
	}
	s.table(t)
	for _, f := range findingsOf(k.report) {
		s.faults(f.Finding)
	}
	if k.report.Reason != nil {
		s.printf("\n")
		s.item("undecided", "since %s", plainError(k.report.Reason))
	}
}

// faults lists the first claims that do not hold.
func (s *screen) faults(f *verify.Finding) {
	if f.Verdict == verify.Holds {
		return
	}
	s.printf("\n")
	shown := f.Faults[:min(len(f.Faults), maxFaultLines)]
	for _, fault := range shown {
		s.wrapped("  ", fault.String())
	}
	if more := f.Refuted + f.Undecided - len(shown); more > 0 {
		s.printf("  … and %s\n", count(more, "more claim"))
	}
}

// question returns what a result answers.
func (k *checked) question() question {
	r := k.result
	q := question{criterion: r.Criterion, discount: r.Discount, target: r.Target, horizon: r.Horizon, reward: r.Reward}
	if r.Sense == mdp.Maximize.String() {
		q.sense = mdp.Maximize
	}
	if reward, err := k.model.Reward(r.Reward); err == nil {
		q.reward = reward.Name
	}
	return q
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
