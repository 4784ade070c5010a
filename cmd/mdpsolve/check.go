package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
	"github.com/mdpsolve/mdpsolve/mdp/verify"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "whether a saved result holds, proved from the model alone",
		UsageText: "mdpsolve check MODEL RESULT [options]",
		ArgsUsage: modelOperand + " " + resultOperand,
		Description: `RESULT is what solve --out writes and solve --output json prints. What it claims of
MODEL is proved anew, by code of its own: that the best value of each state lies
between its bounds, that the value given does, that the policy achieves the worse
bound, that the bounds are as close as a status of converged says, and the
classification. Each claim holds, is refuted, or is undecided, where neither could
be proved.

The exit status is 0 only if all bounds hold and nothing is refuted, 3 otherwise.

` + modelText + `

Examples:
  mdpsolve solve taxicab.json --criterion average --maximize --out result.json
  mdpsolve check taxicab.json result.json`,
		Flags:  []cli.Flag{kindFlag(), outputFlag()},
		Action: runCheck,
	}
}

const resultOperand = "RESULT"

// findingsOf returns what a report has on each kind of claim, with the name that
// answers give it and what it says.
func findingsOf(r *verify.Report) []finding {
	return []finding{
		{"bounds", "the best value of each state lies between its bounds", &r.Bounds},
		{"values", "the value of each state lies between its bounds", &r.Values},
		{"policy", "the policy achieves the worse bound of each state", &r.Policy},
		{"status", "bounds are as close as the status says", &r.Status},
		{"classification", "the model is of the class and the period given", &r.Classification},
	}
}

type finding struct {
	name, claim string
	*verify.Finding
}

// checked is what has been found of a result.
type checked struct {
	path, resultPath string
	model            *mdpio.Model
	result           *mdpio.Result
	report           *verify.Report
}

func runCheck(c *cli.Context) error {
	a := &arguments{context: c}
	format := a.format()
	k := &checked{path: c.Args().Get(0), resultPath: c.Args().Get(1)}
	k.result = a.resultFileOf(k.resultPath)
	k.model = a.model(isSmall(k.path))
	if a.err != nil {
		return a.err
	}
	var err error
	k.report, err = verify.Check(c.Context, k.model, k.result, verify.Options{})
	if k.report == nil {
		return fileFault(resultOperand, k.resultPath, err)
	}
	if err := (document{
		json: k.record(), rows: k.rows(), text: func(s *screen) { printChecked(s, k) },
	}).write(c, format); err != nil {
		return err
	}
	if err != nil {
		return &earlyEndError{exitInterrupted, "interrupted: what was not proved by then is undecided"}
	}
	return k.end()
}

// resultFileOf reads a result.
func (a *arguments) resultFileOf(path string) *mdpio.Result {
	if a.err != nil {
		return nil
	}
	r, err := interruptible(a.context.Context, func() (*mdpio.Result, error) { return mdpio.ReadResultFile(path) })
	if err != nil {
		a.err = fileFault(resultOperand, path, err)
	}
	return r
}

// Sizes of files up to which the numbers of a model are kept exactly for a check:
// fractions take some ten times the memory. Beyond them bounds are checked for
// the numbers rounded to float64.
const (
	exactBytes       = 16 << 20
	exactPackedBytes = 2 << 20
)

// isSmall reports whether the numbers of a model are to be kept exactly.
func isSmall(path string) bool {
	info, err := os.Stat(path)
	most := int64(exactBytes)
	if strings.HasSuffix(path, ".gz") {
		most = exactPackedBytes
	}
	return err == nil && info.Size() <= most // an error comes again
}

// end returns nil where the bounds hold and nothing is refuted.
func (k *checked) end() error {
	for _, f := range findingsOf(k.report) {
		if f.Verdict == verify.Refuted {
			return &earlyEndError{exitLimit, fmt.Sprintf("%s: refuted: %v", k.resultPath, f.Faults[0])}
		}
	}
	if bounds := k.report.Bounds; bounds.Verdict != verify.Holds {
		return &earlyEndError{exitLimit, fmt.Sprintf("%s: undecided: %v", k.resultPath, bounds.Faults[0])}
	}
	return nil
}

func (k *checked) record() record {
	answer := record{
		{"file", k.path},
		{"result", k.resultPath},
		{"criterion", k.result.Criterion},
		{"sense", k.result.Sense},
		{"solve_status", k.result.Status},
		{"verdict", k.report.Verdict().String()},
	}
	faults := []record{}
	for _, f := range findingsOf(k.report) {
		answer = append(answer, field{f.name, f.Verdict.String()})
		for _, fault := range f.Faults {
			faults = append(faults, record{
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
		answer = append(answer, field{"reason", plainError(k.report.Reason)})
	}
	return append(answer, field{"faults", faults})
}

// proven returns what is proved from the initial state; nothing where that is no
// state.
func (k *checked) proven(name string, intervals []verify.Interval) record {
	if k.result.Initial >= len(intervals) {
		return nil
	}
	i := intervals[k.result.Initial]
	return record{{name + "_lower", orInfinite(i.Lower)}, {name + "_upper", orInfinite(i.Upper)}}
}

// rows has a line for each kind of claim.
func (k *checked) rows() []record {
	var rows []record
	for _, f := range findingsOf(k.report) {
		rows = append(rows, record{
			{"finding", f.name}, {"claim", f.claim}, {"verdict", f.Verdict.String()}, {"refuted", f.Refuted}, {"undecided", f.Undecided},
		})
	}
	return rows
}
