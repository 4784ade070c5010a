// This file holds the verb robots simulate: its flags, the run, and its answer as a record.

package robots

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/simulate"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/controller"
	"github.com/mdpsolve/mdpsolve/models/robots/simulator"
)

func robotsSimulateCommand() *cli.Command {
	return &cli.Command{
		Name:      "simulate",
		Usage:     "simulate the queue under a policy, with confidence intervals",
		UsageText: "mdpsolve robots simulate [--policy FILE|optimal|adaptive|static:N] [options]",
		Description: `Simulates every page that a robot delivers and every page that leaves the queue. The
answer has estimates of the share S of time with an empty queue, the pages L lost per
unit of time, the cost γ·S + L, and the mean number of active robots. Equal seeds give
equal results.

Policies:
  optimal   the policy of mdpsolve robots solve without --service
  static:N  N robots, always active
  adaptive  a policy that starts from the given rates, estimates the true ones, and
            adapts to changes
  FILE      a policy saved by mdpsolve robots solve --policy-out

A policy FILE holds all parameters of its model. If that model has no variants, --lambda, --mu
and --gamma override them. Policy optimal assumes exponential indexing times. A policy FILE
assumes the law for which it was made. The simulated law may differ: --service names another
law with the same mean, and --times a file of recorded times: numbers separated by spaces,
commas or line ends.

--load changes λ over time; T counts from the end of the warm-up:

  jump:F@T   multiplies λ by F at time T
  drift:F@T  multiplies λ by a factor that grows or falls steadily to F until T
  cycle:F@T  multiplies λ by a factor between 1/F and F, with period T

Separate several loads by commas: their factors are multiplied. The answer then also has the
least cost if λ is known at all times, and the cost of the best fixed number of
robots. --plot draws all costs over time.

The confidence intervals are from independent replications, or from parts of a single
one. They are valid if the warm-up is long enough and means are nearly normal. Exact
values stand beside the estimates if the policy was made for the law that is simulated.

Examples:
  mdpsolve robots simulate --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4
  mdpsolve robots simulate --policy static:10 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --horizon 1e6
  mdpsolve robots simulate --policy adaptive --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --load jump:2@50000 --plot jump.svg`,
		Flags: slices.Concat([]cli.Flag{
			ui.ValueFlag("policy", "simulate `POLICY`: optimal, adaptive, static:N or a file", policyOptimal),
			robotsFlag(), ui.BufferFlag(), ui.LambdaFlag(), ui.MuFlag(), ui.GammaFlag(),
			ui.ServiceFlag(ui.AnyLaw),
			ui.ValueFlag("times", "take recorded indexing times from `FILE`", ""),
			ui.ValueFlag("load", "change λ by `LOAD`: jump:F@T, drift:F@T or cycle:F@T", ""),
			ui.ValueFlag("horizon", "simulate `T` units of time in each replication, after the warm-up (default: 100000/μ)", ""),
			ui.ValueFlag("warm-up", "first simulate `T` units of time that do not count (default: a tenth of the horizon)", ""),
			ui.ValueFlag("replications", "simulate `n` independent replications", fmt.Sprint(simulator.DefaultReplications)),
			ui.ValueFlag("seed", "random seed `s`", "1"),
			ui.ConfidenceFlag(),
			ui.WorkersFlag(),
			ui.OutputFlag(),
		}, figure.Flags("the cost over time")),
		Action: ui.Action(runRobotsSimulate),
	}
}

const (
	policyOptimal  = "optimal"
	policyAdaptive = "adaptive"
	policyStatic   = "static:"
	// horizonServices is the default horizon, in mean indexing times.
	horizonServices = 100_000
)

// experiment is what the flags of robots simulate ask for.
type experiment struct {
	name       string // of the policy, as --policy has it
	parameters robots.Parameters
	adaptive   bool           // the policy learns the rates
	sufficient bool           // --robots auto
	policy     *robots.Policy // nil until it is found
	times      string         // name of the file
	settings   simulator.Simulation
}

