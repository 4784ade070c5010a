// This file holds the verb robots solve: its flags, what they ask for, and the answer.

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
)

func robotsSolveCommand() *cli.Command {
	return &cli.Command{
		Name:      "solve",
		Usage:     "when to activate robots and when to rest them, at least cost",
		UsageText: "mdpsolve robots solve --robots N|auto --buffer K --lambda L --mu M --gamma G [options]",
		Description: `Whenever a page leaves the queue an idle robot may be activated, and whenever a
robot delivers a page it may be sent out again or left to rest. The policy found
has the least long-run cost γ·S + L, S being the share of time in which the
queue is empty and L the pages lost per unit of time.

It is found by one of these methods. Bounds on the cost hold for all of them, and
answers do not depend on the number of workers.

  auto              chooses by the size of the problem, and says why
  policy-iteration  exact
  rvi               relative value iteration: takes little memory
  paper             the authors' iteration, with their stopping rule

Variants of the model are robots of several kinds (--class, repeated), an indexing
time of phase type (exponential, erlang:k, hyperexponential:p1@m1,p2@m2,… or
ph:FILE), and costs of pages that wait, of active robots and of activations by
departures. The cost is then the whole cost. With phases the switching curves are
given by phase, which the policy sees; with several classes there are none, and the
text shows which class is activated.

With --max-loss or --max-starvation there is no γ: the other measure is minimised
within the limit, by a policy that may leave one decision to chance. gain is then
that measure, with bounds by duality, and gamma the multiplier: the γ for which the
policy costs least.

Of --lambda, --mu or both it may only be known that they lie in a range LOW:HIGH.
Then the policy found has the best worst case over rates that an adversary chooses
from the ranges, anew in every state. gain is the cost of that case, and so are
starvation and all other measures; worst_lambda[r][q] and worst_mu[r][q] are its
rates. middle_cost is what the policy costs at the middle of the ranges,
middle_optimum the least that is possible there, and middle_policy_worst the worst
case of a policy that was planned for the middle.

Examples:
  mdpsolve robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4
  mdpsolve robots solve --robots auto --buffer 15 --lambda 1/20 --mu 1 --gamma 17/15
  mdpsolve robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --plot curves.svg
  mdpsolve robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --policy-out policy.json
  mdpsolve robots solve --class 8@1/20 --class 4@0.2 --buffer 5 --mu 1 --gamma 1.4 --robot-cost 0.01
  mdpsolve robots solve --robots auto --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --service erlang:3
  mdpsolve robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --max-loss 1%
  mdpsolve robots solve --robots 16 --buffer 5 --lambda 0.08:0.12 --mu 0.9:1.1 --gamma 1.4
  mdpsolve robots solve --robots 100 --buffer 50 --lambda 0.02 --mu 1 --gamma 1 -o json`,
		Flags: slices.Concat([]cli.Flag{
			robotsFlag(), ui.BufferFlag(), ui.LambdaFlag(), ui.MuFlag(), ui.GammaFlag(),
			policyOutFlag(), ui.OutputFlag(), ui.TraceFlag(),
			ui.SwitchFlag("distribution", "in JSON, distribution[r][q]: the share of time with r robots and q pages"),
		}, limitFlags(), figure.Flags("the switching curves"), variantFlags(), ui.MethodFlags(methods...)),
		Action: ui.Action(runRobotsSolve),
	}
}

func robotsFlag() cli.Flag {
	return ui.ValueFlag("robots", "`N` robots, or auto: as many as lower the cost", "")
}

// question is what the flags of robots solve ask for.
type question struct {
	parameters robots.Parameters
	sufficient bool            // --robots auto: the number of robots is yet to be found
	variant    bool            // flags of the variants are set: the answer has more fields
	limit      *limit          // nil for none
	rates      *interval.Rates // nil where λ and μ are numbers
	method     ui.Method
}

// answer is a solution, whatever was asked for, and what goes with it.
type answer struct {
	question
	*robots.Solution
	given string // the parameters as they were given

	fixed   *robots.StaticMix    // best fixed numbers; nil where they are not known
	within  *robots.Constrained  // of a limit
	isEarly bool                 // the search for a limit did not come to its end
	worst   *interval.Solution   // of ranges
	middle  *interval.Comparison // likewise; nil if there was no time for it
}

func runRobotsSolve(a *ui.Arguments) error {
	if a.CLI.Bool("distribution") && a.Format != ui.FormatJSON {
		a.Fault("distribution", "not valid with --output %s: use --output json", a.Format)
	}
	q := readQuestion(a)
	plot, saved := figure.Read(a, figure.SwitchingPanels...), a.OutFile("policy-out", ".json")
	q.method.Trace = a.Trace()
	found, err := q.answer(a.CLI.Context)
	if err := q.method.Trace.Close(err); err != nil {
		return err
	}
	found.given = given(a, found.Parameters.Robots)
	if err := plot.Save(found.panels); err != nil {
		return err
	}
	if err := saved.Write(found.Policy.WriteJSON); err != nil {
		return err
	}
	if err := a.PrintResult(found.result(a.CLI.Bool("distribution")), found.print); err != nil {
		return err
	}
	return found.end(a.CLI.Context)
}

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
		a.Fault("plot", "not valid with several classes, whose rules are no curves: use one class")
	}
	q.method = a.Method()
	return q
}

// answer finds the answer. It is the best so far where the search ended early; the error
// is of bad input, or of a search that ended without any answer.
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

// find is answer with an early end as it is, and without what the answer is compared with.
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

// end words the end of the search.
func (f *answer) end(ctx context.Context) error {
	switch {
	case f.limit != nil:
		return ui.EndOfMeasure(f.limit.minimisedWords(), f.Status, f.Lower, f.Upper)
	case f.worst != nil && f.middle == nil && f.Status == mdp.Converged && ctx.Err() != nil:
		return ui.EndEarly(ui.ExitInterrupted, "interrupted before the middle of the ranges was looked at")
	case f.worst != nil && f.middle == nil && f.Status == mdp.Converged:
		return ui.EndEarly(ui.ExitLimit, "stopped at a limit before the middle of the ranges was looked at")
	}
	return ui.EndOf(f.Status, f.Lower, f.Upper)
}

// panels draws the switching curves and the time spent in the states.
func (f *answer) panels() []figure.Panel {
	var shares [][]float64
	if f.Measures != nil {
		shares = f.Measures.Distribution
	}
	name := "cost"
	if f.worst != nil {
		name = "worst case"
	}
	return figure.Switching(f.Policy, shares, f.given+"; "+name+" "+ui.ShortText(f.Gain, 6))
}

// bestFixed returns the best fixed numbers of robots, within a limit if there is one; nil if
// none keeps to it or finding them takes too long.
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
