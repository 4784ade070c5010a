package model

// The verb solve, and the solution that evaluate and check use, too.

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
)

// SolveCommand is the verb solve.
func SolveCommand() *cli.Command {
	return &cli.Command{
		Name:  "solve",
		Usage: "the best policy of a model in a file, and its value",
		UsageText: "mdpsolve solve MODEL --criterion average|discounted|total|finite [options]\n" +
			"mdpsolve solve MODEL --property PROPERTY|FILE[:NAME] [options]",
		ArgsUsage: modelOperand,
		Description: `The criteria are

  average     the long-run reward per step, or in continuous time per unit of time
  discounted  the expected sum of all rewards, weighted by b^t after t steps, or in
              continuous time, with --rate a, by e^(-at) after time t
  total       the expected sum of the rewards of all steps: infinite for a policy that
              earns for ever; with --target, until a state with LABEL is reached:
              +Infinity for a policy that may never reach such a state
  finite      the expected sum of the rewards of n steps; --discount weighs a reward
              after t steps by b^t, --terminal adds rewards for the state at the end

Rewards are minimised or maximised; a model without choices needs neither flag. In
continuous time (kinds ctmc, ctmdp, smdp), rewards of states are per unit of time.

` + modelText + ` A JSON model is
{"kind": "mdp", "reward_models": ["cost"], "states": […]}, with states such as

  {"name": …, "actions": [{"name": …, "rewards": [1], "to": [[STATE, p], …]}]}

where p is a probability and STATE a number from 0. See docs/reference.md, which
mdpsolve serve shows, too.

Every value has proved bounds, despite rounding, for the numbers as MODEL has them. A
state has converged when its bounds differ by at most --tolerance times its scale: the
value of the policy with rewards replaced by their absolute values. If all rewards have
one sign, --tolerance is a relative error. --output json and --out give the whole
result with its certificate, which mdpsolve check verifies.

--policy-out writes the policy alone: as Storm exports schedulers (.json), as a table
(.csv), or as rules over the variables of states (.txt), such as "if queue <= 3: wait".
The rules are the policy in every state that it reaches from the initial ones. The answer
says what --max-rules costs, with proved bounds.

` + propertyText + `

` + constraintText + `

` + paretoText + `

` + uncertaintyText + `

A finite horizon is solved by backward induction, or with --method exact. Its best action
depends on the step: --output json and csv and --out have the policies of all steps, and
text that of the first. For other
criteria, --method is one of these; the criteria for which it is valid are in brackets.

  auto                       the program chooses a method, and says why (all)
  rvi                        relative value iteration (average)
  policy-iteration           exact evaluation (average, discounted, total)
  inexact-policy-iteration   approximate evaluation (average, discounted)
  value-iteration            the textbook method, for comparison (discounted)
  modified-policy-iteration  for large models that mix fast (discounted)
  exact                      in fractions, for small models (all)

To follow policy iteration step by step:

  discounted  use --max-iterations k to get the k-th policy and its value
  total       the same; k counts the steps in each strongly connected component
  average     use --start-from RESULT --max-iterations 1 to get the value of the policy
              in RESULT, and the improved policy

Examples:
  mdpsolve solve twoservers.tra --criterion average
  mdpsolve solve taxicab.json --criterion average --maximize --reward profit
  mdpsolve solve taxicab.json --criterion average --maximize --method rvi --plot bounds.svg
  mdpsolve solve taxicab.json --criterion discounted --discount 9/10 --maximize -o csv
  mdpsolve solve paths.drn --criterion total --maximize
  mdpsolve solve paths.drn --criterion total --target goal --minimize --out result.json
  mdpsolve solve taxicab.json --criterion average --maximize --policy-out policy.csv
  mdpsolve solve taxicab.json --criterion finite --horizon 10 --maximize -o csv
  mdpsolve solve repairs.json --criterion average --minimize --reward cost --constraint 'output>=1/2'
  mdpsolve solve repairs.json --criterion average --minimize --reward cost --pareto output:max --plot trade-off.svg
  mdpsolve solve paths.drn --property 'Pmax=? [F "goal"]'`,
		Flags: slices.Concat(questionFlags("find"), []cli.Flag{
			ui.ValueFlag(propertyFlag, "answer `PROPERTY`, or those in FILE or FILE:NAME, in the notation of PRISM", ""),
			kindFlag(), normalizeFlag(),
			ui.ValueFlag("out", "write the result with its certificate to `FILE` (.json, .json.gz or, for NumPy, .npz)", ""),
			ui.OutputFlag(),
			ui.TraceFlag(),
			ui.ValueFlag("start-from", "start from the policy and values in `RESULT`", ""),
			ui.ValueFlag(natureOut, "write the model that nature makes of intervals to `FILE`", ""),
		}, sumFlags(), policyOutFlags(), figure.Flags("the convergence of the bounds, or the trade-off of --pareto,"), methodFlags(" (see below)")),
		Action: ui.Action(runSolve),
	}
}