func runRobotsSimulate(a *ui.Arguments) error {
	c := a.CLI
	e := readExperiment(a)
	picture := e.readPicture(a)
	if e.policy == nil && !e.adaptive {
		if err := e.solve(c.Context); err != nil {
			return err
		}
	}
	progress, done := ui.ProgressOf(c.Context), atomic.Int64{}
	progress.Phase("simulating")
	e.settings.Done = func() { progress.Count(done.Add(1), int64(e.settings.Replications), "replications") }
	simulation, err := e.run(c.Context)
	err = ui.Interruption(c.Context, err)
	if simulation == nil {
		if errors.Is(err, context.Canceled) {
			return ui.EndEarly(ui.ExitInterrupted, "interrupted before the first replication ended")
		}
		return refusal(ui.Method{}, e.parameters, err)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	exact := e.exact(c.Context)
	status := ui.EndStatus(err)
	known := e.known(c.Context, picture != nil)
	if err := picture.Save(func() []figure.Panel { return e.coursePanels(given(a, 0), simulation, known) }); err != nil {
		return err
	}
	if !e.isPrinted() {
		known = nil
	}
	found, _ := intervals(simulation)
	answer := slices.Concat(e.record(simulation, exact, status), known.record(found.Gain))
	if err := a.PrintRecord(answer, func(s *ui.Screen) {
		e.print(s, simulation, exact, status)
		known.print(s)
	}); err != nil {
		return err
	}
	if err != nil {
		return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted: the answer is from the first %d of %d replications",
			simulation.Settings.Replications, e.settings.Replications))
	}
	return nil
}

// run simulates.
func (e *experiment) run(ctx context.Context) (*simulator.Simulated, error) {
	if e.adaptive {
		return e.settings.RunAdaptive(ctx, e.parameters, controller.AdaptiveSettings{})
	}
	return e.settings.Run(ctx, e.policy)
}

// readExperiment reads the flags.
func readExperiment(a *ui.Arguments) experiment {
	e := experiment{name: a.Text("policy", "optimal, adaptive, static:N or a file")}
	number, isStatic := strings.CutPrefix(e.name, policyStatic)
	switch {
	case e.name == policyOptimal, e.name == policyAdaptive:
		e.adaptive = e.name == policyAdaptive
		e.sufficient = readParameters(a, &e.parameters, false)
		e.parameters.StarvationWeight = a.Positive("gamma")
		a.Fail(inputFault(e.parameters.Validate()))
		if e.adaptive && e.sufficient {
			a.Fault("robots", "%s is not valid with the policy %s: use a whole number of 1 or more", ui.Automatic, policyAdaptive)
		}
	case isStatic:
		const allowed = "static:N with a whole number N of 1 or more"
		e.static(a, a.ParseWhole("policy", number, 1, allowed))
	default:
		e.saved(a, readPolicy(a, e.name))
	}
	e.services(a)
	e.horizon(a)
	return e
}

// static reads the parameters for the policy static:N; without --robots there are N robots.
func (e *experiment) static(a *ui.Arguments, fixed int) {
	p := robots.Parameters{Robots: fixed}
	if a.CLI.IsSet("robots") {
		p.Robots = a.Whole("robots", 1)
		if p.Robots < fixed {
			a.Fault("policy", "static:%d is not valid with --robots %d: use at most that number", fixed, p.Robots)
		}
	}
	readParameters(a, &p, false, "robots")
	p.StarvationWeight = a.Positive("gamma")
	a.Fail(inputFault(p.Validate()))
	a.Fail(fitMemory(a.CLI.Context, ui.Method{Settings: mdp.Settings{Method: mdp.RelativeValueIteration}}, p, false)) // its measures take what those of a solve do
	e.parameters = p
	var err error
	if e.policy, err = robots.NewStaticPolicy(p, fixed); err != nil {
		a.Fault("policy", "%s is not valid: use smaller numbers (%v)", e.name, err)
	}
}

