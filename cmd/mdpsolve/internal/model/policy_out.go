package model

// The policy alone, in a file: --policy-out.

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
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
	*ui.OutFile
	suffix string // of its name: .json, .csv or .txt
	most   int    // rules; 0 for as many as the policy takes
}

// readPolicyOut reads --policy-out and --max-rules; nil for no file.
func readPolicyOut(a *ui.Arguments, q question.Question) *policyFile {
	out := a.OutFile(policyOut, ".json", ".csv", rulesSuffix)
	suffix := strings.ToLower(filepath.Ext(a.CLI.String(policyOut)))
	a.OnlyWith(policyOut, "criterion", a.CLI.IsSet("criterion"))
	a.OnlyWith(maxRules, policyOut+" FILE"+rulesSuffix, suffix == rulesSuffix)
	if out == nil {
		return nil
	}
	if q.Criterion == question.Finite {
		a.Fault(policyOut, "not valid with --criterion finite, whose steps have a policy each: use --output csv or --out, which have all")
	}
	for _, other := range []string{a.CLI.Args().First(), a.CLI.String("out")} {
		if wholefile.Same(out.Name, other) {
			a.Fault(policyOut, "%q is also another file of this command: use another name", out.Name)
		}
	}
	f := &policyFile{OutFile: out, suffix: suffix}
	if a.CLI.IsSet(maxRules) {
		f.most = int(a.WholeWithin(maxRules, 1, mostRules))
	}
	return f
}

// check refuses a model whose policies are no rules, before it is solved.
func (f *policyFile) check(a *ui.Arguments, m *modelfile.Model) {
	if f != nil && f.suffix == rulesSuffix {
		newRuled(a, m)
	}
}

// write writes the policy of a solution.
func (f *policyFile) write(a *ui.Arguments, s *solution) error {
	form := certificate.WriteScheduler
	switch {
	case f == nil:
		return nil
	case f.suffix == rulesSuffix && s.status == mdp.Interrupted:
		a.Warn("--%s: interrupted before there were rules", policyOut)
		return nil
	case f.suffix == rulesSuffix:
		return f.writeRules(a, s)
	case f.suffix == ".csv":
		form = certificate.WritePolicyCSV
	}
	return f.Write(func(w io.Writer) error { return form(w, s.Model, s.result.Policy) })
}