func runSolve(a *ui.Arguments) error {
	c := a.CLI
	var properties []*property.Property
	var q question
	if c.IsSet(propertyFlag) {
		properties = readProperties(a)
	} else {
		q = readQuestion(a, false)
	}
	method := readMethod(a)
	method.Trace = a.Trace()
	if c.IsSet(constraintFlag) || c.IsSet(paretoFlag) {
		return runSums(a, q, method)
	}
	picture := figure.Read(a, figure.ConvergencePanels)
	out, policy, nature := resultName(a, "out"), readPolicyOut(a, q), readNatureOut(a)
	model := readModel(a, method.Name == methodExact || isTiny(a, c.Args().First()))
	if len(properties) > 1 {
		return solveProperties(a, properties, model, method)
	}
	s := &solution{policy: policy}
	if properties != nil {
		s.asked = ask(a, properties[0], model)
		if s.question.criterion == criterionTime && out != "" {
			a.Fault("out", "not valid with a time in a CTMC, which has bounds but no certificate: use --output json")
		}
	} else {
		checkQuestion(a, &q, model)
		policy.check(a, model)
		if !model.IsExact() && mixesSigns(model, q.reward) {
			model = readModel(a, true)
		}
		readStart(a, &method, q, model)
		s.asked = asked{c.Args().First(), model, q}
	}
	s.keepSteps(a, out)
	if picture != nil {
		s.bounds = &figure.Convergence{}
	}
	if err := method.Trace.Close(s.solve(c, method)); err != nil {
		return err
	}
	s.conclude(c, method)
	if err := picture.Save(func() []figure.Panel { return s.bounds.Panels(given(a)) }); err != nil {
		return err
	}
	if err := s.writeNature(nature); err != nil {
		return err
	}
	return s.deliver(a, out)
}

// given returns the model and the question, as they were given, for a picture.
func given(a *ui.Arguments) string {
	return filepath.Base(a.CLI.Args().First()) + ", " + a.Given(ui.Symbol{"criterion", "criterion "}, ui.Symbol{"discount", "discount "}, ui.Symbol{"rate", "rate "},
		ui.Symbol{"target", "target "}, ui.Symbol{"reward", "reward "}, ui.Symbol{propertyFlag, ""}, ui.Symbol{"method", "method "}, ui.Symbol{"tolerance", "tolerance "})
}

