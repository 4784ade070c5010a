package robots

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/queue"
)

func robotsSimulateCommand() *cli.Command {
	return &cli.Command{
		Name:      "simulate",
		Usage:     "the queue simulated under a policy, with confidence intervals",
		UsageText: "mdpsolve robots simulate --policy FILE|optimal|static:N [options]",
		Description: `Simulates every delivery and every indexed page, and estimates the cost γ·S + L,
the share S of time with an empty queue, the pages L lost per unit of time and
the mean number of active robots.

Policies: optimal is the one that mdpsolve robots solve finds for the same flags;
static:N keeps N robots active; FILE is what its --policy-out has saved, with
parameters, of which --lambda, --mu and --gamma may be replaced, but not those of
a variant of the model. Unless a variant says otherwise, policies take indexing
times for exponential with mean 1/μ; --service says which law they have here
(those of mdpsolve static), and --trace plays recorded times back, in their order
and unscaled: numbers set apart by spaces, commas or line ends. A policy that
looks at the phases of a service has the services that it was made for.

Intervals are from independent replications, or from parts of the only one.
Where services are those that the policy was made for the exact values are
printed beside them. Equal seeds give equal results.

Examples:
  mdpsolve robots simulate --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4
  mdpsolve robots simulate --policy static:10 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --horizon 1e6
  mdpsolve robots simulate --policy policy.json --service deterministic --seed 7 -o json
  mdpsolve robots simulate --policy policy.json --trace times.txt`,
		Flags: []cli.Flag{
			ui.ValueFlag("policy", "simulate `WHAT`: optimal, static:N or a FILE", policyOptimal),
			robotsFlag(), ui.BufferFlag(), ui.LambdaFlag(), ui.MuFlag(), ui.GammaFlag(),
			ui.ValueFlag("service", "`LAW` of the indexing time (see above)", exponential),
			ui.ValueFlag("trace", "play back indexing times from `FILE`", ""),
			ui.ValueFlag("horizon", "measure for `T` units of time in each replication (default: 100000/μ)", ""),
			ui.ValueFlag("warm-up", "leave out the first `T` units of time (default: a tenth of the horizon)", ""),
			ui.ValueFlag("replications", "simulate `n` times", fmt.Sprint(robots.DefaultReplications)),
			ui.ValueFlag("seed", "make randomness from the number `s`", "1"),
			ui.ConfidenceFlag(),
			ui.WorkersFlag(),
			ui.OutputFlag(),
		},
		Action: ui.Action(runRobotsSimulate),
	}
}

const (
	policyOptimal = "optimal"
	policyStatic  = "static:"
	// horizonServices is the default horizon, in mean indexing times.
	horizonServices = 100_000
)

// experiment is what the flags of robots simulate ask for.
type experiment struct {
	policy     string // as --policy has it
	parameters robots.Parameters
	sufficient bool           // the number of robots is yet to be found
	rule       *robots.Policy // nil: yet to be found, or of a variant
	variant    *robots.FleetPolicy
	fixed      int       // robots of static:N
	law        queue.Law // nil: exponential
	trace      string    // name of the file
	settings   robots.SimulationSettings
}

func runRobotsSimulate(a *ui.Arguments) error {
	c := a.CLI
	e := readExperiment(a)
	if e.rule == nil && e.variant == nil {
		if err := e.solve(c.Context); err != nil {
			return err
		}
	}
	simulation, err := e.simulate(c.Context)
	err = ui.Interruption(c.Context, err)
	if simulation == nil {
		if _, ok := errors.AsType[*robots.SizeError](err); ok {
			return ui.UsageErrorf("--robots: %d found with --buffer %d; smaller numbers are allowed (%v)", e.parameters.Robots, e.parameters.Buffer, err)
		}
		if errors.Is(err, context.Canceled) {
			return ui.EndEarly(ui.ExitInterrupted, "interrupted before any replication was done: there is no answer yet")
		}
		return err
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	exact := e.exact(c.Context)
	status := ui.EndStatus(err)
	answer := e.record(simulation, exact, status)
	if err := a.PrintRecord(answer, func(s *ui.Screen) { e.print(s, simulation, exact, status) }, "elapsed_seconds"); err != nil {
		return err
	}
	if err != nil {
		return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted; the answer is that of the first %d of %d replications",
			simulation.Settings.Replications, e.settings.Replications))
	}
	return nil
}

