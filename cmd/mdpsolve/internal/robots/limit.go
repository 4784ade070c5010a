// This file holds robots solve with a limit on losses or on starvation.

package robots

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// limitFlags take the place of --gamma.
func limitFlags() []cli.Flag {
	return ui.Group("Limits, in place of --gamma",
		ui.ValueFlag("max-loss", "least starvation with at most `L` pages lost per unit of time, or L% of all pages", ""),
		ui.ValueFlag("max-starvation", "least losses with an empty queue at most a share `S` of the time, or S%", ""),
	)
}

// limit is a limit as it was given.
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
			a.Fault(flag, "not valid beside --%s: use one of the two", found.flag)
		}
		found = &limit{flag: flag, text: a.CLI.String(flag)}
	}
	if found == nil {
		return nil
	}
	refuseBesideLimit(a, "--"+found.flag)
	number, percent := strings.CutSuffix(found.text, "%")
	switch {
	case found.flag == "max-starvation" && percent:
		found.Limit = robots.MostStarvation(a.Parse(found.flag, number, "a number above 0%, at most 100%", func(x float64) bool { return x > 0 && x <= 100 }) / 100)
	case found.flag == "max-starvation":
		found.Limit = robots.MostStarvation(a.Parse(found.flag, number, "a number above 0, at most 1, or a percentage", func(x float64) bool { return x > 0 && x <= 1 }))
	case percent:
		found.Limit = robots.MostLossShare(a.Parse(found.flag, number, "a number above 0% and below 100%", func(x float64) bool { return x > 0 && x < 100 }) / 100)
	default:
		found.Limit = robots.MostLossRate(a.Parse(found.flag, number, "a number above 0, or a percentage", ui.IsPositive))
	}
	return found
}

// refuseBesideLimit reports flags that cannot be combined with a limit, which is given in
// those words.
func refuseBesideLimit(a *ui.Arguments, words string) {
	for _, other := range []string{"gamma", "holding-cost", "robot-cost", "activation-cost", "trace"} {
		if a.CLI.IsSet(other) {
			a.Fault(other, "not valid with %s: leave it out", words)
		}
	}
	if a.CLI.String("method") == ui.MethodPaper {
		a.Fault("method", "%s is not valid with %s: use %s", ui.MethodPaper, words, ui.Enumerate(variantMethods))
	}
}

// useNumber is what to write in place of --robots auto.
const useNumber = "use a whole number of 1 or more"

// within is the answer under a limit.
type within struct {
	answer
	limit   *limit
	solves  int
	isEarly bool // the search did not come to its end
}

// runWithin is robots solve with a limit.
func runWithin(a *ui.Arguments, limit *limit) error {
	variant := isVariant(a)
	p, sufficient := readParameters(a, variant)
	if sufficient {
		a.Fault("robots", "%s is not valid with --%s: %s", ui.Automatic, limit.flag, useNumber)
	}
	p.StarvationWeight = 1
	a.Fail(inputFault(p.Validate()))
	if variant {
		checkVariant(a, p)
	}
	method := a.Method()
	if name := a.CLI.String("policy-out"); isCSV(name) {
		a.Fault("policy-out", "%q is not valid with --%s, whose policy may leave a decision to chance: use a name that ends in .json", name, limit.flag)
	}
	plot, saved := figure.Read(a, figure.SwitchingPanels...), a.OutFile("policy-out", ".json")
	a.Fail(fitMemory(a.CLI.Context, method, p, false))
	progress := ui.ProgressOf(a.CLI.Context)
	progress.Phase("searching")
	method.Settings.Record = progress.Solving(true, 0)
	found, err := findWithin(a.CLI.Context, p, limit.Limit, method)
	if unattainable, ok := errors.AsType[*robots.UnattainableError](err); ok {
		a.Fault(limit.flag, "%s is not valid: use a number of at least %s, the starvation with all robots active", limit.text, ui.PlainText(unattainable.Least))
	}
	switch {
	case found == nil && ui.EndedEarly(err):
		return endWithoutAnswer(err)
	case found == nil:
		return refusal(method, p, err)
	}
	p.StarvationWeight = found.Weight
	w := within{limit: limit, solves: found.Solves, isEarly: err != nil, answer: answer{
		Solution: &robots.Solution{
			Parameters: p, Gain: found.Value, Lower: found.Lower, Upper: found.Upper, Status: found.Status,
			Method: found.Method, Iterations: found.Iterations, Policy: found.Policy, Measures: &found.Measures,
		},
		variant: variant, given: given(a, 0),
	}}
	if err := plot.Save(w.panels); err != nil {
		return err
	}
	if err := savePolicy(saved, found.Policy); err != nil {
		return err
	}
	if err := a.PrintRecord(withCost(w.record(a.CLI.Bool("distribution"))), w.print, costAlias, "curve_departure_by_phase", "curve_arrival_by_phase"); err != nil {
		return err
	}
	return ui.EndOfMeasure(w.minimisedWords(), found.Status, found.Lower, found.Upper)
}