// deliver writes the result to a file, if one is named, and prints it.
func (s *solution) deliver(a *ui.Arguments, out string) error {
	if out != "" {
		if err := writing(a.CLI, func() error { return certificate.WriteFile(out, s.result) }); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if err := s.policy.write(a, s); err != nil {
		return err
	}
	if err := s.write(a); err != nil {
		return err
	}
	return s.end()
}

// end returns nil for a solve that converged, and where a threshold is decided.
func (s *solution) end() error {
	r := s.result
	if r.Answer != "" && r.Answer != property.Undecided {
		return nil
	}
	bounds := r.ValueBounds
	if r.Constraints == nil {
		bounds = []float64{r.Lower[r.Initial], r.Upper[r.Initial]}
	}
	return ui.EndOfMeasure(fmt.Sprintf("value of state %d", r.Initial), s.status, bounds[0], bounds[1])
}

// solution is an answer to a question about a model.
type solution struct {
	asked
	begin     time.Time // of the solve
	structure mdp.Structure
	bounds    *figure.Convergence // nil where they are not drawn
	of        *followed           // the policy of which the model is the chain; nil for none
	rate      float64             // of uniformization
	result    *certificate.Result
	status    mdp.Status
	policy    *policyFile // nil where none is written
	allSteps  bool        // the policies of all steps of a finite horizon are wanted
	steps     [][]int32   // these, as far as they are known
	rules     string      // what people are told of the rules in that file; "" for none
}

// solve finds the best answer that there is, also where the solve ends early, and says why
// values are infinite. It does not wait for work that is slow to end.
func (s *solution) solve(c *cli.Context, m ui.Method) error {
	s.begin = time.Now()
	solved, err := soon(c, m, func() (*solution, error) {
		solved := *s
		err := solved.find(c, m)
		if solved.result != nil {
			solved.explain()
		}
		return &solved, err
	})
	if solved == nil {
		return s.solveFault(m, err)
	}
	*s = *solved
	return err
}

// soon is [ui.Soon] for work with a time limit.
func soon[T any](c *cli.Context, m ui.Method, work func() (T, error)) (T, error) {
	limited, stop := ui.WithTimeLimit(c.Context, m.Settings.TimeLimit)
	defer stop()
	return ui.Soon(limited, 2*ui.Patience, work)
}

// find is solve, but waits for its end.
func (s *solution) find(c *cli.Context, m ui.Method) error {
	if m.Name == methodExact {
		return s.solveExactly(c, m)
	}
	err := s.solveNumerically(c, m)
	isOpen := err == nil && (s.status == mdp.PrecisionLimit || s.isUnproved(c.Context))
	if isOpen || errors.Is(err, mdp.ErrOverflow) {
		switch late := s.resort(c, m); {
		case late == nil:
			return nil
		case s.question.criterion == criterionTotal && errors.Is(late, mdp.ErrUnsupported): // it is not defined
			return s.solveFault(m, late)
		}
	}
	switch {
	case isOpen:
		s.status = mdp.PrecisionLimit
		s.result.Status = s.status.String()
	case errors.Is(err, mdp.ErrOverflow):
		return s.solveFault(m, err)
	}
	return err
}

func (s *solution) solveNumerically(c *cli.Context, m ui.Method) error {
	if s.model.IsUncertain() {
		return s.solveUncertain(c, m)
	}
	arrays, err := s.ordinary().TableArraysAt(s.question.reward, s.question.rate)
	if err != nil {
		return fileFault(modelOperand, s.path, err)
	}
	table, err := mdp.NewTable(arrays)
	if err != nil {
		return fileFault(modelOperand, s.path, err)
	}
	s.rate = table.Rate()
	if s.structure.Classification == "" && !s.isByStep() {
		if s.structure, err = structureOf(c.Context, table); err != nil {
			return fileFault(modelOperand, s.path, err)
		}
	}
	var result *mdp.Result
	if settings := s.watched(c, m); s.isByStep() {
		result, err = mdp.Evaluate(c.Context, mdp.Rounded{Table: table}, s.of.policyBySteps(), s.noted(), settings)
	} else {
		result, err = mdp.Solve(c.Context, mdp.Rounded{Table: table}, s.noted(), settings)
	}
	switch {
	case errors.Is(err, mdp.ErrOverflow):
		return err
	case result == nil:
		return s.solveFault(m, err)
	}
	s.keep(result, m.Settings.Tolerance)
	return nil
}

// watched returns the settings of a method, with a record of its progress.
func (s *solution) watched(c *cli.Context, m ui.Method) mdp.Settings {
	progress := ui.ProgressOf(c.Context)
	progress.Phase("solving")
	m.Settings.TimeLimit = s.left(m.Settings.TimeLimit)
	m.Settings.Record = s.bounds.Watch(m.Trace.Watch(progress.Solving(!hasNegatives(s.model, s.question.reward), m.Settings.Tolerance)))
	return m.Settings
}

// left returns what is left of a time limit; 0 for no limit.
func (s *solution) left(limit time.Duration) time.Duration {
	if limit == 0 {
		return 0
	}
	return max(1, limit-time.Since(s.begin))
}

// overflowText is for a model, and its file.
const overflowText = "%s: %q has values beyond the range of float64: use a larger unit of reward"

// solveFault words why there is no answer at all.
func (s *solution) solveFault(m ui.Method, err error) error {
	switch {
	case errors.Is(err, mdp.ErrUnsupported) && (m.Name == ui.MethodAuto || s.question.criterion == criterionTotal && s.question.target == ""):
		return ui.UsageErrorf("%s: %q: %s", modelOperand, s.path, plainError(err))
	case errors.Is(err, mdp.ErrUnsupported):
		return ui.UsageErrorf("--method: %s is not valid for this question: use auto or another (%s)", m.Name, plainError(err))
	case errors.Is(err, mdp.ErrTooLarge) && s.question.criterion == criterionTime:
		return ui.UsageErrorf("--property: use a shorter time (%s)", plainError(err))
	case errors.Is(err, mdp.ErrTooLarge) && m.Name != ui.MethodAuto:
		return ui.UsageErrorf("--method: %s is not valid for a model of this size: use auto or another (%s)", m.Name, plainError(err))
	case errors.Is(err, mdp.ErrTooLarge):
		return ui.UsageErrorf("%s: %q is too large: use a smaller model (%s)", modelOperand, s.path, plainError(err))
	case errors.Is(err, mdp.ErrOverflow):
		return ui.UsageErrorf(overflowText, modelOperand, s.path)
	case ui.EndedEarly(err):
		status := ui.EndStatus(err)
		return ui.EndEarly(ui.ExitOf(status), fmt.Sprintf("%v: no answer yet", status))
	}
	return err
}

// newResult returns a result without an answer.
func (s *solution) newResult() *certificate.Result {
	n := s.model.NumStates()
	r := s.question.result(s.model)
	r.Values, r.Lower, r.Upper = make([]float64, n), make([]float64, n), make([]float64, n)
	if s.structure.Classification != "" {
		r.Classification, r.Aperiodic = s.structure.Classification, new(isAperiodic(s.model.Kind, s.structure))
	}
	return r
}

// keep turns a result of package mdp into one for a file.
func (s *solution) keep(r *mdp.Result, tolerance float64) {
	s.status = r.Status
	kept := s.newResult()
	kept.Status, kept.Method, kept.Choice = r.Status.String(), ui.MethodName(r.Method), r.Reason
	kept.Iterations, kept.Seconds, kept.Tolerance = r.Iterations, r.Elapsed.Seconds(), &tolerance
	s.keepPolicy(kept, r.Policy)
	for state := range kept.Values {
		lower, upper := r.Bounds(state)
		value := r.Optimum(state)
		if q := s.question.stated; q != nil && q.IsProbability() {
			lower, value, upper = max(lower, 0), min(max(value, 0), 1), min(upper, 1)
		}
		kept.Values[state], kept.Lower[state], kept.Upper[state] = value+0, lower+0, upper+0 // not −0
	}
	if s.question.criterion == criterionAverage {
		kept.Relative = relativeValues(r.Bias)
	}
	kept.Certificate = certificate.CertificateOf(r, s.rate)
	kept.Value = kept.Values[kept.Initial]
	s.result = kept
}

// relativeValues returns relative values, nil where one is beyond float64.
func relativeValues(values []float64) []float64 {
	if slices.ContainsFunc(values, func(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) }) {
		return nil
	}
	return values
}
