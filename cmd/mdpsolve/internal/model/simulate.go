package model

// The verb simulate.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/question"
	"github.com/mdpsolve/mdpsolve/mdp/simulate"
)

const (
	// manyReplications is the default number of replications; for an average, it is
	// fewReplications.
	manyReplications = 1000
	fewReplications  = 20
	// averageSteps is the default horizon of an average.
	averageSteps = 100_000
	// averageBatches are the parts of the horizon of a single replication, and warmUpShare is
	// the default length of the warm-up, which comes before the horizon, as a share of it.
	averageBatches, warmUpShare = 20, 0.1
	// restShare is the share of all weights of a discounted sum that come after the default
	// horizon.
	restShare = 1e-6
	// mostSteps is the greatest default horizon.
	mostSteps = 1e7
	// mostGiven is the greatest horizon that can be asked for.
	mostGiven = 1e15
)

// SimulateCommand is the verb simulate.
func SimulateCommand() *cli.Command {
	return &cli.Command{
		Name:  "simulate",
		Usage: "simulate a policy, with a confidence interval for its value",
		UsageText: "mdpsolve simulate MODEL [--policy FILE] --criterion " + strings.Join(question.Criteria, "|") + " [options]\n" +
			"mdpsolve simulate MODEL [--policy FILE] --property PROPERTY|FILE:NAME [options]",
		ArgsUsage: modelOperand,
		Description: policyFilesText + `

Each replication starts in the first initial state and measures

  average     the mean reward of --horizon steps, or units of time (default:
              100000), after --warm-up; with --replications 1, the interval comes from
              20 equal parts of the horizon
  discounted  the discounted rewards of --horizon steps (default: so many that later ones
              have 1e-6 of all weight); bounds on later rewards are added to the interval
  total       the rewards until a state with LABEL, or until no more will be earned; the
              policy must come to that with probability 1
  finite      the rewards of --horizon steps

With --property, it measures what the property asks for.

The answer is the mean of the replications with its confidence interval (Student's t).
The interval is reliable if there are enough replications and, for averages, a long
warm-up. Sojourn times are drawn from exponential laws, in an SMDP too: the means do not
depend on the law. For proved bounds use mdpsolve evaluate. Equal seeds give equal results
for any --workers.

` + modelText + `

Examples:
  mdpsolve simulate taxicab.json --policy policy.csv --criterion average --horizon 1000000
  mdpsolve simulate taxicab.json --policy policy.csv --criterion discounted --discount 9/10 --horizon 100
  mdpsolve simulate twoservers.tra --policy servers.csv --criterion total --target full --seed 7 -o json
  mdpsolve simulate paths.drn --policy scheduler.json --property 'P=? [F "goal"]'`,
		Flags: slices.Concat([]cli.Flag{policyFlag("simulate the policy in `FILE`")}, slices.DeleteFunc(questionFlags(""), func(f cli.Flag) bool {
			return slices.Contains([]string{"horizon", "minimize", "maximize", uncertaintyFlag}, f.Names()[0])
		}), propertyFlags("the value of `PROPERTY`, or of FILE:NAME"), []cli.Flag{
			ui.ValueFlag("horizon", "simulate `T` steps, or units of time, in each replication (default: see below)", ""),
			ui.ValueFlag("warm-up", "for averages: first simulate `T` steps or units of time that do not count (default: a tenth of the horizon)", ""),
			ui.ValueFlag("replications", fmt.Sprintf("simulate `n` independent replications (default: %d for an average, else %d)", fewReplications, manyReplications), ""),
			ui.ValueFlag("seed", "random seed `s`", "1"),
			ui.ConfidenceFlag(),
			kindFlag(), normalizeFlag(),
			ui.WorkersFlag(),
			ui.OutputFlag(),
		}, choosingFlags()),
		Action: ui.Action(runSimulate),
	}
}

// simulation is a simulation with its results.
type simulation struct {
	*followed
	settings simulate.Settings
	isTimed  bool // in continuous time
	found    *answer.Simulated
	status   mdp.Status
	elapsed  time.Duration
}

