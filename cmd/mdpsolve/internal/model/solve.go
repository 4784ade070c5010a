package model

// The verb solve, and the solution that evaluate and check use, too.

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

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
		UsageText: "mdpsolve solve MODEL --criterion " + strings.Join(question.Criteria, "|") + " [options]\n" +
			"mdpsolve solve MODEL --property PROPERTY|FILE[:NAME] [options]",
		ArgsUsage: modelOperand,
		Description: `The criteria are

` + question.CriteriaText() + `

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
The rules are the policy wherever it has a choice, in states that it reaches from the initial
ones. The answer says what --max-rules costs, with proved bounds.

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

` + methodText() + `

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
			ui.ValueFlag(natureOut, "write to `FILE` the model that nature chooses", ""),
		}, sumFlags(), policyOutFlags(), figure.Flags("what --show says, or the front of --pareto,"), viewFlags(shows), compareFlags(), methodFlags(" (see below)")),
		Action: ui.Action(runSolve),
	}
}

func runSolve(a *ui.Arguments) error {
	r := readRequest(a, false)
	isOne := r.sums == "" && !slices.ContainsFunc(r.properties, (*property.Property).IsCompound)
	m := readQuickly(a, r.method.Name == methodExact || isTiny(a, a.CLI.Args().First()), isOne)
	if len(r.properties) > 1 || r.faults != nil {
		return solveProperties(a, r.properties, r.faults, m, r.method)
	}
	s := r.ask(m)
	if r.isTradeOff {
		return runPareto(a, s.asked, r.other, r.method, r.picture)
	}
	return s.finish(r)
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
	words := []string{filepath.Base(a.CLI.Args().First()), a.Given(symbols...)}
	for _, limit := range a.CLI.StringSlice(constraintFlag) {
		words = append(words, strings.NewReplacer("<=", " ≤ ", ">=", " ≥ ").Replace(limit))
	}
	return strings.Join(words, ", ")
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
	bounds     *convergence // nil where they are not drawn
	stepValues bool         // the values of all steps of a finite horizon are wanted
	actions    bool         // the values of actions are wanted
	policy     *policyFile  // nil where none is written
	allSteps   bool         // the policies of all steps of a finite horizon are wanted
	start      mdp.Settings // with the policy and values of --start-from
	compared   *comparison  // nil unless several methods are drawn
	rules      string       // the line of text about the rules in that file; "" for none
	textbook   string       // the line about the iterations of a picture or of --values-out; "" for none
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
	solving := ui.ProgressOf(c.Context).Solving(!s.HasNegatives(), m.Settings.Tolerance)
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
