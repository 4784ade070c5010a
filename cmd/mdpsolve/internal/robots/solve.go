// This file holds the verb robots solve: its flags, and its answer as a record.

package robots

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
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

// answer is a solution, and the best fixed numbers of robots to compare it with.
type answer struct {
	*robots.Solution
	variant bool              // flags of the variants are set: the record has more fields
	fixed   *robots.StaticMix // nil if not found soon
	given   string            // the parameters as they were given
}

func runRobotsSolve(a *ui.Arguments) error {
	c := a.CLI
	if c.Bool("distribution") && a.Format != ui.FormatJSON {
		a.Fault("distribution", "not valid with --output %s: use --output json", a.Format)
	}
	if rates := readRates(a); rates != nil {
		return runRanges(a, *rates)
	}
	if limit := readLimit(a); limit != nil {
		return runWithin(a, limit)
	}
	variant := isVariant(a)
	p, sufficient := readParameters(a, variant)
	p.StarvationWeight = a.Positive("gamma")
	a.Fail(inputFault(p.Validate()))
	if variant {
		checkVariant(a, p)
	}
	method := a.Method()
	plot, saved := figure.Read(a, figure.SwitchingPanels...), a.OutFile("policy-out", ".json", ".csv")
	method.Trace = a.Trace()
	solution, err := solve(c.Context, method, p, sufficient)
	if err := method.Trace.Close(err); err != nil {
		return err
	}
	found := answer{
		Solution: solution, variant: variant,
		fixed: bestFixed(c.Context, solution.Parameters),
		given: given(a, solution.Parameters.Robots),
	}
	record := found.record()
	if c.Bool("distribution") {
		record = append(record, ui.Field{Name: "distribution", Value: found.distribution()})
	}
	if err := plot.Save(found.panels); err != nil {
		return err
	}
	if err := savePolicy(saved, solution.Policy); err != nil {
		return err
	}
	err = a.PrintRecord(withCost(record), found.print, costAlias, "elapsed_seconds", "curve_departure_by_phase", "curve_arrival_by_phase")
	if err != nil {
		return err
	}
	return ui.EndOf(solution.Status, solution.Lower, solution.Upper)
}

// panels draws the switching curves and the time spent in the states.
func (f answer) panels() []figure.Panel {
	var shares [][]float64
	if f.Measures != nil {
		shares = f.Measures.Distribution
	}
	return figure.Switching(f.Policy, shares, f.given+"; cost "+ui.ShortText(f.Gain, 6))
}

// checkVariant reports flags that cannot be combined with a variant of the model.
func checkVariant(a *ui.Arguments, p robots.Parameters) {
	checkVariantMethod(a)
	if len(p.Classes) > 1 && a.CLI.IsSet("plot") {
		a.Fault("plot", "not valid with several classes, whose rules are no curves: use one class")
	}
	if name := a.CLI.String("policy-out"); isCSV(name) && !p.IsPlain() {
		a.Fault("policy-out", "%q is not valid: use a name that ends in .json, "+
			"or .csv with one class, exponential services and no costs but those of starvation and loss", name)
	}
}

func checkVariantMethod(a *ui.Arguments) {
	if a.CLI.String("method") == ui.MethodPaper {
		a.Fault("method", "%s is not valid with a variant of the model: use %s", ui.MethodPaper, ui.Enumerate(variantMethods))
	}
}