// saved takes a policy from a file. Flags may replace the rates and the weight if it is for
// the plain model, and the services if it does not depend on phases.
func (e *experiment) saved(a *ui.Arguments, policy *robots.Policy) {
	e.policy, e.parameters = policy, policy.Parameters()
	if !e.parameters.IsPlain() {
		a.Refuse("not valid with a policy for a variant of the model: leave this flag out, because "+e.name+" holds the parameters",
			"robots", "buffer", "lambda", "mu", "gamma")
		if policy.Phases() > 1 {
			a.Refuse("not valid here: leave this flag out, because the policy of "+e.name+" depends on the phases of its own law", "service", "times")
		}
		return
	}
	p := &e.parameters
	for _, fixed := range []struct {
		flag  string
		least int
		value int
	}{{"robots", 1, p.Robots}, {"buffer", 2, p.Buffer}} {
		if a.CLI.IsSet(fixed.flag) && a.Whole(fixed.flag, fixed.least) != fixed.value {
			a.Fault(fixed.flag, "%s is not valid: the policy is for %d", a.CLI.String(fixed.flag), fixed.value)
		}
	}
	for flag, value := range map[string]*float64{"lambda": &p.ArrivalRate, "mu": &p.ServiceRate, "gamma": &p.StarvationWeight} {
		if a.CLI.IsSet(flag) {
			*value = a.Positive(flag)
		}
	}
	var err error
	e.policy, err = robots.NewPolicy(*p, policy.Decisions)
	a.Fail(inputFault(err))
	if chance, ok := policy.Chance(); ok {
		e.policy, err = e.policy.WithChance(chance)
		a.Fail(err)
	}
}

// services reads the law of the indexing times, or recorded ones.
func (e *experiment) services(a *ui.Arguments) {
	s := &e.settings
	s.Law = a.Service(e.parameters.ServiceRate)
	if !a.CLI.IsSet("times") {
		return
	}
	if a.CLI.IsSet("service") {
		a.Fault("service", "not valid with --times: use one of the two")
	}
	e.times = a.CLI.String("times")
	if s.Trace = readTimes(a, "times", e.times); len(s.Trace) == 0 || slices.Max(s.Trace) == 0 {
		a.Fault("times", "%s has no time above 0: use at least one", e.times)
	}
}

// horizon reads the length and the number of replications.
func (e *experiment) horizon(a *ui.Arguments) {
	s := &e.settings
	s.Horizon = horizonServices / e.parameters.ServiceRate
	if a.CLI.IsSet("horizon") {
		s.Horizon = a.Positive("horizon")
	}
	if a.CLI.IsSet("warm-up") {
		s.WarmUp = a.Positive("warm-up")
	}
	s.Load = readLoad(a)
	s.Replications = a.Whole("replications", 1)
	s.Seed = uint64(a.Whole("seed", 0))
	s.Confidence = a.Confidence()
	s.Workers = a.Workers()
	if math.IsInf(s.Horizon, 1) {
		a.Fault("horizon", "missing: 1/μ is too large for the default, so give a number above 0")
	}
}

// solve finds the optimal policy.
func (e *experiment) solve(ctx context.Context) error {
	const tolerance = 1e-9
	m := ui.Method{Name: ui.MethodAuto, Settings: mdp.Settings{Tolerance: tolerance, Workers: e.settings.Workers}}
	solution, err := solve(ctx, m, e.parameters, e.sufficient)
	if err != nil {
		return withoutAnswer(m, e.parameters, err)
	}
	if end := ui.EndOf(solution.Status, solution.Lower, solution.Upper); end != nil {
		return end
	}
	e.parameters, e.policy = solution.Parameters, solution.Policy
	return nil
}