func runSimulate(a *ui.Arguments) error {
	c := a.CLI
	refuseChoosing(a)
	confidence, seed, workers := a.Confidence(), uint64(a.WholeWithin("seed", 0, math.MaxInt32)), a.Workers()
	of := readStated(a, "horizon")
	if of.property != nil && of.property.IsCompound() {
		a.Fault(propertyFlag, "a property that is answered by several questions is not simulated: use solve or evaluate")
	}
	s := &simulation{followed: readFollowed(a, of, false, false)}
	s.isTimed = s.Model.Kind.IsContinuous()
	s.settings = simulate.Settings{Seed: seed, Confidence: confidence, Workers: workers, Replications: readReplications(a, s)}
	readHorizon(a, s)
	begin := time.Now()
	var err error
	s.found, err = s.simulate(c.Context)
	if _, ok := errors.AsType[*question.Error](err); ok {
		return s.policyFault(err)
	}
	warnInitial(a, s.Model, "")
	if s.found == nil && c.Err() == nil {
		return (&solution{asked: s.asked()}).solveFault(ui.Method{Name: ui.MethodAuto}, err)
	}
	err = ui.Interruption(c.Context, err)
	if s.found == nil {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted before the first replication ended: no answer yet")
	}
	if mean, _, _ := s.found.Estimate(); math.IsInf(mean, 0) || math.IsNaN(mean) {
		return ui.UsageErrorf(overflowText, modelOperand, s.path)
	}
	s.elapsed, s.status = time.Since(begin), ui.EndStatus(err)
	if err := a.PrintRecord(s.record(), func(screen *ui.Screen) { printSimulated(screen, s) }); err != nil {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted: the answer is from the first %d of %d replications", s.found.Replications, s.settings.Replications))
	}
	return err
}

// simulate simulates the policy.
func (s *simulation) simulate(ctx context.Context) (*answer.Simulated, error) {
	progress, ended := ui.ProgressOf(ctx), atomic.Int64{}
	progress.Phase("simulating")
	s.settings.Done = func() { progress.Count(ended.Add(1), int64(s.settings.Replications), "replications") }
	return answer.Simulate(ctx, s.Followed, s.settings)
}

// readReplications reads the number of replications.
func readReplications(a *ui.Arguments, s *simulation) int {
	if a.CLI.IsSet("replications") {
		const most = 1_000_000
		return int(a.WholeWithin("replications", 1, most))
	}
	if s.isAverage() {
		return fewReplications
	}
	return manyReplications
}

// played returns the criterion by which replications are simulated: the probability to end in some
// states is simulated as a total.
func (s *simulation) played() mdp.Criterion {
	if s.Stated != nil && s.Stated.IsAbsorbed() {
		return mdp.TotalCost{}
	}
	return s.EngineCriterion()
}

// isAverage reports whether replications estimate a long-run average.
func (s *simulation) isAverage() bool {
	_, is := s.played().(mdp.LongRunAverage)
	return is
}

// hasHorizon reports whether replications end after some steps, or at a time.
func (s *simulation) hasHorizon() bool {
	switch s.played().(type) {
	case mdp.LongRunAverage, mdp.Discounted, mdp.FiniteHorizon:
		return true
	}
	return false
}

// readHorizon reads the length of a replication.
func readHorizon(a *ui.Arguments, s *simulation) {
	to, given := &s.settings, a.CLI.IsSet("horizon")
	played := s.played()
	_, hasSteps := played.(mdp.FiniteHorizon)
	a.OnlyWith("warm-up", "criterion average", s.isAverage())
	a.OnlyWith("horizon", "criterion average, discounted or finite", s.hasHorizon() && (s.Parsed == nil || !hasSteps))
	switch c := played.(type) {
	case mdp.LongRunAverage:
		readAverageHorizon(a, s, given)
	case mdp.FiniteHorizon:
		to.Horizon = float64(c.Steps)
	case mdp.Discounted:
		switch {
		case given && s.Rate != nil:
			to.Horizon = a.Positive("horizon")
		case given:
			to.Horizon = float64(a.WholeWithin("horizon", 0, mostGiven))
		case s.Rate != nil:
			to.Horizon = -math.Log(restShare) / *s.Rate
		default:
			if to.Horizon = math.Max(1, math.Ceil(math.Log(restShare)/math.Log(c.Discount))); to.Horizon > mostSteps {
				a.Fault("horizon", "missing: give a number of steps (%.3g steps leave out %g of the weights)", to.Horizon, restShare)
			}
		}
	}
}

// readAverageHorizon reads over which time an average is taken, and the warm-up before it.
func readAverageHorizon(a *ui.Arguments, s *simulation, given bool) {
	to := &s.settings
	to.Horizon = averageSteps
	switch {
	case s.isTimed && !given:
		a.Fault("horizon", "missing: give a time above 0 for the average in continuous time")
	case s.isTimed:
		to.Horizon = a.Positive("horizon")
	case given:
		to.Horizon = float64(a.WholeWithin("horizon", 1, mostGiven))
	}
	to.WarmUp = warmUpShare * to.Horizon
	if a.CLI.IsSet("warm-up") {
		to.WarmUp = readWarmUp(a, s)
	}
	if to.Replications == 1 {
		to.Batches = averageBatches
	}
	if !s.isTimed {
		to.WarmUp = math.Floor(to.WarmUp)
		to.Batches = int(min(float64(to.Batches), to.Horizon))
	}
}

