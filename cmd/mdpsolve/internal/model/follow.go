package model

// Policies from files, and the chains that they make of models: for evaluate, simulate
// and check.

import (
	"errors"
	"math/big"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// policyFilesText is for the help of verbs that take a policy.
const policyFilesText = `FILE is a result of solve, a scheduler exported by Storm as .json (--exportscheduler), or
a .csv file with the columns state and action (numbers or names), as solve --output csv
prints it. In place of state, the file may have the column name, or a column for each
variable of states. In place of action, it may have the column policy, with numbers. For a
randomised policy, it has the column probability, too, and a line for each action. A
result with policies, or a .csv file with the column step (from 1), has a policy for each
step: use --criterion finite with as many steps. Policies for the first of several steps
alone, mixtures of several policies, and names that may also be numbers are refused. A
model without choices needs no policy.`

func policyFlag(usage string) cli.Flag { return ui.ValueFlag("policy", usage, "") }

// followed is a question about policies from a file.
type followed struct {
	*answer.Followed
	path       string
	policyPath string // "" for a model without choices, which needs none
}

func (f *followed) asked() asked {
	return asked{path: f.path, Asked: f.Asked, given: f.Whole, ofPolicy: true}
}

// isByStep reports whether the policy depends on the step.
func (f *followed) isByStep() bool { return len(f.Policies) > 1 }

// readFollowed reads a model, and a policy, which a model without choices does not need. A
// property p, which may be nil, takes the place of the question. Numbers are kept exactly if exact
// asks for that, if the file is small, or if the policy is randomised, since probabilities are then
// multiplied. ofTime makes time the only reward of a model in continuous time.
func readFollowed(a *ui.Arguments, p *property.Property, q question.Question, exact, ofTime bool) *followed {
	f := &followed{path: a.CLI.Args().First()}
	m := readModel(a, exact || isSmall(a, f.path))
	if n := m.NumStates(); ofTime && m.Kind.IsContinuous() {
		ones := modelfile.Numbers{Float: slices.Repeat([]float64{1}, n), Exact: slices.Repeat([]*big.Rat{big.NewRat(1, 1)}, n)}
		m.Rewards = []modelfile.RewardModel{{Name: "time", State: ones}}
	}
	var policies []*modelfile.Policy
	if m.NumChoices() > m.NumStates() || a.CLI.IsSet("policy") {
		f.policyPath = a.Text("policy", "the file of a policy")
		policies, m = readUnder(a, f.policyPath, m)
		if p == nil {
			checkSteps(a, "--policy", f.policyPath, policies, m, q)
		}
		if len(policies) > 1 && m.IsUncertain() {
			a.Fail(ui.UsageErrorf("--policy: %q has a policy for each of %d steps, which is not valid for a model with intervals: use one policy for all steps",
				f.policyPath, len(policies)))
		}
	}
	checkUncertainty(a, m)
	if len(policies) > 1 && q.Sense == "" { // a given policy needs no sense, but a model with choices does
		q.Sense = mdp.Minimize.String()
	}
	ask := q.On
	if p != nil {
		if len(policies) > 1 {
			p = p.OfPolicy()
		}
		ask = func(m *modelfile.Model) (*question.Asked, error) { return question.OfProperty(p, m) }
	}
	follow := func(m *modelfile.Model) {
		var err error
		f.Followed, err = answer.Follow(m, policies, ask)
		a.Fail(policyFault("--policy", f.policyPath, err))
	}
	if follow(m); !m.IsExact() && question.MixesSigns(m, f.Reward) {
		follow(readModel(a, true))
	}
	warnMissing(a, f.policyPath, f.Policies[0], m, "first")
	return f
}

// printPolicy says which policy is followed, and what kind it is, in a model with choices.
func (f *followed) printPolicy(s *ui.Screen) {
	words := "one action in each state"
	if states := f.Policies[0].NumRandomized(); states > 0 {
		words = "randomised in " + ui.Count(states, "state")
	}
	if f.isByStep() {
		words += ", which depends on the step"
	}
	if f.policyPath != "" {
		s.Item("policy", "%s, %s", wording.Short(f.policyPath), words)
	}
}

// policyField names the policy for programs.
func (f *followed) policyField() ui.Field {
	if f.policyPath == "" {
		return ui.Field{Name: "policy"}
	}
	return ui.Field{Name: "policy", Value: f.policyPath}
}

// readUnder reads a policy, or one for each step, and returns them with the model, now exact if
// the policy is randomised.
func readUnder(a *ui.Arguments, path string, m *modelfile.Model) ([]*modelfile.Policy, *modelfile.Model) {
	steps := load(a, "--policy", path, func() ([]*modelfile.Policy, error) { return certificate.ReadPoliciesFile(path, m) })
	if steps[0].NumRandomized() > 0 && !m.IsExact() {
		m = readModel(a, true)
	}
	return steps, m
}

// under returns the chain that a policy makes of a model.
func under(a *ui.Arguments, path string, p *modelfile.Policy, m *modelfile.Model) *modelfile.Model {
	return load(a, "--policy", path, func() (*modelfile.Model, error) { return m.Under(p) })
}

// policyFault is [questionFault] for a question about a policy from a file.
func policyFault(operand, path string, err error) error {
	if fault, ok := errors.AsType[*question.Error](err); ok && fault.Member == "policy" {
		return ui.UsageErrorf("%s: %q %s", operand, path, fault.Reason)
	} else if ok {
		return questionFault(err)
	}
	return fileFault(operand, path, err)
}

// warnMissing warns of states that a policy never reaches and has no action for. taken says which
// action is used there.
func warnMissing(a *ui.Arguments, path string, p *modelfile.Policy, m *modelfile.Model, taken string) {
	if len(p.Missing) > 0 {
		a.Warn("%s: no action for %s that the policy never reaches, such as state %s: the %s action is used",
			wording.Short(path), ui.Count(len(p.Missing), "state"), m.StateName(int(p.Missing[0])), taken)
	}
}

// checkSteps refuses policies of several steps unless the question has a finite horizon of as many
// steps, and each policy has an action in every state.
func checkSteps(a *ui.Arguments, operand, path string, steps []*modelfile.Policy, m *modelfile.Model, q question.Question) {
	if n := len(steps); n > 1 && (q.Criterion != question.Finite || q.Steps() != n) {
		a.Fail(ui.UsageErrorf("%s: %q has a policy for each of %d steps: use --criterion finite --horizon %d", operand, path, n, n))
	}
	for i, p := range steps {
		if len(steps) > 1 && len(p.Missing) > 0 {
			a.Fail(ui.UsageErrorf("%s: %q has no action for state %s in step %d: give one", operand, path, m.StateName(int(p.Missing[0])), i+1))
		}
	}
}