// readExperiment reads the flags.
func readExperiment(a *ui.Arguments) experiment {
	e := experiment{policy: a.Text("policy", "optimal, static:N or a file")}
	number, isStatic := strings.CutPrefix(e.policy, policyStatic)
	switch {
	case e.policy == policyOptimal:
		e.parameters, e.sufficient = readParameters(a)
	case isStatic:
		const allowed = "static:N with a whole number N of 1 or more"
		e.fixed = a.ParseWhole("policy", number, 1, allowed)
		e.parameters = readStaticParameters(a, e.fixed)
		var err error
		if e.rule, err = robots.NewStaticPolicy(e.parameters, e.fixed); err != nil {
			a.Fault("policy", "%s found; smaller numbers are allowed (%v)", e.policy, err)
		}
	default:
		e.saved(a, readPolicy(a, e.policy))
	}
	e.services(a)
	e.horizon(a)
	return e
}

// readStaticParameters reads the parameters for a fixed number of robots; others
// than these need not exist.
func readStaticParameters(a *ui.Arguments, fixed int) robots.Parameters {
	number := fixed
	if a.CLI.IsSet("robots") {
		number = a.Whole("robots", 1)
		if number < fixed {
			a.Fault("policy", "static:%d found with --robots %d; at most as many are allowed", fixed, number)
		}
	}
	return readParametersOf(a, number)
}

// replaced returns a policy that was read, with the rates and the weight that
// flags give instead of its own.
func replaced(a *ui.Arguments, policy *robots.Policy) *robots.Policy {
	p := policy.Parameters()
	for _, fixed := range []struct {
		flag  string
		least int
		value int
	}{{"robots", 1, p.Robots}, {"buffer", 2, p.Buffer}} {
		if a.CLI.IsSet(fixed.flag) && a.Whole(fixed.flag, fixed.least) != fixed.value {
			a.Fault(fixed.flag, "%s found; %d is allowed, which the policy is for", a.CLI.String(fixed.flag), fixed.value)
		}
	}
	for flag, value := range map[string]*float64{"lambda": &p.ArrivalRate, "mu": &p.ServiceRate, "gamma": &p.StarvationWeight} {
		if a.CLI.IsSet(flag) {
			*value = a.Positive(flag)
		}
	}
	same, err := robots.NewPolicy(p, policy.Activates)
	a.Fail(ui.InputFault(err))
	return same
}

// services reads what services are.
func (e *experiment) services(a *ui.Arguments) {
	e.law = readLaw(a, e.parameters.ServiceRate)
	var err error
	switch {
	case a.CLI.IsSet("trace"):
		if a.CLI.IsSet("service") {
			a.Fault("service", "found with --trace, which takes its place; one of them is allowed")
		}
		e.trace = a.CLI.String("trace")
		times := readTraceTimes(a, e.trace)
		if e.settings.Services, err = robots.TraceServices(times); err != nil {
			a.Fault("trace", "%s holds no time above 0; one is needed", e.trace)
		}
	case e.law != nil:
		if e.settings.Services, err = robots.LawServices(e.law); err != nil {
			a.Fault("service", "%v", err)
		}
	}
}

// horizon reads how long and how often to simulate.
func (e *experiment) horizon(a *ui.Arguments) {
	s := &e.settings
	s.Horizon = horizonServices / e.parameters.ServiceRate
	if a.CLI.IsSet("horizon") {
		s.Horizon = a.Positive("horizon")
	}
	if a.CLI.IsSet("warm-up") {
		s.WarmUp = a.Positive("warm-up")
	}
	s.Replications = a.Whole("replications", 1)
	s.Seed = uint64(a.Whole("seed", 0))
	s.Confidence = a.Confidence()
	s.Workers = a.Workers()
	if math.IsInf(s.Horizon, 1) {
		a.Fault("horizon", "missing; a number above 0 is needed where 1/μ is so large")
	}
}

