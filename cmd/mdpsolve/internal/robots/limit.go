// This file holds robots solve with a limit on losses or on starvation.

package robots

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// limitFlags take the place of --gamma.
func limitFlags() []cli.Flag {
	return ui.Group("Limits, in place of --gamma",
		ui.ValueFlag("max-loss", "minimise starvation, and lose at most `L` pages per unit of time, or L% of the pages", ""),
		ui.ValueFlag("max-starvation", "minimise losses, with an empty queue at most a share `S` of the time, or S%", ""),
	)
}

// limit is a limit, with its flag and its text.
type limit struct {
	robots.Limit
	flag, text string
}

// readLimit reads the limit; nil if there is none.
func readLimit(a *ui.Arguments) *limit {
	var found *limit
	for _, flag := range []string{"max-loss", "max-starvation"} {
		if !a.CLI.IsSet(flag) {
			continue
		}
		if found != nil {
			a.Fault(flag, "not valid with --%s: use one of the two", found.flag)
		}
		found = &limit{flag: flag, text: a.CLI.String(flag)}
	}
	if found == nil {
		return nil
	}
	refuseBeside(a, "--"+found.flag, besideLimit...)
	number, percent := strings.CutSuffix(found.text, "%")
	switch {
	case found.flag == "max-starvation" && percent:
		found.Limit = robots.Limit{Starvation: a.Parse(found.flag, number, "a number above 0%, at most 100%", func(x float64) bool { return x > 0 && x <= 100 }) / 100}
	case found.flag == "max-starvation":
		found.Limit = robots.Limit{Starvation: a.Parse(found.flag, number, "a number above 0, at most 1, or a percentage", func(x float64) bool { return x > 0 && x <= 1 })}
	case percent:
		found.Limit = robots.Limit{LossShare: a.Parse(found.flag, number, "a number above 0% and below 100%", func(x float64) bool { return x > 0 && x < 100 }) / 100}
	default:
		found.Limit = robots.Limit{LossRate: a.Parse(found.flag, number, "a number above 0, or a percentage", ui.IsPositive)}
	}
	return found
}

// refuseBeside refuses the flags given, and the method of the paper, which cannot be combined with
// what words names.
func refuseBeside(a *ui.Arguments, words string, flags ...string) {
	a.Refuse("not valid with "+words+": leave it out", flags...)
	if a.CLI.String("method") == ui.MethodPaper {
		a.Fault("method", "%s is not valid with %s: use %s", ui.MethodPaper, words, wording.Alternatives(variantMethods))
	}
}

// besideLimit are the flags that cannot be combined with a limit.
var besideLimit = []string{"gamma", "holding-cost", "robot-cost", "activation-cost", "bounds-out"}

// useNumber says what to use instead of --robots auto.
const useNumber = "use a whole number of 1 or more"

// findWithin finds the answer under a limit.
func (f *answer) findWithin(ctx context.Context) error {
	if err := fitMemory(ctx, f.method, f.parameters, false); err != nil {
		return err
	}
	found, err := search(ctx, f.method, func(ctx context.Context, settings mdp.Settings) (*robots.Constrained, error) {
		return robots.SolveWithin(ctx, f.parameters, f.limit.Limit, settings)
	})
	if fault, ok := errors.AsType[*robots.ParameterError](err); ok && fault.Field == "Starvation" {
		return ui.UsageErrorf("--%s: %s is not valid: use %s", f.limit.flag, f.limit.text, fault.Allowed)
	}
	if found == nil {
		return err
	}
	if found.Status == mdp.Interrupted && ctx.Err() == nil {
		found.Status = mdp.TimeLimit
	}
	f.within, f.isEarly = found, err != nil
	f.Solution = &robots.Solution{
		Parameters: f.parameters, Gain: found.Value, Lower: found.Lower, Upper: found.Upper, Status: found.Status,
		Method: found.Method, Iterations: found.Iterations, Policy: found.Policy, Measures: &found.Measures,
	}
	f.Parameters.StarvationWeight = found.Weight
	return nil
}

// minimised is the key of the measure that is minimised.
func (l *limit) minimised() string {
	if l.Starvation == 0 {
		return "starvation"
	}
	return "loss_rate"
}

