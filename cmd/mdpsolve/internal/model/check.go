package model

// The verb check: the command, and its answer for programs.

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// CheckCommand is the verb check.
func CheckCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "verify an answer by its certificate",
		UsageText: "mdpsolve check MODEL RESULT [options]",
		ArgsUsage: modelOperand + " " + resultOperand,
		Description: `RESULT is a file of solve --out or the output of solve --output json. It claims

  bounds          the best value of each state is between lower and upper
  values          the given value of each state is between lower and upper
  policy          the policy achieves upper with --minimize, lower with --maximize
  status          if converged, the bounds are within the tolerance
  classification  the model has the given structure: class and period

Each claim holds, is refuted, or is undecided if neither can be proved. The proof is
the certificate in RESULT. Code independent of solve checks it; docs/certificates.py
does the same in Python. If the certificate is missing, or leaves claims undecided,
check makes a new certificate and checks that.

RESULT may come from another program: a .csv file with the columns state and value, or
state and action, or a scheduler exported by Storm as .json (--exportscheduler). Then
state the question with --criterion and the flags of solve. The claim is that each
value, or the value of the policy, is the best within --tolerance times the scale (see
mdpsolve help solve). For a finite horizon, RESULT has the policy of the first step or,
with a column step, of each.

A result of evaluate claims the value of its policy. With --policy FILE, RESULT is the value of
the policy in FILE; a result for a randomised policy needs this flag. The verb does not judge
policies where the optimal total is infinite and perhaps no policy achieves it.

The exit status is 0 if all claims hold, and 3 if not.

` + modelText + `

Examples:
  mdpsolve solve taxicab.json --criterion average --maximize --out result.json
  mdpsolve check taxicab.json result.json
  mdpsolve check taxicab.json policy.csv --criterion average --maximize
  mdpsolve check paths.drn values.csv --criterion total --target goal --minimize --tolerance 1e-4`,
		Flags: slices.Concat(questionFlags("RESULT claims"), []cli.Flag{
			ui.ValueFlag("tolerance", "accept values and policies within `E` times the scale of a state, as in mdpsolve help solve", "1e-6"),
			policyFlag("RESULT is the value of the policy in `FILE`"),
			kindFlag(), normalizeFlag(),
			ui.WorkersFlag(),
			ui.ValueFlag("time-limit", "spend at most `SECONDS` to make a missing certificate", ""),
			ui.OutputFlag(),
		}),
		Action: ui.Action(runCheck),
	}
}

const resultOperand = "RESULT"

// checked is the answer of check.
type checked struct {
	asked            // about the model that the claims are about
	path, resultPath string
	claim            answer.Claim        // as it was read
	result           *certificate.Result // the claim, translated to the model that it is about
	report           *certificate.Report
	made             bool // check made the certificate that it used
}

func runCheck(a *ui.Arguments) error {
	c := a.CLI
	k := &checked{path: c.Args().Get(0), resultPath: c.Args().Get(1)}
	settings := settingsOf(c, ui.Method{Settings: mdp.Settings{Workers: a.Workers(), TimeLimit: a.Seconds("time-limit")}})
	k.claim.Model = readModel(a, isSmall(a, k.path))
	readClaims(a, k)
	err := k.judge(c, settings)
	if k.report == nil || ui.IsUsage(err) {
		return err
	}
	if err := a.Print(ui.Document{JSON: k.record(), Rows: k.rows(), Text: func(s *ui.Screen) { printChecked(s, k) }}); err != nil {
		return err
	}
	if err != nil && c.Err() != nil {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted: claims that were not proved by then are undecided")
	}
	return cmp.Or(err, k.end())
}

// finding is the verdict on a kind of claim. name is the claim's name in answers, claim its text.
type finding struct {
	name, claim string
	*certificate.Finding
	proved []certificate.Interval // what is proved of the number claimed, by state; nil if no number is
}

// findings returns what was found of each kind of claim that is made.
func (k *checked) findings() []finding {
	r, c := k.report, k.result
	values := "the value of each state lies between its bounds"
	policy := "the policy achieves the upper bound of each state"
	if c.IsMaximized() {
		policy = "the policy achieves the lower bound of each state"
	}
	if r.Policy.NotJudged > 0 {
		policy += " where the optimum is not " + ui.PlainText(needless(c))
	}
	if c.Lower == nil {
		values = "the value of each state is the best, within the tolerance"
		policy = "no policy is better, within the tolerance"
	}
	bounds, within := "the best value of each state lies between its bounds", c.Constraints != nil
	if within {
		bounds, values = "the best value within the limits lies between its bounds", "the value lies between its bounds"
		policy = "the mixture achieves its bound and keeps to the limits, within the tolerance"
	}
	var made []finding
	for _, f := range []struct {
		made bool
		finding
	}{
		{within || c.Lower != nil, finding{"bounds", bounds, &r.Bounds, r.Optimum}},
		{within || c.Values != nil, finding{"values", values, &r.Values, r.Optimum}},
		{within || c.Policy != nil, finding{"policy", policy, &r.Policy, r.Achieved}},
		{c.Status != "", finding{"status", "the bounds are as close as the status says", &r.Status, r.Optimum}},
		{c.Classification != "", finding{"classification", "the model has the structure given", &r.Classification, nil}},
	} {
		if f.made {
			made = append(made, f.finding)
		}
	}
	return made
}

