package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/queue"
)

// fleetFlags are those of the variants of the model.
func fleetFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "class", Usage: "`N@λ`: N robots of rate λ each; repeated, in place of --robots and --lambda"},
		valueFlag("service", "`LAW` of the indexing time (see above)", exponential),
		valueFlag("holding-cost", "cost `H` per page in the system and unit of time", "0"),
		valueFlag("robot-cost", "cost `C` per active robot and unit of time", "0"),
		valueFlag("activation-cost", "cost `A` each time that a departure activates an idle robot", "0"),
	}
}

// exponential is the law of the plain model.
const exponential = "exponential"

// isFleet reports whether a flag of the variants is set.
func (a *arguments) isFleet() bool {
	return slices.ContainsFunc(fleetFlags(), func(f cli.Flag) bool { return a.context.IsSet(f.Names()[0]) })
}

// fleet reads all of a fleet but the weight of starvation. sufficient says that
// the number of robots, 1 then, is yet to be found.
func (a *arguments) fleet() (f robots.Fleet, sufficient bool) {
	if a.context.IsSet("class") {
		for _, other := range []string{"robots", "lambda"} {
			if a.context.IsSet(other) {
				a.fault(other, "found with --class, which takes its place; one of them is allowed")
			}
		}
		f.Classes = a.classes()
	} else {
		var class robots.Class
		class.Robots, sufficient = a.robotsOrAuto()
		class.ArrivalRate = a.positive("lambda")
		f.Classes = []robots.Class{class}
	}
	f.Buffer = a.whole("buffer", 2)
	f.ServiceRate = a.positive("mu")
	f.Service = a.phaseType(f.ServiceRate)
	f.HoldingCost = a.cost("holding-cost")
	f.RobotCost = a.cost("robot-cost")
	f.ActivationCost = a.cost("activation-cost")
	return f, sufficient
}

// checked notes what is wrong with a fleet that has been read.
func (a *arguments) checked(f robots.Fleet) robots.Fleet {
	if a.err == nil {
		if err := f.Validate(); err != nil {
			a.err = fleetFault(err, a.context.IsSet("class"))
		}
	}
	return f
}

func (a *arguments) classes() []robots.Class {
	const allowed = "N@λ, a whole number of 1 or more and a number above 0,"
	texts := a.context.StringSlice("class")
	if len(texts) > robots.MaxClasses {
		a.fault("class", "%d classes found; at most %d are allowed", len(texts), robots.MaxClasses)
	}
	var classes []robots.Class
	for _, text := range texts {
		number, rate, found := strings.Cut(text, "@")
		if !found {
			a.fault("class", "%q found; %s is allowed", text, allowed)
		}
		classes = append(classes, robots.Class{
			Robots:      a.parseWhole("class", number, 1, allowed),
			ArrivalRate: a.parse("class", rate, allowed, isPositive),
		})
	}
	return classes
}

// cost reads a cost that may be 0.
func (a *arguments) cost(name string) float64 {
	const allowed = "a number of 0 or more"
	return a.parse(name, a.text(name, allowed), allowed, func(x float64) bool { return x >= 0 })
}

// phaseType reads a law of phase type with mean 1/μ; nil stands for the
// exponential one.
func (a *arguments) phaseType(serviceRate float64) queue.Law {
	law := a.law(serviceRate)
	if law == nil {
		return nil
	}
	if _, err := queue.PhaseTypeOf(law); err != nil {
		a.fault("service", "%v", err)
	}
	return law
}

// law reads a law with mean 1/μ; nil stands for the exponential one.
func (a *arguments) law(serviceRate float64) queue.Law {
	text := a.context.String("service")
	if a.err != nil || text == exponential {
		return nil
	}
	law, err := queue.ParseLaw(text, 1/serviceRate, func(name string) (io.ReadCloser, error) { return os.Open(name) })
	if err != nil {
		a.fault("service", "%v", err)
	}
	return law
}

// fleetFault turns what is said of a fleet into what is said of flags. byClass
// says that --class stands for --robots and --lambda.
func fleetFault(err error, byClass bool) error {
	fault, ok := errors.AsType[*robots.ParameterError](err)
	if !ok || !strings.HasPrefix(fault.Field, "Classes") {
		return inputFault(err)
	}
	flag := "lambda"
	switch {
	case byClass:
		flag = "class"
	case strings.HasSuffix(fault.Field, ".Robots"):
		flag = "robots"
	}
	return usageErrorf("--%s: %s", flag, wording.Invalid(fault.Value, fault.Allowed))
}

// solveFleet returns the best solution found, also where the solve ended early.
func (m method) solveFleet(ctx context.Context, f robots.Fleet) (*robots.FleetSolution, error) {
	solution, err := robots.SolveFleet(ctx, f, m.settings)
	if solution != nil {
		return solution, nil
	}
	return nil, m.fleetTooLarge(f, err)
}

// fleetTooLarge words the refusal of a fleet by its size; other errors are
// returned as they are.
func (m method) fleetTooLarge(f robots.Fleet, err error) error {
	if _, ok := errors.AsType[*robots.SizeError](err); ok {
		flag := "robots"
		if len(f.Classes) > 1 {
			flag = "class"
		}
		return usageErrorf("--%s: %s found with --buffer %d; smaller numbers are allowed (%v)", flag, classWords(f), f.Buffer, err)
	}
	if errors.Is(err, mdp.ErrTooLarge) && m.name == methodPolicy {
		return usageErrorf("--method: %s found; rvi is allowed for a model of this size (%v)", m.name, err)
	}
	return err
}

// classWords returns the numbers of robots of the classes.
func classWords(f robots.Fleet) string {
	words := make([]string, len(f.Classes))
	for i, class := range f.Classes {
		words[i] = fmt.Sprint(class.Robots)
	}
	return strings.Join(words, " + ")
}

// solveSufficientFleet is solveSufficient for a fleet of one class.
func (m method) solveSufficientFleet(ctx context.Context, f robots.Fleet) (*robots.FleetSolution, error) {
	enough, m, err := m.sufficient(ctx, plain(f), func(ctx context.Context, settings mdp.Settings) (int, error) {
		return robots.LeastSufficientFleet(ctx, f, settings)
	})
	if err != nil {
		return nil, err
	}
	f.Classes = []robots.Class{{Robots: enough, ArrivalRate: f.Classes[0].ArrivalRate}}
	return m.solveFleet(ctx, f)
}

// plain returns the parameters that a fleet of one class has in common with the
// plain model.
func plain(f robots.Fleet) robots.Parameters {
	return robots.Parameters{
		Robots: f.Classes[0].Robots, Buffer: f.Buffer,
		ArrivalRate: f.Classes[0].ArrivalRate, ServiceRate: f.ServiceRate, StarvationWeight: f.StarvationWeight,
	}
}

// serviceWords names the law of a fleet.
func serviceWords(law queue.Law) string {
	if law == nil {
		return exponential
	}
	return law.String()
}
