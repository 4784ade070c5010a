package model

// What a command line asks: the flags of solve and evaluate are read here, before the model is. What
// depends on the model is checked by ask and prepare.

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// request is a question, how its answer is found, and where that goes.
type request struct {
	*ui.Arguments
	properties  []*property.Property // of --property; nil for a question by flags
	question    question.Question
	sums        string // the flag by which the question is about several rewards; "" for one reward
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
	a.ReadDigits(false)
	r := &request{Arguments: a}
	switch {
	case !a.CLI.IsSet(propertyFlag):
	case isGiven:
		r.properties = []*property.Property{readProperty(a)}
	default:
		if r.properties = readProperties(a); len(r.properties) == 1 && readObjectives(a, r.properties[0]) {
			r.properties = nil
		}
	}
	if r.properties == nil {
		r.question = readQuestion(a, false)
		r.question.Constraints = readConstraints(a)
	}
	r.method = readMethod(a)
	r.method.Trace = a.Trace()
	r.sums = sumsFlag(a)
	refuseBesideSums(a, r)
	r.picture = figure.Read(a, panelsToExpect(a))
	r.view, r.compared, r.iterations = readView(a, r.picture), readComparison(a, &r.method), readIterations(a)
	r.out, r.nature, r.policy = resultName(a, "out"), readNatureOut(a), readPolicyOut(a)
	return r
}

// ask asks about the model of the first operand.
func (r *request) ask(m *modelfile.Model) *solution {
	a, s := r.Arguments, &solution{policy: r.policy, compared: r.compared}
	if r.properties == nil {
		s.asked = ask(a, r.question, m)
		if r.sums == "" && !m.HasAllDigits() && s.MixesSigns() {
			s.asked = ask(a, r.question, readModel(a, true))
		}
		for _, x := range r.question.Constraints {
			s.asked = exactlyIfNeeded(a, s.asked, r.question, x.Reward)
		}
		return s
	}
	s.asked = askProperty(a, r.properties[0], m)
	if s.Criterion == question.Timed && r.out != "" {
		a.Fault("out", "not valid with a time in a CTMC, which has bounds but no certificate: use --output json")
	}
	if s.Criterion == question.Compound {
		refuseWith(a, "a property of several questions: ask one of them", "plot", "bounds-out", "start-from", policyOut, valuesOut, actionValues, stepValues, natureOut)
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
	r.iterations.prepare(a, s, r.method.Name)
	if r.picture != nil && r.view == nil && r.compared == nil {
		s.bounds = &figure.Convergence{}
	}
}

// finish finds the answer, writes the files and prints it.
func (s *solution) finish(r *request) error {
	a := r.Arguments
	s.prepare(r)
	for _, do := range []func() error{
		func() error { return r.method.Trace.Close(s.solve(a.CLI, r.method)) },
		func() error { return r.iterations.write(a, s, r.method) },
		func() error { return r.compared.solveOthers(a, s) },
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
	if err := writing(a.CLI, func() error { return certificate.WriteFile(out, s.result) }); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}
