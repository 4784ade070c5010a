package model

// The policy alone, in a file: --policy-out.

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
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
func readPolicyOut(a *ui.Arguments) *policyFile {
	out := a.OutFile(policyOut, ".json", ".csv", rulesSuffix)
	suffix := strings.ToLower(filepath.Ext(a.CLI.String(policyOut)))
	a.OnlyWith(maxRules, policyOut+" FILE"+rulesSuffix, suffix == rulesSuffix)
	if out == nil {
		return nil
	}
	switch {
	case suffix == rulesSuffix && a.CLI.IsSet(constraintFlag):
		a.Fault(policyOut, "a policy within limits may leave decisions to chance, and rules do not: use .json or .csv")
	case a.CLI.IsSet(paretoFlag):
		a.Fault(policyOut, "not valid with --%s, whose policies are several: --output json has all", paretoFlag)
	}
	if wholefile.Same(out.Name, a.CLI.Args().First()) {
		a.Fault(policyOut, "%q is also another file of this command: use another name", out.Name)
	}
	f := &policyFile{OutFile: out, suffix: suffix}
	if a.CLI.IsSet(maxRules) {
		f.most = int(a.WholeWithin(maxRules, 1, mostRules))
	}
	return f
}

// check refuses policies that the file cannot hold, before they are found.
func (f *policyFile) check(a *ui.Arguments, s *solution) {
	switch {
	case f == nil:
	case s.Given.HasSteps() && (s.Given.Steps() > 1 || s.Constraints != nil) && f.suffix != ".csv":
		a.Fault(policyOut, "a finite horizon has a policy for each step, and only .csv can hold them: use a name that ends in .csv")
	case f.suffix == rulesSuffix:
		newRuled(a, s.Model)
	}
}

// write writes the policy of a solution. Its actions are those of the model in the file, also
// where a property was solved on a derived model.
func (f *policyFile) write(a *ui.Arguments, s *solution) error {
	if f == nil {
		return nil
	}
	if f.suffix == rulesSuffix {
		if s.status == mdp.Interrupted {
			a.Warn("--%s: interrupted before there were rules", policyOut)
			return nil
		}
		if s.result.Policy != nil {
			return f.writeRules(a, s)
		}
	}
	policy, missing, err := s.result.PolicyOf(s.given)
	if err == nil && policy == nil {
		err = errors.New("there is no policy of the model's actions: E and A are about paths")
	}
	if err != nil {
		return ui.UsageErrorf("--%s: %s", policyOut, plainError(err))
	}
	form := certificate.WriteScheduler
	if f.suffix == ".csv" {
		form = certificate.WritePolicyCSV
	}
	return f.Write(func(w io.Writer) error { return form(w, s.given, *policy, missing) })
}
