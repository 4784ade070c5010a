package model

// The policy alone, in a file: --policy-out.

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

const (
	policyOut   = "policy-out"
	maxRules    = "max-rules"
	rulesSuffix = ".txt"
	mostRules   = 1000 // of --max-rules
)

func policyOutFlags() []cli.Flag {
	return []cli.Flag{
		ui.ValueFlag(policyOut, "write the policy to `FILE`: .json as Storm does, .csv, or .txt as rules", ""),
		ui.ValueFlag(maxRules, "simplify the policy to at most `N` rules", ""),
	}
}

// policyFile is the file of --policy-out.
type policyFile struct {
	out  *ui.OutFile // nil for none
	most int         // rules; 0 for as many as the policy takes
}

// readPolicyOut reads --policy-out and --max-rules.
func readPolicyOut(a *ui.Arguments, q question) *policyFile {
	f := &policyFile{out: a.OutFile(policyOut, ".json", ".csv", rulesSuffix)}
	if f.out != nil && q.criterion == criterionFinite {
		a.Fault(policyOut, "not valid with --criterion finite, where each step has a policy of its own: use --out, which keeps that of the first step")
	}
	for _, other := range []string{a.CLI.Args().First(), a.CLI.String("out")} {
		if f.out != nil && wholefile.Same(f.out.Name, other) {
			a.Fault(policyOut, "%q is also another file of this command: use another name", f.out.Name)
		}
	}
	a.OnlyWith(maxRules, policyOut+" FILE"+rulesSuffix, f.isRules())
	if a.CLI.IsSet(maxRules) {
		f.most = int(a.WholeWithin(maxRules, 1, mostRules))
	}
	return f
}

func (f *policyFile) isRules() bool {
	return f.out != nil && strings.HasSuffix(strings.ToLower(f.out.Name), rulesSuffix)
}

// write writes the policy of a solution.
func (f *policyFile) write(a *ui.Arguments, s *solution) error {
	if f.out == nil {
		return nil
	}
	ui.ProgressOf(a.CLI.Context).Phase("writing")
	form := certificate.WriteScheduler
	switch {
	case f.isRules():
		return f.writeRules(a, s)
	case strings.HasSuffix(strings.ToLower(f.out.Name), ".csv"):
		form = certificate.WritePolicyCSV
	}
	return f.out.Write(func(w io.Writer) error { return form(w, s.model, s.result.Policy) })
}

// check refuses a model whose policy cannot be written as rules, before it is solved.
func (f *policyFile) check(a *ui.Arguments, m *modelfile.Model) {
	if f.isRules() {
		newRuled(a, m)
	}
}