// exact computes the exact values; nil if the services differ from the policy's, or if that
// takes too long.
func (e *experiment) exact(ctx context.Context) *robots.Measures {
	if e.settings.Law != nil || e.times != "" || e.adaptive || e.settings.Load != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), measurePatience) // also after an interruption
	defer cancel()
	measures, err := robots.Measure(ctx, e.policy)
	if err != nil {
		return nil
	}
	return &measures
}

// simulated returns the parameters with the law that is simulated.
func (e *experiment) simulated() robots.Parameters {
	p := e.parameters
	if e.settings.Law != nil {
		p.Service = e.settings.Law
	}
	return p
}

// serviceName describes the simulated services.
func (e *experiment) serviceName() string {
	if e.times != "" {
		return "trace:" + e.times
	}
	return ui.LawWords(e.simulated().Service)
}

// intervals returns the estimates: from the replications, or from batches of a single one.
func intervals(s *simulator.Simulated) (found simulator.Estimates, from string) {
	if s.Settings.Replications > 1 {
		return s.Replications, "replications"
	}
	return s.Batches, "batches"
}

func (e *experiment) record(s *simulator.Simulated, exact *robots.Measures, status mdp.Status) ui.Record {
	found, from := intervals(s)
	var r ui.Record
	for _, line := range e.estimatedLines(found, exact) {
		r = append(r, ui.Field{line.name, line.estimate.Mean})
		if line.name == "gain" {
			r = append(r, ui.Field{"cost", ui.OnlyJSON(line.estimate.Mean)}) // as people call it
		}
		r = append(r,
			ui.Field{line.name + "_lower", line.estimate.Lower()},
			ui.Field{line.name + "_upper", line.estimate.Upper()},
			ui.Field{line.name + "_exact", line.exact},
		)
	}
	p := e.parameters
	numbers, rates, total := classNumbers(p)
	var lambda any
	if len(rates) == 1 {
		lambda = rates[0]
	}
	return slices.Concat(r, ui.Record{
		{"status", ui.PlayedStatus(status)},
		{"confidence", s.Settings.Confidence},
		{"intervals_from", from},
		{"policy", e.name},
		{"service", e.serviceName()},
		{"horizon", s.Settings.Horizon},
		{"warm_up", s.Settings.WarmUp},
		{"replications", s.Settings.Replications},
		{"seed", int(s.Settings.Seed)},
		{"events", int(s.Events)},
		{"robots", total},
		{"buffer", p.Buffer},
		{"lambda", lambda},
		{"mu", p.ServiceRate},
		{"gamma", p.StarvationWeight},
		{"elapsed_seconds", ui.OnlyJSON(s.Elapsed.Seconds())},
	}, ui.When(!p.IsPlain(), ui.Record{
		{"robots_by_class", numbers},
		{"lambda_by_class", rates},
		{"holding_cost", p.HoldingCost},
		{"robot_cost", p.RobotCost},
		{"activation_cost", p.ActivationCost},
	}))
}

// estimated is a quantity with its estimate and its exact value.
type estimated struct {
	name, words string
	estimate    simulate.Interval
	exact       float64 // NaN: unknown
}

func (e *experiment) estimatedLines(found simulator.Estimates, exact *robots.Measures) []estimated {
	m := measuresOf(exact)
	lines := []estimated{
		{"gain", "cost", found.Gain, m.Gain},
		{"starvation", "starvation", found.Starvation, m.Starvation},
		{"loss_rate", "loss rate", found.LossRate, m.LossRate},
		{"robots_mean", "active robots", found.RobotsMean, m.RobotsMean},
	}
	if !e.parameters.IsPlain() {
		lines = append(lines,
			estimated{"pages_mean", "pages in the queue", found.PagesMean, m.PagesMean},
			estimated{"activation_rate", "activations per unit of time", found.ActivationRate, m.ActivationRate})
	}
	return lines
}