// decisive returns the state that decides a finding, with what is proved of its number: the first
// state at fault, or else the initial state. It returns −1 for a finding about no state.
func (k *checked) decisive(f finding) (state int, proved certificate.Interval) {
	state = k.result.Initial
	if len(f.Faults) > 0 {
		state = f.Faults[0].State
	}
	if f.proved == nil || state < 0 || state >= len(f.proved) {
		return -1, certificate.Interval{Lower: math.Inf(-1), Upper: math.Inf(1)}
	}
	return state, f.proved[state]
}

// end returns nil where all claims hold.
func (k *checked) end() error {
	for _, verdict := range []certificate.Verdict{certificate.Refuted, certificate.Undecided} {
		for _, f := range k.findings() {
			if f.Verdict == verdict {
				return ui.EndEarly(ui.ExitLimit, fmt.Sprintf("%s: %v", wording.Short(k.resultPath), k.faultText(f, f.Faults[0])))
			}
		}
	}
	return nil
}

func (k *checked) record() ui.Record {
	answer := ui.Record{
		{"file", k.path},
		{"result", k.resultPath},
		{"criterion", k.result.Criterion},
		{"sense", k.result.Sense},
	}
	if k.result.Status != "" {
		answer = append(answer, ui.Field{"solve_status", k.result.Status})
	}
	answer = append(answer, ui.Field{"verdict", k.report.Verdict().String()}, ui.Field{"certificate", k.certificate()})
	claims, faults := []ui.Record{}, []ui.Record{}
	for _, f := range k.findings() {
		answer = append(answer, ui.Field{f.name, f.Verdict.String()})
		claims = append(claims, k.claimRecord(f))
		for _, fault := range f.Faults {
			faults = append(faults, ui.Record{
				{"finding", f.name},
				{"state", fault.State},
				{"claim", fault.Claim},
				{"verdict", fault.Verdict.String()},
				{"proven", fault.Proven},
			})
		}
	}
	answer = append(answer, k.proven("optimum", k.report.Optimum)...)
	answer = append(answer, k.proven("achieved", k.report.Achieved)...)
	if k.report.Reason != nil {
		answer = append(answer, ui.Field{"reason", plainError(k.report.Reason)})
	}
	return append(answer, ui.Field{"claims", claims}, ui.Field{"faults", faults})
}

// certificate says where the certificate is from; nil where there is none.
func (k *checked) certificate() any {
	switch {
	case k.made && !k.result.HasSteps():
		return "made"
	case k.result.Certificate != nil:
		return "given"
	}
	return nil
}

// claimRecord returns the verdict on a kind of claim, with the state that decides it and
// what is proved there; null for a claim about no state.
func (k *checked) claimRecord(f finding) ui.Record {
	state, proved := k.decisive(f)
	r := ui.Record{{"claim", f.name}, {"verdict", f.Verdict.String()}, {"not_judged", f.NotJudged}}
	if state < 0 {
		return append(r, ui.Field{"state", nil}, ui.Field{"lower", nil}, ui.Field{"upper", nil})
	}
	return append(r, ui.Field{"state", state}, ui.Field{"lower", orInfinite(proved.Lower)}, ui.Field{"upper", orInfinite(proved.Upper)})
}

// proven returns the bounds proved for the initial state; nothing if there are no intervals for it.
func (k *checked) proven(name string, intervals []certificate.Interval) ui.Record {
	if k.result.Initial >= len(intervals) {
		return nil
	}
	i := intervals[k.result.Initial]
	return ui.Record{{name + "_lower", orInfinite(i.Lower)}, {name + "_upper", orInfinite(i.Upper)}}
}

// rows has a line for each kind of claim.
func (k *checked) rows() []ui.Record {
	var rows []ui.Record
	for _, f := range k.findings() {
		rows = append(rows, ui.Record{
			{"finding", f.name}, {"claim", f.claim}, {"verdict", f.Verdict.String()}, {"refuted", f.Refuted}, {"undecided", f.Undecided}, {"not_judged", f.NotJudged},
		})
	}
	return rows
}

// needless returns the infinite total that can be the optimum even if no policy achieves it; 0 if
// the question has no such total.
func needless(r *certificate.Result) float64 {
	switch {
	case r.Criterion != question.Total:
		return 0
	case !r.IsMaximized():
		return math.Inf(-1)
	case r.Target == "":
		return math.Inf(1)
	}
	return 0
}
