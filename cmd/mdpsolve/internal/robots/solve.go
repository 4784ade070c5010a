// This file holds the verb robots solve: its flags, the question and the answer.

package robots

import (
	"context"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/interval"
	"github.com/mdpsolve/mdpsolve/queue"
)

func robotsSolveCommand() *cli.Command {
	return &cli.Command{
		Name:      "solve",
		Usage:     "the policy of least cost: when to activate robots, when to let them rest",
		UsageText: "mdpsolve robots solve --robots N|auto --buffer K --lambda L --mu M --gamma G [options]",
		Description: `When a page leaves the queue, an idle robot may be activated. When a robot delivers a
page, that robot may be sent out again or left to rest. The answer is the policy with
the least long-run cost γ·S + L: S is the share of time with an empty queue, and L is
the number of pages lost per unit of time. The cost has bounds with every method. The
answer does not depend on the number of workers.

Methods:
  auto              the program chooses by the size of the model, and says why
  policy-iteration  exact
  rvi               relative value iteration, which needs little memory
  paper             the authors' iteration with their stopping rule

Variants of the model have several classes of robots (--class), indexing times of phase type
(--service), or costs of pages in the queue, active robots and activations; the cost is then
the sum of all costs. With --service, the policy sees the phase of indexing, and each phase has
its own switching curve for deliveries. With several classes there are no curves; the printed
grids show which class to activate.

With --max-loss or --max-starvation, the policy minimises the other measure within
the limit, and may leave one decision to chance. In JSON, gain is then that measure,
and gamma is the multiplier: the γ for which this policy is optimal without a limit.

--lambda and --mu also take a range LOW:HIGH. Nature then picks the rates from
the ranges, anew in every state, and the policy has the best worst case. In JSON, gain
and the measures are for the worst case; its rates are worst_lambda[r][q] and
worst_mu[r][q]. Three keys compare the policy with the middle of the ranges:

  middle_cost          the cost of this policy, with the rates of the middle
  middle_optimum       the least cost, with the rates of the middle
  middle_policy_worst  the worst case of the policy that is optimal at the middle

` + modelOutText + `

Examples:
  mdpsolve robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4
  mdpsolve robots solve --robots auto --buffer 5 --lambda 1/10 --mu 1 --gamma 1.4 --plot curves.svg
  mdpsolve robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --max-loss 1%`,
		Flags: slices.Concat([]cli.Flag{
			robotsFlag(), ui.BufferFlag(), ui.LambdaFlag(), ui.MuFlag(), ui.GammaFlag(),
			policyOutFlag(), ui.TableOutputFlag(), ui.DigitsFlag(), ui.TraceFlag(),
			ui.ValueFlag("starvation-free", "add the probability that starvation, once over, stays away for `T` (or a list)", ""),
			ui.SwitchFlag("distribution", "add distribution[r][q] to the JSON: the share of time with r robots active and q pages"),
		}, limitFlags(), figure.Flags("the policy and the time in each state"), modelFlags(), variantFlags(), ui.MethodFlags(methods...)),
		Action: ui.Action(runRobotsSolve),
	}
}

func robotsFlag() cli.Flag {
	return ui.ValueFlag("robots", "`N` robots, or auto: the number beyond which more do not help", "")
}

// question is what the flags of robots solve ask for.
type question struct {
	parameters robots.Parameters
	sufficient bool            // --robots auto
	variant    bool            // flags of variants are set: the answer has more fields
	limit      *limit          // nil: no limit
	rates      *interval.Rates // nil: λ and μ are numbers
	method     ui.Method
}

// answer is a solution with its comparisons.
type answer struct {
	question
	*robots.Solution
	given string // the parameters as on the command line

	fixed   *robots.StaticMix    // best fixed numbers; nil if unknown
	within  *robots.Constrained  // with a limit
	isEarly bool                 // the search for a limit ended early
	free    *mdp.Distribution    // of the time without starvation; nil unless asked for
	worst   *interval.Solution   // with ranges
	middle  *interval.Comparison // with ranges; nil if no time was left
}

