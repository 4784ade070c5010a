package model

// What a command line asks: the flags of solve and evaluate are read here, before the model is. What
// depends on the model is checked by ask and prepare.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// request is a question, how its answer is found, and where that goes.
type request struct {
	*ui.Arguments
	stated                           // the first property, if there are several
	properties  []*property.Property // all of --property of solve
	faults      []error              // of other properties in the same file
	other       property.Objective   // the second reward of a trade-off
	sums        string               // the flag by which the question is about several rewards; "" for one reward
	isTradeOff  bool
	method      ui.Method
	picture     *figure.File
	view        *view
	compared    *comparison
	iterations  *iterations
	policy      *policyFile
	out, nature string // names of files
}

// readRequest reads the flags of a request about the best policy, or about a given one.
func readRequest(a *ui.Arguments, isGiven bool) *request {
	a.ReadDigits(true)
	r := &request{Arguments: a}
	if isGiven || !a.CLI.IsSet(propertyFlag) {
		r.stated = readStated(a)
	} else {
		r.properties, r.faults = readProperties(a)
		r.property = r.properties[0]
	}
	r.method = readMethod(a)
	r.method.Trace = a.Trace()
	if r.sums = sumsFlag(a); r.sums == paretoFlag {
		r.isTradeOff = true
	} else if r.sums == "" && r.property != nil && len(r.properties) < 2 && r.faults == nil && r.property.Optimized() > 0 {
		r.sums, r.isTradeOff = propertyFlag, r.property.Optimized() > 1
	}
	refuseBesideSums(a, r)
	r.picture = figure.Read(a, panelsToExpect(a, r))
	allowed := shows
	if isGiven {
		allowed = showsOfOne
	}
	r.view, r.compared, r.iterations = readView(a, r, allowed), readComparison(a, &r.method), readIterations(a)
	r.out, r.nature, r.policy = resultName(a, "out"), readNatureOut(a), readPolicyOut(a)
	return r
}

// ask asks about the model of the first operand.
func (r *request) ask(m *modelfile.Model) *solution {
	a, s := r.Arguments, &solution{policy: r.policy, compared: r.compared}
	var err error
	if r.isTradeOff {
		s.asked, r.other, err = askTradeOff(a, r.stated, m)
	} else {
		s.asked, err = ask(a, r.stated, m)
	}
	a.Fail(err)
	if r.sums == propertyFlag && s.Given.Criterion != question.Finite && s.Model.NumStates() != s.given.NumStates() {
		a.Refuse("not valid with P and [C] in multi(…), whose policies remember what has come true", policyOut, "plot")
	}
	if s.Criterion == question.Timed && r.out != "" {
		a.Fault("out", "not valid with a time in a CTMC, which has bounds but no certificate: use --output json")
	}
	if s.Criterion == question.Compound {
		a.Refuse("not valid with a property of several questions: ask one of them", "plot", "bounds-out", "start-from", policyOut, valuesOut, actionValues, stepValues, natureOut)
	}
	return s
}

// prepare asks for what the files and the text of a request need of the answer, and refuses what they
// cannot have.
func (s *solution) prepare(r *request) {
	a := r.Arguments
	r.policy.check(a, s)
	readStart(a, &r.method, s.asked)
	s.start = r.method.Settings
	s.keepSteps(a, r.out)
	s.keepActions(a)
	s.keepStepValues(a, r.out)
	r.view.prepare(a, s)
	r.iterations.prepare(a, s, r.method)
	if r.picture != nil && r.view == nil && r.compared == nil {
		s.bounds = s.newConvergence()
	}
}

