package robots

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/queue"
)

// fleetFlags are those of the variants of the model.
func fleetFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "class", Usage: "`N@λ`: N robots of rate λ each; repeated, in place of --robots and --lambda"},
		ui.ValueFlag("service", "`LAW` of the indexing time (see above)", exponential),
		ui.ValueFlag("holding-cost", "cost `H` per page in the system and unit of time", "0"),
		ui.ValueFlag("robot-cost", "cost `C` per active robot and unit of time", "0"),
		ui.ValueFlag("activation-cost", "cost `A` each time that a departure activates an idle robot", "0"),
	}
}

// exponential is the law of the plain model.
const exponential = "exponential"

// isFleet reports whether a flag of the variants is set.
func isFleet(a *ui.Arguments) bool {
	return slices.ContainsFunc(fleetFlags(), func(f cli.Flag) bool { return a.CLI.IsSet(f.Names()[0]) })
}

// readFleet reads all of a fleet but the weight of starvation. sufficient says that
// the number of robots, 1 then, is yet to be found.
func readFleet(a *ui.Arguments) (f robots.Fleet, sufficient bool) {
	if a.CLI.IsSet("class") {
		for _, other := range []string{"robots", "lambda"} {
			if a.CLI.IsSet(other) {
				a.Fault(other, "found with --class, which takes its place; one of them is allowed")
			}
		}
		f.Classes = readClasses(a)
	} else {
		var class robots.Class
		class.Robots, sufficient = robotsOrAuto(a)
		class.ArrivalRate = a.Positive("lambda")
		f.Classes = []robots.Class{class}
	}
	f.Buffer = a.Whole("buffer", 2)
	f.ServiceRate = a.Positive("mu")
	f.Service = readPhaseType(a, f.ServiceRate)
	f.HoldingCost = readCost(a, "holding-cost")
	f.RobotCost = readCost(a, "robot-cost")
	f.ActivationCost = readCost(a, "activation-cost")
	return f, sufficient
}

// validated refuses a fleet that has been read with something wrong in it.
func validated(a *ui.Arguments, f robots.Fleet) robots.Fleet {
	a.Fail(fleetFault(f.Validate(), a.CLI.IsSet("class")))
	return f
}

func readClasses(a *ui.Arguments) []robots.Class {
	const allowed = "N@λ, a whole number of 1 or more and a number above 0,"
	texts := a.CLI.StringSlice("class")
	if len(texts) > robots.MaxClasses {
		a.Fault("class", "%d classes found; at most %d are allowed", len(texts), robots.MaxClasses)
	}
	var classes []robots.Class
	for _, text := range texts {
		number, rate, found := strings.Cut(text, "@")
		if !found {
			a.Fault("class", "%q found; %s is allowed", text, allowed)
		}
		classes = append(classes, robots.Class{
			Robots:      a.ParseWhole("class", number, 1, allowed),
			ArrivalRate: a.Parse("class", rate, allowed, ui.IsPositive),
		})
	}
	return classes
}

// readCost reads a cost that may be 0.
func readCost(a *ui.Arguments, name string) float64 {
	const allowed = "a number of 0 or more"
	return a.Parse(name, a.Text(name, allowed), allowed, func(x float64) bool { return x >= 0 })
}

// readPhaseType reads a law of phase type with mean 1/μ; nil stands for the
// exponential one.
func readPhaseType(a *ui.Arguments, serviceRate float64) queue.Law {
	law := readLaw(a, serviceRate)
	if law == nil {
		return nil
	}
	if _, err := queue.PhaseTypeOf(law); err != nil {
		a.Fault("service", "%v", err)
	}
	return law
}

// readLaw reads a law with mean 1/μ; nil stands for the exponential one.
func readLaw(a *ui.Arguments, serviceRate float64) queue.Law {
	text := a.CLI.String("service")
	if text == exponential {
		return nil
	}
	law, err := queue.ParseLaw(text, 1/serviceRate, func(name string) (io.ReadCloser, error) { return os.Open(name) })
	if err != nil {
		a.Fault("service", "%v", err)
	}
	return law
}

// fleetFault turns what is said of a fleet into what is said of flags. byClass
// says that --class stands for --robots and --lambda.
func fleetFault(err error, byClass bool) error {
	fault, ok := errors.AsType[*robots.ParameterError](err)
	if !ok || !strings.HasPrefix(fault.Field, "Classes") {
		return ui.InputFault(err)
	}
	flag := "lambda"
	switch {
	case byClass:
		flag = "class"
	case strings.HasSuffix(fault.Field, ".Robots"):
		flag = "robots"
	}
	return ui.UsageErrorf("--%s: %s", flag, wording.Invalid(fault.Value, fault.Allowed))
}

// solveFleet returns the best solution found, also where the solve ended early.
func solveFleet(ctx context.Context, m ui.Method, f robots.Fleet) (*robots.FleetSolution, error) {
	solution, err := robots.SolveFleet(ctx, f, m.Settings)
	if solution != nil {
		return solution, nil
	}
	return nil, fleetTooLarge(m, f, err)
}

// fleetTooLarge words the refusal of a fleet by its size; other errors are
// returned as they are.
func fleetTooLarge(m ui.Method, f robots.Fleet, err error) error {
	if _, ok := errors.AsType[*robots.SizeError](err); ok {
		flag := "robots"
		if len(f.Classes) > 1 {
			flag = "class"
		}
		return ui.UsageErrorf("--%s: %s found with --buffer %d; smaller numbers are allowed (%v)", flag, classWords(f), f.Buffer, err)
	}
	if errors.Is(err, mdp.ErrTooLarge) && m.Name == ui.MethodPolicy {
		return ui.UsageErrorf("--method: %s found; rvi is allowed for a model of this size (%v)", m.Name, err)
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
func solveSufficientFleet(ctx context.Context, m ui.Method, f robots.Fleet) (*robots.FleetSolution, error) {
	enough, m, err := sufficientRobots(ctx, m, plain(f), func(ctx context.Context, settings mdp.Settings) (int, error) {
		return robots.LeastSufficientFleet(ctx, f, settings)
	})
	if err != nil {
		return nil, err
	}
	f.Classes = []robots.Class{{Robots: enough, ArrivalRate: f.Classes[0].ArrivalRate}}
	return solveFleet(ctx, m, f)
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