func runRobotsSolve(a *ui.Arguments) error {
	a.ReadDigits(true)
	if a.CLI.Bool("distribution") && a.Format != ui.FormatJSON {
		a.Fault("distribution", "not valid with --output %s: use --output json", a.Format)
	}
	q, times := readQuestion(a), []float64(nil)
	if a.CLI.IsSet("starvation-free") {
		times = a.Numbers("starvation-free", "a number of 0 or more", func(x float64) bool { return x >= 0 })
	}
	phases := 1
	if q.parameters.Service != nil {
		if law, err := queue.PhaseTypeOf(q.parameters.Service); err == nil { // other laws are refused later
			phases = law.Phases()
		}
	}
	plot, saved := figure.ReadSwitching(a, phases), a.OutFile("policy-out", ".json")
	q.method.Trace = a.Trace()
	if err := q.writeModel(a); err != nil {
		return err
	}
	found, err := q.answer(a.CLI.Context)
	if err := q.method.Trace.Close(err); err != nil {
		return err
	}
	if times != nil {
		a.Fail(found.findFree(a.CLI.Context, times))
	}
	found.given = given(a, found.Parameters.Robots)
	if err := plot.Save(found.panels); err != nil {
		return err
	}
	if err := saved.Write(found.Policy.WriteJSON); err != nil {
		return err
	}
	if saved != nil && found.within != nil && found.within.Other != nil {
		if err := saved.Beside(otherSuffix).Write(found.within.Other.WriteJSON); err != nil {
			return err
		}
	}
	if err := a.PrintRecord(found.record(a.CLI.Bool("distribution")), found.print); err != nil {
		return err
	}
	return found.end(a.CLI.Context)
}

// otherSuffix is that of the file for the second policy of a mixture.
const otherSuffix = ".other.json"

// readQuestion reads the flags.
func readQuestion(a *ui.Arguments) question {
	q := question{variant: isVariant(a), rates: readRates(a)}
	p, varied := &q.parameters, []string(nil)
	if q.rates == nil {
		q.limit = readLimit(a)
	} else {
		p.ArrivalRate, p.ServiceRate, varied = q.rates.Arrival.Middle(), q.rates.Service.Middle(), rateFlags
	}
	q.sufficient = readParameters(a, p, q.variant, varied...)
	switch {
	case q.limit == nil:
		p.StarvationWeight = a.Positive("gamma")
	case q.sufficient:
		a.Fault("robots", "%s is not valid with --%s: %s", ui.Automatic, q.limit.flag, useNumber)
	default:
		p.StarvationWeight = 1
	}
	a.Fail(inputFault(p.Validate()))
	if q.variant {
		refuseBeside(a, variantWords)
	}
	if len(p.Classes) > 1 && a.CLI.IsSet("plot") {
		a.Fault("plot", "not valid with several classes, whose policies have more variables than a picture: write the model with --%s FILE, and choose some by --axes of solve", modelOut)
	}
	q.method = a.Method()
	return q
}

// answer returns the answer, the best so far if the search ended early. The error is of bad
// input, or of a search without any answer.
func (q question) answer(ctx context.Context) (*answer, error) {
	found, err := q.find(ctx)
	if err != nil {
		return found, withoutAnswer(q.method, q.parameters, err)
	}
	if q.limit == nil && q.rates == nil {
		found.fixed = bestFixed(ctx, found.Parameters, robots.Limit{})
	}
	return found, nil
}

// find is answer without the comparison, and with the error of an early end.
func (q question) find(ctx context.Context) (found *answer, err error) {
	found = &answer{question: q}
	switch {
	case q.limit != nil:
		err = found.findWithin(ctx)
	case q.rates != nil:
		err = found.findWorst(ctx)
	default:
		found.Solution, err = solve(ctx, q.method, q.parameters, q.sufficient)
	}
	return found, err
}

// end returns the end of the search as an error; nil if it is complete.
func (f *answer) end(ctx context.Context) error {
	switch {
	case f.limit != nil:
		return ui.EndOfMeasure(f.limit.minimisedWords(), f.Status, f.Lower, f.Upper)
	case f.worst != nil && f.middle == nil && f.Status == mdp.Converged && ctx.Err() != nil:
		return ui.EndEarly(ui.ExitInterrupted, "interrupted before the comparison with the middle of the ranges")
	case f.worst != nil && f.middle == nil && f.Status == mdp.Converged:
		return ui.EndEarly(ui.ExitLimit, "stopped at a limit before the comparison with the middle of the ranges")
	}
	return ui.EndOf(f.Status, f.Lower, f.Upper)
}

// panels draws the policy and the time spent in the states.
func (f *answer) panels() []figure.Panel {
	var shares [][]float64
	if f.Measures != nil {
		shares = f.Measures.Distribution
	}
	name, within := "cost", ""
	switch {
	case f.worst != nil:
		name = "worst case"
	case f.limit != nil:
		name, within = f.limit.minimisedWords(), ", "+f.limit.words()
		if c, ok := f.Policy.Chance(); ok {
			within += "; " + f.chanceWords(c)
		}
	}
	return figure.Switching(f.Policy, shares, f.given+"; "+name+" "+ui.ShortText(f.Gain, 6)+within)
}

// bestFixed returns the best fixed numbers of robots, within a limit if there is one; nil if
// none meets it or the search takes too long.
func bestFixed(ctx context.Context, p robots.Parameters, limit robots.Limit) *robots.StaticMix {
	patience := 5 * time.Second
	if ctx.Err() != nil { // also after an interruption
		patience = 200 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	mix, err := p.BestStatic(ctx, limit)
	if err != nil {
		return nil
	}
	return mix
}