// bestFixed returns the best fixed numbers of robots; nil if finding them takes too
// long.
func bestFixed(ctx context.Context, p robots.Parameters) *robots.StaticMix {
	patience := 5 * time.Second
	if ctx.Err() != nil { // also after an interruption
		patience = staticPatience
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	mix, err := p.BestStatic(ctx)
	if err != nil {
		return nil
	}
	return &mix
}

// variantFields are the fields of a record that only variants have.
var variantFields = []string{
	"robots_mean_by_class", "robots_by_class", "lambda_by_class", "curve_departure_by_phase", "curve_arrival_by_phase",
	"pages_mean", "activation_rate", "service", "holding_cost", "robot_cost", "activation_cost", "static_robots_by_class",
}

func (f answer) record() ui.Record {
	p := f.Parameters
	var starvation, lossRate, mean, least, greatest, byClass, pages, activations any
	if m := f.Measures; m != nil {
		starvation, lossRate, mean, least, greatest = m.Starvation, m.LossRate, m.RobotsMean, m.RobotsMin, m.RobotsMax
		byClass, pages, activations = m.RobotsMeanByClass, m.PagesMean, m.ActivationRate
	}
	numbers, rates, total := classNumbers(p)
	var lambda any
	if len(rates) == 1 {
		lambda = rates[0]
	}
	var staticRobots, staticByClass, staticCost any
	saved := math.NaN()
	if f.fixed != nil {
		count := 0
		for _, n := range f.fixed.Robots {
			count += n
		}
		staticRobots, staticByClass, staticCost = count, f.fixed.Robots, f.fixed.Cost
		saved = saving(f.Solution, f.fixed.Cost)
	}
	curves := curvesOf(f.Policy)
	record := ui.Record{
		{"gain", f.Gain},
		{"gain_lower", f.Lower},
		{"gain_upper", f.Upper},
		{"status", f.Status.String()},
		{"method", methodName(f.Method)},
		{"iterations", f.Iterations},
		{"starvation", starvation},
		{"loss_rate", lossRate},
		{"robots", total},
		{"robots_mean", mean},
		{"robots_min", least},
		{"robots_max", greatest},
		{"curve_departure", curves.departure},
		{"curve_arrival", curves.arrival},
		{"threshold", curves.threshold},
		{"monotone", curves.monotone},
		{"robots_mean_by_class", byClass},
		{"robots_by_class", numbers},
		{"lambda_by_class", rates},
		{"curve_departure_by_phase", curves.departures},
		{"curve_arrival_by_phase", curves.arrivals},
		{"pages_mean", pages},
		{"activation_rate", activations},
		{"buffer", p.Buffer},
		{"lambda", lambda},
		{"mu", p.ServiceRate},
		{"gamma", p.StarvationWeight},
		{"service", ui.LawWords(p.Service)},
		{"holding_cost", p.HoldingCost},
		{"robot_cost", p.RobotCost},
		{"activation_cost", p.ActivationCost},
		{"static_robots", staticRobots},
		{"static_robots_by_class", staticByClass},
		{"static_cost", staticCost},
		{"policy_cost", policyCost(f.Solution)},
		{"saving", saved},
		{"choice", f.Reason},
		{"elapsed_seconds", f.Elapsed.Seconds()},
	}
	if f.variant {
		return record
	}
	return slices.DeleteFunc(record, func(field ui.Field) bool { return slices.Contains(variantFields, field.Name) })
}

// distribution returns the share of time by numbers of robots and of pages; nil where
// that is not known.
func (f answer) distribution() any {
	if f.Measures == nil {
		return nil
	}
	return f.Measures.Distribution
}

// printedCurves are the switching curves as they are printed; nil where there are
// none.
type printedCurves struct {
	departure, arrival, threshold, monotone any // of one class and one phase; threshold and monotone of all phases
	departures, arrivals                    any // by phase, of one class
}

func curvesOf(policy *robots.Policy) printedCurves {
	curves := policy.Curves()
	if len(curves) == 0 {
		return printedCurves{}
	}
	threshold, monotone := true, true
	var departures, arrivals [][]int
	for _, c := range curves {
		threshold, monotone = threshold && c.Threshold, monotone && c.Monotone
		departures, arrivals = append(departures, c.Departure), append(arrivals, c.Arrival)
	}
	found := printedCurves{threshold: threshold, monotone: monotone, departures: departures, arrivals: arrivals}
	if len(curves) == 1 {
		found.departure, found.arrival = departures[0], arrivals[0]
	}
	return found
}

// saving returns the share of the cost of the best fixed numbers of robots that
// switching saves.
func saving(s *robots.Solution, fixed float64) float64 {
	if fixed == 0 {
		return math.NaN()
	}
	return 1 - policyCost(s)/fixed
}

// policyCost returns what the policy of a solution costs: its exact gain where
// that is known.
func policyCost(s *robots.Solution) float64 {
	if s.Measures != nil {
		return s.Measures.Gain
	}
	return s.Gain
}
