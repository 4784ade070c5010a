// This file reads the parameters of the process, plain or a variant, from flags.

package robots

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/queue"
)

// variantFlags are the flags of the variants of the model.
func variantFlags() []cli.Flag {
	return ui.Group("Variants of the model",
		&cli.StringSliceFlag{Name: "class", Usage: "add N robots of rate λ, as `N@λ`; repeat for each class; replaces --robots and --lambda"},
		ui.ServiceFlag(phaseTypeLaws),
		ui.ValueFlag("holding-cost", "cost `H` per unit of time for each page in the queue", "0"),
		ui.ValueFlag("robot-cost", "cost `C` per unit of time for each active robot", "0"),
		ui.ValueFlag("activation-cost", "cost `A` each time an idle robot is activated", "0"),
	)
}

// phaseTypeLaws names the laws of --service for a policy.
const phaseTypeLaws = "exponential, erlang, hyperexponential, hypererlang, ph or sample, as in mdpsolve help static"

// variantWords stand for the flags of variants in messages.
const variantWords = "a variant of the model"

// isVariant reports whether a flag of the variants is set.
func isVariant(a *ui.Arguments) bool {
	return slices.ContainsFunc(variantFlags(), func(f cli.Flag) bool { return a.CLI.IsSet(f.Names()[0]) })
}

// readParameters reads all parameters except the weight of starvation and the varied flags,
// which p has already; variant adds the flags of variants. sufficient reports --robots auto;
// the number of robots is then 1.
func readParameters(a *ui.Arguments, p *robots.Parameters, variant bool, varied ...string) (sufficient bool) {
	varies := func(flag string) bool { return slices.Contains(varied, flag) }
	switch {
	case a.CLI.IsSet("class"):
		a.Refuse("not valid with --class: use one of the two", "robots", "lambda")
		p.Classes = readClasses(a)
	case !varies("robots"):
		p.Robots, sufficient = robotsOrAuto(a)
	}
	if !varies("buffer") {
		p.Buffer = a.Whole("buffer", 2)
	}
	if !varies("lambda") && p.Classes == nil {
		p.ArrivalRate = a.Positive("lambda")
	}
	if !varies("mu") {
		p.ServiceRate = a.Positive("mu")
	}
	if variant {
		p.Service = readPhaseType(a, p.ServiceRate)
		p.HoldingCost = readCost(a, "holding-cost")
		p.RobotCost = readCost(a, "robot-cost")
		p.ActivationCost = readCost(a, "activation-cost")
	}
	return sufficient
}

// robotsOrAuto reads a number of robots. For auto it returns 1, and that a sufficient number is to be
// found.
func robotsOrAuto(a *ui.Arguments) (robots int, sufficient bool) {
	const allowed = "a whole number of 1 or more, or auto"
	text := a.Text("robots", allowed)
	if text == ui.Automatic {
		return 1, true
	}
	return a.ParseWhole("robots", text, 1, allowed), false
}

func readClasses(a *ui.Arguments) []robots.Class {
	const allowed = "N@λ, with a whole number N of 1 or more and a number λ above 0"
	texts := a.CLI.StringSlice("class")
	if len(texts) > robots.MaxClasses {
		a.Fault("class", "%d classes are not valid: use at most %d", len(texts), robots.MaxClasses)
	}
	var classes []robots.Class
	for _, text := range texts {
		number, rate, found := strings.Cut(text, "@")
		if !found {
			a.Fault("class", "%q is not valid: use %s", text, allowed)
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

// mostPhases is the greatest number of phases of laws that are fitted to samples, unless a flag says
// otherwise. It is low because the process has states for each phase.
const mostPhases = 8

// readPhaseType reads a law of phase type with mean 1/μ; nil stands for exponential. One is fitted to
// a sample.
func readPhaseType(a *ui.Arguments, serviceRate float64) queue.Law {
	law := a.Service(serviceRate)
	if law == nil {
		return nil
	}
	if strings.HasPrefix(a.CLI.String("service"), "sample:") {
		fit, err := queue.FitPhaseType(law, mostPhases)
		a.Fail(err) // never: the law is a sample
		a.Warn("--service: %v stands for %v: probabilities are at most %s off", fit.Law, law, ui.ShortText(fit.Distance, 3))
		return fit.Law
	}
	if _, err := queue.PhaseTypeOf(law); errors.Is(err, queue.ErrNotPhaseType) {
		a.Fault("service", "%v is no phase-type law: use %s", law, phaseTypeLaws)
	} else if err != nil {
		a.Fault("service", "%v", err)
	}
	return law
}