// findWithin solves in the time that all solves together may take.
func findWithin(ctx context.Context, p robots.Parameters, limit robots.Limit, method ui.Method) (*robots.Constrained, error) {
	limited, stop := withTimeLimit(ctx, method.Settings.TimeLimit)
	defer stop()
	method.Settings.TimeLimit = 0
	found, err := robots.SolveWithin(limited, p, limit, method.Settings)
	if found != nil && found.Status == mdp.Interrupted && ctx.Err() == nil {
		found.Status = mdp.TimeLimit
	}
	return found, ui.Interruption(ctx, err)
}

// minimised is the name of the measure that is minimised.
func (w within) minimised() string {
	if w.limit.flag == "max-loss" {
		return "starvation"
	}
	return "loss_rate"
}

// minimisedWords is that name in a text.
func (w within) minimisedWords() string { return strings.ReplaceAll(w.minimised(), "_", " ") }

// absent are fields of a record that say nothing under a limit.
var absent = []string{"choice", "elapsed_seconds", "policy_cost", "static_robots", "static_robots_by_class", "static_cost", "saving"}

func (w within) record(distribution bool) ui.Record {
	var record ui.Record
	for _, field := range w.answer.record() {
		switch {
		case slices.Contains(absent, field.Name):
			continue
		case field.Name == "method" && w.Method == "": // nothing had to be solved
			field.Value = nil
		}
		record = append(record, field)
		if field.Name == "iterations" {
			record = append(record, ui.Field{Name: "solves", Value: w.solves})
		}
	}
	record = append(record, ui.Field{Name: "minimised", Value: w.minimised()},
		ui.Field{Name: strings.ReplaceAll(w.limit.flag, "-", "_"), Value: w.limit.text}, ui.Field{Name: "chance", Value: w.chance()})
	if distribution {
		record = append(record, ui.Field{Name: "distribution", Value: w.distribution()})
	}
	return record
}

// chance is the decision that is left to chance; nil for none.
func (w within) chance() any {
	c, ok := w.Policy.Chance()
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

// print prints the answer under a limit.
func (w within) print(s *ui.Screen) {
	s.Heading("Robots switched on and off, within a limit")
	words := "   at most " + w.limit.text
	switch {
	case w.limit.flag == "max-starvation":
		words += " of the time without a page"
	case strings.HasSuffix(w.limit.text, "%"):
		words += " of the pages lost"
	default:
		words += " pages lost per unit of time"
	}
	printClasses(s, w.Parameters, words)
	if w.variant {
		printService(s, w.Parameters)
	}
	s.Printf("\n")
	s.Item("least "+w.minimisedWords(), "%s", s.Styled(ui.Bold, ui.ValueText(w.Gain, w.Lower, w.Upper)))
	s.Item("", "%s", s.Styled(ui.StatusStyle(w.Status), ui.StatusWords(w.Status)))
	switch gamma := w.Parameters.StarvationWeight; {
	case math.IsNaN(gamma):
		s.Item("multiplier", "not found")
	case w.isEarly:
		s.Item("multiplier", "not found: γ = %s was tried last", ui.PlainText(gamma))
	case math.IsInf(gamma, 1):
		s.Item("multiplier", "γ = ∞: the limit leaves room with all robots active")
	case gamma == 0:
		s.Item("multiplier", "γ = 0: no page need be lost")
	default:
		s.Item("multiplier", "γ = %s makes this policy one of those that cost least", ui.PlainText(gamma))
	}
	w.printMeasures(s, w.brought())
	if c, ok := w.Policy.Chance(); ok {
		s.Item("chance", "%s", chanceWords(c))
	}
	s.Printf("\n")
	w.printDecisions(s)
}

// chanceWords says what is left to chance.
func chanceWords(c robots.Chance) string {
	active := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.State.Active)), " + "), "[]")
	state := fmt.Sprintf("with %s in the system and %s active", ui.Count(c.State.Queue, "page"), active)
	probability := ui.PercentText(c.Probability)
	switch {
	case c.Event == robots.Departure && c.Decisions.Activate == robots.NoClass:
		return fmt.Sprintf("%s, a page that leaves activates no robot in %s of the cases", state, probability)
	case c.Event == robots.Departure && len(c.State.Active) > 1:
		return fmt.Sprintf("%s, a page that leaves activates a robot of class %d in %s of the cases", state, c.Decisions.Activate+1, probability)
	case c.Event == robots.Departure:
		return fmt.Sprintf("%s, a page that leaves activates a robot in %s of the cases", state, probability)
	case c.Decisions.Reactivate == 0:
		return fmt.Sprintf("%s, a robot that delivers rests in %s of the cases", state, probability)
	}
	return fmt.Sprintf("%s, a robot that delivers is sent out again in %s of the cases", state, probability)
}