// readWarmUp reads the length of the warm-up.
func readWarmUp(a *ui.Arguments, s *simulation) float64 {
	if !s.isTimed {
		return float64(a.WholeWithin("warm-up", 0, mostGiven))
	}
	const allowed = "a number from 0 up, finite with the horizon added to it"
	return a.Parse("warm-up", a.CLI.String("warm-up"), allowed, func(x float64) bool { return x >= 0 && x+s.settings.Horizon <= math.MaxFloat64 })
}

// observations says what the confidence interval is computed from.
func (s *simulation) observations() string {
	if s.found.ByBatch {
		return "batches"
	}
	return "replications"
}

func (s *simulation) record() ui.Record {
	mean, lower, upper := s.found.Estimate()
	q, played := &s.Question, s.played()
	_, isDiscounted := played.(mdp.Discounted)
	var members ui.Record // of the question, without those that have a place elsewhere and those that do not matter for a given policy
	for name, value := range q.Fields {
		isOther := slices.Contains([]string{"criterion", "sense", "reward", "property", "horizon", "exact_discount", "exact_rate"}, name)
		if !isOther && (q.Takes(name) || !slices.Contains(question.Members, name)) {
			members = append(members, ui.Field{Name: name, Value: value})
		}
	}
	return slices.Concat(ui.Record{
		{"mean", mean},
		{"lower", lower},
		{"upper", upper},
		{"confidence", s.settings.Confidence},
		{"intervals_from", s.observations()},
		{"status", ui.PlayedStatus(s.status)},
		{"criterion", s.Criterion},
		{"reward", q.Reward},
	},
		ui.When(q.Property != "", ui.Record{{"property", q.Property}}),
		members,
		ui.When(s.hasHorizon(), ui.Record{{"horizon", s.settings.Horizon}}),
		ui.When(isDiscounted, ui.Record{{"rest_lower", s.found.RestLower}, {"rest_upper", s.found.RestUpper}}),
		ui.When(s.isAverage(), ui.Record{{"warm_up", s.settings.WarmUp}}),
		ui.Record{
			{"replications", s.found.Replications},
			{"seed", int(s.settings.Seed)},
			{"steps", int(s.found.Steps)},
			{"initial", int(s.Model.Initial[0])},
			s.policyField(),
			{"elapsed_seconds", ui.OnlyJSON(s.elapsed.Seconds())},
		})
}

// printSimulated prints the results of a simulation.
func printSimulated(s *ui.Screen, m *simulation) {
	to, found := m.settings, m.found
	m.asked().printHead(s, m.asked().title()+", simulated")
	mean, lower, upper := found.Estimate()
	m.printPolicy(s)
	value := ui.EstimateText(mean, lower, upper)
	s.Item("value", "%s%s from state %s", s.Styled(ui.Bold, value), m.asked().unit(), m.Model.StateName(int(m.Model.Initial[0])))
	if math.IsNaN(lower) {
		s.Item("", "no confidence interval: use two replications or more")
	} else {
		s.Item("", "with %s confidence, from %d %s", ui.PercentText(to.Confidence), len(found.Observations), m.observations())
	}
	unit := "steps"
	if m.isTimed {
		unit = "units of time"
	}
	switch m.played().(type) {
	case mdp.LongRunAverage:
		s.Item("simulated", "%s of %s %s, each after a warm-up of %s", wording.Count(found.Replications, "replication"), ui.ShortText(to.Horizon, 8), unit, ui.ShortText(to.WarmUp, 8))
	case mdp.Discounted:
		s.Item("simulated", "%s of %s %s; the value of all that is later is %s", wording.Count(found.Replications, "replication"),
			ui.ShortText(to.Horizon, 8), unit, ui.Interval(found.RestLower, found.RestUpper))
	default:
		s.Item("simulated", "%s", wording.Count(found.Replications, "replication"))
	}
	s.Item("", "%s in all, seed %d", wording.Count(int(found.Steps), "step"), to.Seed)
	if m.status != mdp.Converged {
		s.Item("", "%s", s.Styled(ui.StatusStyle(m.status), "interrupted before all replications ended"))
	}
}