// finish finds the answer, writes the files and prints it.
func (s *solution) finish(r *request) error {
	a := r.Arguments
	s.prepare(r)
	for _, do := range []func() error{
		func() error { return r.method.Trace.Close(s.solve(a.CLI, r.method)) },
		func() error { return r.iterations.write(a, s, r.method) },
		func() error { return r.compared.solveAll(a, s) },
		func() error { return s.savePicture(a, r.picture, r.view) },
		func() error { return s.writeNature(r.nature) },
		func() error { return s.writeResult(a, r.out) },
		func() error { return r.policy.write(a, s) },
		func() error { return s.write(a) },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	return s.end()
}

// writeResult writes the result with its certificate to a file, if one is named.
func (s *solution) writeResult(a *ui.Arguments, out string) error {
	if out == "" {
		return nil
	}
	if h := ui.HandoverOf(a.CLI.Context); out == h.Returned {
		return certificate.WriteArrays(h.Content, s.result)
	}
	if err := writing(a.CLI, func() error { return certificate.WriteFile(out, s.result) }); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// methodExact solves in rational numbers.
const methodExact = "exact"

func methodNames() []string {
	names := []string{ui.MethodAuto}
	for _, m := range ui.Methods {
		names = append(names, mdp.MethodWord(m.String()))
	}
	return append(names, methodExact)
}

// methodText lists the methods for the help of solve, each with the criteria for which it is valid.
func methodText() string {
	lines := []string{fmt.Sprintf("  %-25s  the program chooses a method, and says why (all)", ui.MethodAuto)}
	for _, m := range ui.Methods {
		lines = append(lines, fmt.Sprintf("  %-25s  %s (%s)", mdp.MethodWord(m.String()), map[mdp.Method]string{
			mdp.RelativeValueIteration:  "relative value iteration",
			mdp.PolicyIteration:         "exact evaluation",
			mdp.InexactPolicyIteration:  "approximate evaluation",
			mdp.ValueIteration:          "the textbook method, for comparison",
			mdp.ModifiedPolicyIteration: "for large models that mix fast",
		}[m], strings.Join(m.Criteria(), ", ")))
	}
	return strings.Join(append(lines, fmt.Sprintf("  %-25s  in fractions, for small models (all)", methodExact)), "\n")
}

// methodFlags returns the flags that say how to solve. scale ends the usage of --tolerance: it
// says where the help explains what a scale is.
func methodFlags(scale string) []cli.Flag {
	flags := ui.MethodFlags(methodNames()...)
	flags[1] = ui.ValueFlag("tolerance", "stop when the bounds of each state differ by at most `E` times its scale"+scale, "1e-9")
	return ui.Group(ui.MethodGroup, flags...)
}

// readMethod reads how to solve.
func readMethod(a *ui.Arguments) ui.Method {
	chosen := a.Method()
	if chosen.Name == methodExact {
		a.Refuse("not valid with --method exact: use another method", "max-iterations", "start-from", "bounds-out", "plot")
	}
	return chosen
}

// readStart makes a solve begin with the policy and the values of the result that
// --start-from names.
func readStart(a *ui.Arguments, chosen *ui.Method, q asked) {
	const flag = "start-from"
	if !a.CLI.IsSet(flag) {
		return
	}
	path := a.CLI.String(flag)
	if strings.HasSuffix(strings.ToLower(path), ".csv") {
		chosen.Settings.Policy = startPolicy(a, path, q)
		return
	}
	r := load(a, "--"+flag, path, func() (*certificate.Result, error) { return certificate.ReadFile(path) })
	switch {
	case r.Property != q.Property:
		a.Fault(flag, "%q is a result about another question: use a result about the same property, or about none if --property is not set", path)
	case r.Criterion != q.Criterion:
		a.Fault(flag, "%q is a result for criterion %s: use one for %s", path, r.Criterion, q.Criterion)
	case r.HasSteps():
		a.Fault(flag, "not valid for a finite horizon: backward induction begins at the end, and takes no start")
	case r.Policy == nil:
		a.Fault(flag, "%q has no policy to start from: use a result with a policy", path)
	case len(r.Policy) != q.Model.NumStates():
		a.Fault(flag, "%q is a result of %d states, and the model has %d: use a result of this model", path, len(r.Policy), q.Model.NumStates())
	}
	m := q.Model
	for s, action := range r.Policy {
		if actions := m.StateStart[s+1] - m.StateStart[s]; action >= actions {
			a.Fault(flag, "%q has action %d in state %d, and the model has %d actions there: use a result of this model", path, action, s, actions)
		}
	}
	chosen.Settings.Policy, chosen.Settings.Values = r.Policy, answer.StartValues(r)
}

// startPolicy reads the actions of a policy that is no result.
func startPolicy(a *ui.Arguments, path string, q asked) []int32 {
	const flag = "start-from"
	if q.HasSteps() {
		a.Fault(flag, "not valid for a finite horizon: backward induction begins at the end, and takes no start")
	}
	actions := load(a, "--"+flag, path, func() ([]int32, error) {
		policy, _, err := certificate.ReadPolicyFile(path, q.given)
		return slices.Clone(policy.Deterministic()), err
	})
	if actions == nil {
		a.Fault(flag, "%q has policies of several steps, or several actions in a state: use a policy with one action in each state", path)
	}
	if q.Stated != nil {
		for _, s := range q.Stated.Decided {
			actions[s] = 0
		}
	}
	return actions
}

// mostKept is the greatest number of actions, one for each state and step, that is kept and
// written.
const mostKept = 100_000_000

// stepValues is the flag for the values of all steps.
const stepValues = "step-values"

// keepStepValues reads --step-values, and refuses it where it is not valid.
func (s *solution) keepStepValues(a *ui.Arguments, out string) {
	if s.stepValues = a.CLI.Bool(stepValues); !s.stepValues {
		return
	}
	if !s.HasSteps() || s.Model.IsUncertain() {
		a.Fault(stepValues, "not valid here: use it with a finite horizon, in a model without intervals")
	}
	if err := s.Model.FitsSteps(s.Steps()); err != nil {
		a.Fault("horizon", "%s", plainError(err))
	}
	if a.Format == ui.FormatText && out == "" {
		a.Fault(stepValues, "the values of all steps are a long table: use --output csv or json")
	}
}

// keepSteps decides whether the policies of all steps are kept: if they are written somewhere,
// and are not too many.
func (s *solution) keepSteps(a *ui.Arguments, out string) {
	if !s.HasSteps() || !s.HasChoices() || out == "" && s.policy == nil && a.Format == ui.FormatText {
		return
	}
	if s.allSteps = s.Steps() <= mostKept/s.Model.NumStates(); !s.allSteps {
		a.Warn("the policies of %s of %s are more than %d actions: only that of the first step is written",
			wording.Count(s.Steps(), "step"), wording.Count(s.Model.NumStates(), "state"), mostKept)
	}
}
