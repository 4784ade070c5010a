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
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// policyFilesText is for the help of verbs that take a policy.
const policyFilesText = `FILE is a result of solve, a scheduler exported by Storm as .json
(--exportscheduler), or a .csv file with the columns state and action (numbers or names), as
solve --output csv prints it. In place of state, the file may have the column name, or a column
for each variable of states. In place of action, it may have the column policy, with numbers.
For a randomised policy, it has the column probability, too, and a line for each action. A
result with policies, or a .csv file with the column step (from 1), has a policy for each step:
use --criterion finite with as many steps. The verb refuses policies for only the first of
several steps, mixtures of several policies, and names that may also be numbers. A model
without choices needs no policy.`

func policyFlag(usage string) cli.Flag { return ui.ValueFlag("policy", usage, "") }

// readPolicy is a policy from a file.
type readPolicy struct {
	operand, path string // the flag that names the file, and the file
	policy        mdp.Policy
	missing       []int32 // states without an action, see [certificate.Answer]
}

// followed is a question about a policy from a file.
type followed struct {
	*answer.Followed
	path  string
	given *readPolicy // nil for a model without choices, which needs none
}

func (f *followed) asked() asked {
	return asked{path: f.path, Asked: f.Asked, given: f.Whole, ofPolicy: true}
}

// isByStep reports whether the policy depends on the step.
func (f *followed) isByStep() bool { return f.Policy.Steps != nil }

// readFollowed reads a model, and a policy, which a model without choices does not need, and asks
// about it. Numbers are kept exactly if exact asks for that, if the file is small, or if the policy is
// randomised, since probabilities are then multiplied. ofTime makes time the only reward of a model in
// continuous time.
func readFollowed(a *ui.Arguments, of stated, exact, ofTime bool) *followed {
	f := &followed{path: a.CLI.Args().First()}
	m := readModel(a, exact || isSmall(a, f.path))
	if n := m.NumStates(); ofTime && m.Kind.IsContinuous() {
		if a.CLI.IsSet("reward") {
			a.Fault("reward", "not valid with --%s in continuous time, where it is the distribution of the time until the target: leave it out", distributionFlag)
		}
		ones := modelfile.Numbers{Float: slices.Repeat([]float64{1}, n), Exact: slices.Repeat([]*big.Rat{big.NewRat(1, 1)}, n)}
		m.Rewards = []modelfile.RewardModel{{Name: "time", State: ones}}
	}
	var policy *mdp.Policy
	if m.NumChoices() > m.NumStates() || a.CLI.IsSet("policy") {
		f.given, m = readGiven(a, a.Text("policy", "the file of a policy"), m)
		policy = &f.given.policy
		if of.property == nil {
			f.given.checkSteps(a, m, of.question)
		}
	}
	checkUncertainty(a, m)
	isByStep := policy != nil && policy.Steps != nil
	switch {
	case isByStep && of.property != nil:
		of.property = of.property.OfPolicy()
	case isByStep && of.question.Sense == "": // a given policy needs no sense, but a model with choices does
		of.question.Sense = question.Senses[0]
	}
	follow := func(m *modelfile.Model) {
		var err error
		f.Followed, err = answer.Follow(m, policy, of.on)
		if err == nil && policy != nil && !isByStep {
			err = answer.Covers(f.given.missing, f.Model, f.Decisive(), f.Decisive())
		}
		a.Fail(f.policyFault(err))
	}
	if follow(m); f.NeedsDigits() {
		follow(readModel(a, true))
	}
	if policy != nil {
		f.given.warnMissing(a, m, "first")
	}
	return f
}

// printPolicy says which policy is followed, and what kind it is, in a model with choices.
func (f *followed) printPolicy(s *ui.Screen) {
	words, decision := "one action in each state", "state"
	if f.isByStep() {
		decision = "decision" // of a state in a step
	}
	if n := f.Policy.NumRandomized(); n > 0 {
		words = "randomised in " + wording.Count(n, decision)
	}
	if f.isByStep() {
		words += ", which depends on the step"
	}
	if f.given != nil {
		s.Item("policy", "%s, %s", wording.Short(f.given.path), words)
	}
}

// policyField names the policy for programs.
func (f *followed) policyField() ui.Field {
	if f.given == nil {
		return ui.Field{Name: "policy"}
	}
	return ui.Field{Name: "policy", Value: f.given.path}
}

// readGiven reads the policy of --policy, and returns it with the model, now exact if the policy is
// randomised.
func readGiven(a *ui.Arguments, path string, m *modelfile.Model) (*readPolicy, *modelfile.Model) {
	given := load(a, "--policy", path, func() (*readPolicy, error) {
		policy, missing, err := certificate.ReadPolicyFile(path, m)
		return &readPolicy{"--policy", path, policy, missing}, err
	})
	if given.policy.NumRandomized() > 0 && !m.IsExact() {
		m = readModel(a, true)
	}
	return given, m
}

// under returns the chain that a policy makes of a model.
func under(a *ui.Arguments, path string, p mdp.Policy, m *modelfile.Model) *modelfile.Model {
	return load(a, "--policy", path, func() (*modelfile.Model, error) { return m.Under(p) })
}

// policyFault is [readPolicy.fault] where the model may have no choices, and so no policy is given.
func (f *followed) policyFault(err error) error {
	if f.given == nil {
		return (&readPolicy{operand: modelOperand, path: f.path}).fault(err)
	}
	return f.given.fault(err)
}

// fault is [questionFault] for a question about a policy from a file.
func (p *readPolicy) fault(err error) error {
	if fault, ok := errors.AsType[*question.Error](err); ok && fault.Member == "policy" {
		return ui.UsageErrorf("%s: %q %s", p.operand, p.path, fault.Reason)
	} else if ok {
		return questionFault(err)
	}
	return fileFault(p.operand, p.path, err)
}

// warnMissing warns of states that the policy never reaches and has no action for. taken says which
// action is used there.
func (p *readPolicy) warnMissing(a *ui.Arguments, m *modelfile.Model, taken string) {
	if len(p.missing) > 0 {
		a.Warn("%s: no action for %s that the policy never reaches, such as state %s: the %s action is used",
			wording.Short(p.path), wording.Count(len(p.missing), "state"), m.StateName(int(p.missing[0])), taken)
	}
}

// checkSteps refuses a policy that changes from step to step unless the question has a finite
// horizon of as many steps, and the policy has an action in every state and step.
func (p *readPolicy) checkSteps(a *ui.Arguments, m *modelfile.Model, q question.Question) {
	n := len(p.policy.Steps)
	switch {
	case n == 0:
	case !q.HasSteps() || q.Steps() != n:
		a.Fail(ui.UsageErrorf("%s: %q has a policy for each of %d steps: use --criterion finite --horizon %d", p.operand, p.path, n, n))
	case len(p.missing) > 0:
		a.Fail(ui.UsageErrorf("%s: %q has no action for state %s in a step: give one", p.operand, p.path, m.StateName(int(p.missing[0]))))
	}
}