// solve finds the optimal policy.
func (e *experiment) solve(ctx context.Context) error {
	const tolerance = 1e-9
	m := ui.Method{Name: ui.MethodAuto, Settings: mdp.Settings{Tolerance: tolerance, Workers: e.settings.Workers}}
	solve := solvePlain
	if e.sufficient {
		solve = solveSufficient
	}
	solution, err := solve(ctx, m, e.parameters)
	if err != nil {
		return err
	}
	if end := ui.EndOf(solution.Status, solution.Lower, solution.Upper); end != nil {
		return end
	}
	e.parameters, e.rule = solution.Parameters, solution.Policy
	return nil
}

// exact returns the exact values where they are known.
func (e *experiment) exact(ctx context.Context) *robots.FleetMeasures {
	if e.law != nil || e.trace != "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), measurePatience) // also after an interruption
	defer cancel()
	var (
		measures robots.FleetMeasures
		err      error
	)
	if e.variant != nil {
		measures, err = robots.MeasureFleet(ctx, e.variant)
	} else {
		measures.Measures, err = robots.Measure(ctx, e.rule)
	}
	if err != nil {
		return nil
	}
	return &measures
}

// serviceName says what services are.
func (e *experiment) serviceName() string {
	switch {
	case e.trace != "":
		return "trace:" + e.trace
	case e.law == nil && e.variant != nil:
		return serviceWords(e.variant.Fleet().Service)
	}
	return serviceWords(e.law)
}

// intervals returns the estimates: of the replications, or of the parts of the
// only one.
func intervals(s *robots.Simulation) (found robots.Estimates, from string) {
	if s.Settings.Replications > 1 {
		return s.Replications, "replications"
	}
	return s.Batches, "batches"
}

func (e *experiment) record(s *robots.Simulation, exact *robots.FleetMeasures, status mdp.Status) ui.Record {
	found, from := intervals(s)
	var r ui.Record
	for _, line := range e.estimatedLines(found, exact) {
		r = append(r,
			ui.Field{line.name, line.estimate.Mean},
			ui.Field{line.name + "_lower", line.estimate.Lower()},
			ui.Field{line.name + "_upper", line.estimate.Upper()},
			ui.Field{line.name + "_exact", line.exact},
		)
	}
	p := e.parameters
	var lambda any = p.ArrivalRate
	if e.variant != nil && len(e.variant.Fleet().Classes) > 1 {
		lambda = nil
	}
	return slices.Concat(r, ui.Record{
		{"status", ui.PlayedStatus(status)},
		{"confidence", s.Settings.Confidence},
		{"intervals_from", from},
		{"policy", e.policy},
		{"service", e.serviceName()},
		{"horizon", s.Settings.Horizon},
		{"warm_up", s.Settings.WarmUp},
		{"replications", s.Settings.Replications},
		{"seed", int(s.Settings.Seed)},
		{"events", int(s.Events)},
		{"robots", p.Robots},
		{"buffer", p.Buffer},
		{"lambda", lambda},
		{"mu", p.ServiceRate},
		{"gamma", p.StarvationWeight},
		{"elapsed_seconds", s.Elapsed.Seconds()},
	}, e.variantFields())
}

// estimated is a quantity with its estimate and, where it is known, its value.
type estimated struct {
	name, words string
	estimate    robots.Interval
	exact       float64 // NaN: not known
}

func (e *experiment) estimatedLines(found robots.Estimates, exact *robots.FleetMeasures) []estimated {
	unknown := math.NaN()
	m := robots.FleetMeasures{
		Measures:  robots.Measures{Gain: unknown, Starvation: unknown, LossRate: unknown, RobotsMean: unknown},
		PagesMean: unknown, ActivationRate: unknown,
	}
	if exact != nil {
		m = *exact
	}
	lines := []estimated{
		{"gain", "cost", found.Gain, m.Gain},
		{"starvation", "starvation", found.Starvation, m.Starvation},
		{"loss_rate", "loss rate", found.LossRate, m.LossRate},
		{"robots_mean", "active robots", found.RobotsMean, m.RobotsMean},
	}
	if e.variant != nil {
		lines = append(lines,
			estimated{"pages_mean", "pages in the system", found.PagesMean, m.PagesMean},
			estimated{"activation_rate", "activations per unit of time", found.ActivationRate, m.ActivationRate})
	}
	return lines
}