// minimisedWords is that measure in text.
func (l *limit) minimisedWords() string { return strings.ReplaceAll(l.minimised(), "_", " ") }

// limitRecord describes the limit, if there is one.
func (f *answer) limitRecord() ui.Record {
	if f.limit == nil {
		return nil
	}
	r := ui.Record{{"minimised", f.limit.minimised()}, {strings.ReplaceAll(f.limit.flag, "-", "_"), f.limit.text}, {"", ui.Shown("limit", f.limit.words())}, {"chance", f.chance()}}
	if c, ok := f.Policy.Chance(); ok {
		r = append(r, ui.Field{Value: ui.Shown("left to chance", f.place(c)+": "+f.outcome(c))}, ui.Field{Value: ui.Shown("with probability", c.Probability, ui.PercentText)})
	}
	if f.within.Other != nil {
		r = append(r, ui.Field{Name: "other_probability", Value: f.within.OtherShare}) // of the second policy of a mixture
	}
	return r
}

// chance is the randomised decision; nil if there is none.
func (f *answer) chance() any {
	c, ok := f.Policy.Chance()
	if !ok {
		return nil
	}
	record := ui.Record{{"queue", c.State.Queue}, {"phase", c.State.Phase}, {"active", c.State.Active}, {"event", c.Event.String()}}
	if c.Event == robots.Departure {
		record = append(record, ui.Field{Name: "activate", Value: c.Decisions.Activate - robots.NoClass})
	} else {
		record = append(record, ui.Field{Name: "reactivate", Value: int(c.Decisions.Reactivate)})
	}
	return append(record, ui.Field{Name: "probability", Value: c.Probability})
}

// printWithin prints the multiplier of a limit.
func (f *answer) printWithin(s *ui.Screen) {
	switch gamma := f.Parameters.StarvationWeight; {
	case math.IsNaN(gamma):
		s.Item("multiplier", "not found")
	case f.isEarly:
		s.Item("multiplier", "not found; the last γ tried was %s", ui.PlainText(gamma))
	case math.IsInf(gamma, 1):
		s.Item("multiplier", "γ = ∞: even with all robots active the limit is met")
	case gamma == 0:
		s.Item("multiplier", "γ = 0: no page has to be lost")
	default:
		s.Item("multiplier", "γ = %s: the price at which this policy is optimal without a limit", ui.PlainText(gamma))
	}
}

// words describes the limit.
func (l *limit) words() string {
	switch {
	case l.flag == "max-starvation":
		return "queue empty at most " + l.text + " of the time"
	case strings.HasSuffix(l.text, "%"):
		return "at most " + l.text + " of the pages lost"
	}
	return "at most " + l.text + " pages lost per unit of time"
}

// chanceWords describes the randomised decision.
func (f *answer) chanceWords(c robots.Chance) string {
	return fmt.Sprintf("with %s, %s with probability %s", f.place(c), f.outcome(c), ui.PercentText(c.Probability))
}

// place is the state of the randomised decision. Phases count from 1, as in pictures.
func (f *answer) place(c robots.Chance) string {
	active := wording.Count(c.State.Active[0], "active robot")
	if len(c.State.Active) > 1 {
		active = strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.State.Active)), " + "), "[]") + " active robots"
	}
	state := fmt.Sprintf("%s in the queue and %s", wording.Count(c.State.Queue, "page"), active)
	if f.Policy.Phases() > 1 {
		state += fmt.Sprintf(" in phase %d of indexing", c.State.Phase+1)
	}
	return state
}

// outcome is the decision that has the probability.
func (f *answer) outcome(c robots.Chance) string {
	switch {
	case c.Event == robots.Departure && c.Decisions.Activate == robots.NoClass:
		return "a page that leaves activates no robot"
	case c.Event == robots.Departure && len(c.State.Active) > 1:
		return fmt.Sprintf("a page that leaves activates a robot of class %d", c.Decisions.Activate+1)
	case c.Event == robots.Departure:
		return "a page that leaves activates a robot"
	case c.Decisions.Reactivate == 0:
		return "a robot that delivers rests"
	}
	return "a robot that delivers is sent out again"
}
