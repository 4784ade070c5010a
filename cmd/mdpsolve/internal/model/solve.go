package model

// The verb solve, and the solution that evaluate and check use, too.

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
	"github.com/mdpsolve/mdpsolve/mdp/question"
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

` + actionText + `

` + plotText + `

` + textbookText + `

A finite horizon is solved by backward induction, or with --method exact. Its best action
depends on the step: --out, --output json and --output csv have the policies of all steps,
text has that of the first. For other criteria, --method is one of these; the criteria for
which it is valid are in brackets.

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
  mdpsolve solve repairs.json --criterion average --minimize --reward cost --plot policy.svg --show policy
  mdpsolve solve taxicab.json --criterion discounted --discount 9/10 --maximize -o csv
  mdpsolve solve paths.drn --criterion total --maximize
  mdpsolve solve paths.drn --criterion total --target goal --minimize --out result.json
  mdpsolve solve taxicab.json --criterion average --maximize --policy-out policy.csv
  mdpsolve solve taxicab.json --criterion finite --horizon 10 --maximize -o csv
  mdpsolve solve repairs.json --criterion average --minimize --reward cost --constraint 'output>=1/2'
  mdpsolve solve repairs.json --criterion average --minimize --reward cost --pareto output:max --plot trade-off.svg
  mdpsolve solve paths.drn --property 'Pmax=? [F "goal"]'`,
		Flags: slices.Concat(questionFlags("find"), propertyFlags("answer `PROPERTY`, or those in FILE or FILE:NAME"), []cli.Flag{
			kindFlag(), normalizeFlag(),
			ui.ValueFlag("out", "write the result with its certificate to `FILE` (.json, .json.gz or, for NumPy, .npz)", ""),
			ui.TableOutputFlag(), ui.DigitsFlag(),
			ui.TraceFlag(),
			ui.ValueFlag("start-from", "start from the policy and values in `RESULT`, or from a policy (.csv)", ""),
			ui.SwitchFlag(stepValues, "find the values of every step of a finite horizon, too"),
			ui.SwitchFlag(actionValues, "find the value of each action too, and which are optimal"),
			ui.ValueFlag(natureOut, "write the model that nature makes of intervals to `FILE`", ""),
		}, sumFlags(), policyOutFlags(), figure.Flags("what --show says, or the front of --pareto,"), viewFlags(shows), compareFlags(), methodFlags(" (see below)")),
		Action: ui.Action(runSolve),
	}
}

func runSolve(a *ui.Arguments) error {
	a.ReadDigits(false)
	c := a.CLI
	var properties []*property.Property
	var faults []error
	var q question.Question
	if c.IsSet(propertyFlag) {
		properties, faults = readProperties(a)
	} else {
		q = readQuestion(a, false)
	}
	method := readMethod(a)
	method.Trace = a.Trace()
	switch flag := sumsFlag(a); {
	case flag != "" && properties != nil:
		a.Fault(propertyFlag, "not valid with --%s: leave it out", flag)
	case flag != "":
		return runSums(a, q, nil, method)
	case len(properties) == 1 && faults == nil && properties[0].Optimized() > 0:
		return runSums(a, q, properties[0], method)
	}
	picture := figure.Read(a, panelsToExpect(a))
	view, compared, iterations := readView(a, picture), readComparison(a, &method), readIterations(a)
	out, nature := resultName(a, "out"), readNatureOut(a)
	model := readQuickly(a, method.Name == methodExact || isTiny(a, c.Args().First()), properties == nil)
	if len(properties) > 1 || faults != nil {
		return solveProperties(a, properties, faults, model, method)
	}
	s := &solution{}
	if properties != nil {
		var err error
		s.asked, err = askProperty(a, properties[0], model)
		a.Fail(err)
		if s.Criterion == question.Timed && out != "" {
			a.Fault("out", "not valid with a time in a CTMC, which has bounds but no certificate: use --output json")
		}
		if s.Criterion == question.Compound {
			refuseWith(a, "a property of several questions: ask one of them", "plot", "trace", "start-from", policyOut, valuesOut, actionValues, stepValues, natureOut)
		}
	} else if s.asked = ask(a, q, model); !model.HasAllDigits() && s.MixesSigns() {
		s.asked = ask(a, q, readModel(a, true))
	}
	s.policy = readPolicyOut(a, s.Criterion == question.Finite && s.Steps() > 1, false)
	s.policy.check(a, s.Model)
	readStart(a, &method, s.asked)
	s.start = method.Settings
	s.keepSteps(a, out)
	s.keepActions(a)
	s.keepStepValues(a, out)
	view.prepare(a, s)
	iterations.prepare(a, s, method.Name)
	s.compared = compared
	if picture != nil && view == nil && compared == nil {
		s.bounds = &figure.Convergence{}
	}
	if err := method.Trace.Close(s.solve(c, method)); err != nil {
		return err
	}
	if err := iterations.write(a, s, method); err != nil {
		return err
	}
	if compared != nil {
		if err := compared.solveOthers(a, s); err != nil {
			return err
		}
	}
	if err := s.savePicture(a, picture, view); err != nil {
		return err
	}
	if err := s.writeNature(nature); err != nil {
		return err
	}
	return s.deliver(a, out)
}

// given returns the caption of a picture: the name of the model's file, and the flags of the
// question.
func given(a *ui.Arguments) string {
	var symbols []ui.Symbol
	for _, flag := range questionFlags("") {
		if _, isSwitch := flag.(*cli.BoolFlag); !isSwitch {
			symbols = append(symbols, ui.Symbol{flag.Names()[0], flag.Names()[0] + " "})
		}
	}
	symbols = append(symbols, ui.Symbol{propertyFlag, "property "}, ui.Symbol{"method", "method "}, ui.Symbol{"tolerance", "tolerance "})
	return filepath.Base(a.CLI.Args().First()) + ", " + a.Given(symbols...)
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

// end returns nil if the solve converged, or if the threshold of a property is decided.
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
	of         *followed // the given policy, whose chain is the model; nil if the best policy is sought
	result     *certificate.Result
	status     mdp.Status
	structure  mdp.Structure
	bounds     *figure.Convergence // nil where they are not drawn
	stepValues bool                // the values of all steps of a finite horizon are wanted
	actions    bool                // the values of actions are wanted
	policy     *policyFile         // nil where none is written
	allSteps   bool                // the policies of all steps of a finite horizon are wanted
	start      mdp.Settings        // with the policy and values of --start-from
	compared   *comparison         // nil unless several methods are drawn
	rules      string              // the line of text about the rules in that file; "" for none
}

// solve finds the answer, or the best one so far if the solve ends early. It does not wait for
// work that is slow to end.
func (s *solution) solve(c *cli.Context, m ui.Method) error {
	settings := s.settings(c, m)
	found, err := limited(c, m, func() (*answer.Answer, error) {
		if s.of != nil {
			return answer.Evaluate(c.Context, s.of.Followed, settings)
		}
		found, err := answer.Solve(c.Context, s.Asked, settings)
		if err == nil && s.actions {
			err = found.KeepActionValues(c.Context)
		}
		if err == nil && s.stepValues {
			err = found.KeepStepValues(c.Context)
		}
		return found, err
	})
	if err != nil {
		return s.solveFault(m, err)
	}
	s.result, s.status, s.structure = found.Result, found.Status, found.Structure
	return nil
}

// settings returns the settings of a method, with a record of its progress.
func (s *solution) settings(c *cli.Context, m ui.Method) answer.Settings {
	settings := settingsOf(c, m)
	settings.Steps = s.allSteps
	solving := ui.ProgressOf(c.Context).Solving(!hasNegatives(s.Model, s.Reward), m.Settings.Tolerance)
	settings.Record = s.bounds.Watch(m.Trace.Watch(solving))
	return settings
}

// settingsOf returns the settings of a method.
func settingsOf(c *cli.Context, m ui.Method) answer.Settings {
	return answer.Settings{Settings: m.Settings, Exactly: m.Name == methodExact, Phase: ui.ProgressOf(c.Context).Phase}
}

// limited is [soon.Do] for work with a time limit.
func limited[T any](c *cli.Context, m ui.Method, work func() (T, error)) (T, error) {
	ctx, stop := soon.Within(c.Context, m.Settings.TimeLimit)
	defer stop()
	return soon.Do(ctx, 2*ui.Patience, work)
}

// methodFault says that a method is not valid for something.
func (s *solution) methodFault(m ui.Method, what string, err error) error {
	flag, use := "method", "auto or another"
	if s.compared != nil {
		flag, use = methodsFlag, "others"
	}
	return ui.UsageErrorf("--%s: %s is not valid for %s: use %s (%s)", flag, m.Name, what, use, plainError(err))
}

// overflowText is an error; its arguments are the operand for the model, and its file.
const overflowText = "%s: %q has values beyond the range of float64: use a larger unit of reward"

// solveFault returns the error for a solve that found no answer at all.
func (s *solution) solveFault(m ui.Method, err error) error {
	if _, ok := errors.AsType[*question.Error](err); ok {
		return questionFault(err)
	}
	if fault, ok := errors.AsType[*answer.ModelError](err); ok {
		return fileFault(modelOperand, s.path, fault.Err)
	}
	if fault, ok := errors.AsType[*property.UndecidedError](err); ok {
		return ui.EndEarly(ui.ExitLimit, fault.Error())
	}
	if fault, ok := errors.AsType[*modelfile.SyntaxError](err); ok {
		return questionFault(fault)
	}
	if fault, ok := errors.AsType[*mdp.InfeasibleError](err); ok {
		return infeasible(s.Constraints, fault)
	}
	switch {
	case errors.Is(err, mdp.ErrUnsupported) && (m.Name == ui.MethodAuto || s.Criterion == question.Total && s.Target == ""):
		return ui.UsageErrorf("%s: %q: %s", modelOperand, s.path, plainError(err))
	case errors.Is(err, mdp.ErrUnsupported):
		return s.methodFault(m, "this question", err)
	case errors.Is(err, mdp.ErrTooLarge) && s.Criterion == question.Timed:
		return ui.UsageErrorf("--property: use a shorter time (%s)", plainError(err))
	case errors.Is(err, mdp.ErrTooLarge) && m.Name != ui.MethodAuto:
		return s.methodFault(m, "a model of this size", err)
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
