// This file holds robots solve for rates that are only known to lie in ranges.

package robots

import (
	"context"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/grid"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/interval"
)

// rateFlags are the flags that take ranges.
var rateFlags = []string{"lambda", "mu"}

// isRange reports whether the value of a flag is a range.
func isRange(a *ui.Arguments, name string) bool { return strings.Contains(a.CLI.String(name), ":") }

// readRates reads the ranges of the rates; nil if both are numbers.
func readRates(a *ui.Arguments) *interval.Rates {
	at := slices.IndexFunc(rateFlags, func(name string) bool { return isRange(a, name) })
	if at < 0 {
		return nil
	}
	for _, other := range []string{"class", "service", "max-loss", "max-starvation", "trace"} {
		if a.CLI.IsSet(other) {
			a.Fault(other, "not valid with a range for --%s: leave it out", rateFlags[at])
		}
	}
	if a.CLI.String("method") == ui.MethodPaper {
		a.Fault("method", "%s is not valid with a range for --%s: use %s", ui.MethodPaper, rateFlags[at], ui.Enumerate(variantMethods))
	}
	if a.CLI.String("robots") == ui.Automatic {
		a.Fault("robots", "%s is not valid with a range for --%s: %s", ui.Automatic, rateFlags[at], useNumber)
	}
	return &interval.Rates{Arrival: readRange(a, "lambda"), Service: readRange(a, "mu")}
}

// readRange reads a range, or a number that is both its ends.
func readRange(a *ui.Arguments, name string) interval.Range {
	const allowed = ui.AboveZero + ", or a range of two, LOW:HIGH"
	text := a.Text(name, allowed)
	low, high, found := strings.Cut(text, ":")
	if !found {
		high = low
	}
	if strings.Contains(high, ":") {
		a.Fault(name, "%s is not valid: use %s", text, allowed)
	}
	r := interval.Range{Low: a.Parse(name, low, allowed, ui.IsPositive), High: a.Parse(name, high, allowed, ui.IsPositive)}
	if r.Low > r.High {
		a.Fault(name, "%s is not valid: use %s:%s, the lower end first", text, high, low)
	}
	return r
}

// ranged is the answer for ranges.
type ranged struct {
	answer
	found *interval.Solution
	costs *interval.Comparison // nil if there was no time for it
}

// runRanges is robots solve for ranges.
func runRanges(a *ui.Arguments, rates interval.Rates) error {
	p := robots.Parameters{
		Buffer: a.Whole("buffer", 2), ArrivalRate: rates.Arrival.Middle(), ServiceRate: rates.Service.Middle(),
		HoldingCost: readCost(a, "holding-cost"), RobotCost: readCost(a, "robot-cost"), ActivationCost: readCost(a, "activation-cost"),
	}
	p.Robots, _ = robotsOrAuto(a)
	p.StarvationWeight = a.Positive("gamma")
	a.Fail(inputFault(p.Validate()))
	variant := isVariant(a)
	if variant {
		checkVariant(a, p)
	}
	method := a.Method()
	plot, saved := figure.Read(a, figure.SwitchingPanels...), a.OutFile("policy-out", ".json", ".csv")
	a.Fail(fitMemory(a.CLI.Context, method, p, false))
	found, costs, err := findRanged(a.CLI.Context, p, rates, method)
	switch {
	case found == nil && ui.EndedEarly(err):
		return endWithoutAnswer(err)
	case found == nil:
		return refusal(method, p, err)
	}
	r := ranged{found: found, costs: costs, answer: answer{
		Solution: &robots.Solution{
			Parameters: p, Gain: found.Gain, Lower: found.Lower, Upper: found.Upper, Status: found.Status,
			Method: found.Method, Reason: found.Reason, Iterations: found.Iterations, Elapsed: found.Elapsed,
			Policy: found.Policy, Measures: found.Measures,
		},
		variant: variant, given: given(a, 0),
	}}
	if err := plot.Save(r.panels); err != nil {
		return err
	}
	if err := savePolicy(saved, found.Policy); err != nil {
		return err
	}
	err = a.PrintRecord(withCost(r.record(a.CLI.Bool("distribution"))), r.print,
		costAlias, "elapsed_seconds", "curve_departure_by_phase", "curve_arrival_by_phase", "worst_lambda", "worst_mu")
	switch {
	case err != nil:
		return err
	case costs == nil && found.Status == mdp.Converged && a.CLI.Err() != nil:
		return ui.EndEarly(ui.ExitInterrupted, "interrupted before the middle of the ranges was looked at")
	case costs == nil && found.Status == mdp.Converged:
		return ui.EndEarly(ui.ExitLimit, "stopped at a limit before the middle of the ranges was looked at")
	}
	return ui.EndOf(found.Status, found.Lower, found.Upper)
}

// findRanged solves, and compares if there is time left. What is slow to end is left to
// itself.
func findRanged(ctx context.Context, p robots.Parameters, rates interval.Rates, method ui.Method) (*interval.Solution, *interval.Comparison, error) {
	limited, stop := withTimeLimit(ctx, method.Settings.TimeLimit)
	defer stop()
	progress := ui.ProgressOf(ctx)
	progress.Phase("searching")
	settings := method.Settings
	settings.Record = progress.Solving(true, 0)
	found, err := ui.Soon(limited, 2*ui.Patience, func() (*interval.Solution, error) {
		return interval.Solve(ctx, p, rates, settings)
	})
	if found == nil || limited.Err() != nil {
		return found, nil, ui.Interruption(ctx, err)
	}
	progress.Phase("comparing")
	settings.TimeLimit = 0
	costs, err := ui.Soon(limited, 0, func() (*interval.Comparison, error) { return found.Compare(limited, settings) })
	return found, costs, ui.Interruption(ctx, err)
}

// panels draws the switching curves and the time spent in the states at the worst rates.
func (r ranged) panels() []figure.Panel {
	var shares [][]float64
	if r.Measures != nil {
		shares = r.Measures.Distribution
	}
	return figure.Switching(r.Policy, shares, r.given+"; worst case "+ui.ShortText(r.Gain, 6))
}

// rangedAbsent are fields of a record that say nothing for ranges.
var rangedAbsent = []string{"policy_cost", "static_robots", "static_robots_by_class", "static_cost", "saving", "robots_by_class", "lambda_by_class"}

func (r ranged) record(distribution bool) ui.Record {
	var record ui.Record
	for _, field := range r.answer.record() {
		if slices.Contains(rangedAbsent, field.Name) {
			continue
		}
		record = append(record, field)
		switch field.Name {
		case "iterations":
			record = append(record, ui.Field{Name: "rounds", Value: r.found.Rounds})
		case "lambda":
			record = append(record, ui.Field{Name: "lambda_low", Value: r.found.Rates.Arrival.Low}, ui.Field{Name: "lambda_high", Value: r.found.Rates.Arrival.High})
		case "mu":
			record = append(record, ui.Field{Name: "mu_low", Value: r.found.Rates.Service.Low}, ui.Field{Name: "mu_high", Value: r.found.Rates.Service.High})
		}
	}
	middle := ui.Record{
		{"middle_cost", nil},
		{"middle_optimum", nil},
		{"middle_optimum_lower", nil},
		{"middle_optimum_upper", nil},
		{"middle_policy_worst", nil},
		{"middle_policy_worst_lower", nil},
		{"middle_policy_worst_upper", nil},
	}
	if c := r.costs; c != nil {
		for i, value := range []float64{c.Cost, c.Optimum.Gain, c.Optimum.Lower, c.Optimum.Upper, c.Worst.Gain, c.Worst.Lower, c.Worst.Upper} {
			middle[i].Value = value
		}
	}
	lambda, mu := r.worst()
	record = append(append(record, middle...), ui.Field{Name: "worst_lambda", Value: lambda}, ui.Field{Name: "worst_mu", Value: mu})
	if distribution {
		record = append(record, ui.Field{Name: "distribution", Value: r.distribution()})
	}
	return record
}

// worst returns the rates of the worst case by numbers of robots and of pages; nil where
// they are of no effect.
func (r ranged) worst() (lambda, mu [][]any) {
	for active := range r.Parameters.Robots + 1 {
		arrivals, services := make([]any, r.Parameters.Buffer+1), make([]any, r.Parameters.Buffer+1)
		for queue := range arrivals {
			if queue+active == 0 {
				continue
			}
			arrival, service := r.found.Adversary.Rates(queue, active)
			if active > 0 {
				arrivals[queue] = arrival
			}
			if queue > 0 {
				services[queue] = service
			}
		}
		lambda, mu = append(lambda, arrivals), append(mu, services)
	}
	return lambda, mu
}

// brought returns the pages that are brought per unit of time at the rates of the worst
// case.
func (r ranged) brought() float64 {
	brought := 0.0
	if r.Measures != nil {
		for active, row := range r.Measures.Distribution {
			for queue, share := range row {
				if share > 0 {
					arrival, _ := r.found.Adversary.Rates(queue, active)
					brought += share * arrival * float64(active)
				}
			}
		}
	}
	return brought
}

// print prints the answer for ranges.
func (r ranged) print(s *ui.Screen) {
	p, rates := r.Parameters, r.found.Rates
	s.Heading("Robots switched on and off, at the worst rates in a range")
	s.Printf("  N = %s   K = %d places   λ = %s per robot   μ = %s   γ = %s\n", ui.Count(p.Robots, "robot"), p.Buffer,
		rangeText(rates.Arrival), rangeText(rates.Service), ui.PlainText(p.StarvationWeight))
	if r.variant {
		printService(s, p)
	}
	s.Printf("\n")
	s.Item("worst case", "%s per unit of time", s.Styled(ui.Bold, ui.ValueText(r.Gain, r.Lower, r.Upper)))
	s.Item("", "%s", s.Styled(ui.StatusStyle(r.Status), ui.StatusWords(r.Status)))
	s.Item("method", "%s, in %s", methodWords(r.Method, r.Iterations), ui.Count(r.found.Rounds, "round"))
	if r.Reason != "" {
		s.Item("", "chosen since %s", r.Reason)
	}
	r.printMeasures(s, r.brought())
	s.Printf("\n")
	if c := r.costs; c == nil {
		s.Item("middle", "not computed: there was no time")
	} else {
		s.Item("middle", "at the middle of the ranges this policy costs %s, %s the least, %s", ui.PlainText(c.Cost),
			above(c.Cost, c.Optimum.Gain), ui.PlainText(c.Optimum.Gain))
		s.Item("", "the policy that is best there costs up to %s, %s this one", ui.PlainText(c.Worst.Gain), above(c.Worst.Gain, r.Gain))
		s.Item("price", "the worst case costs %s times as much as the least at the middle", ui.ShortText(r.Gain/c.Optimum.Gain, 4))
	}
	s.Printf("\n")
	r.printDecisions(s)
	r.printWorst(s)
}

// above says how far a cost is above another.
func above(cost, least float64) string {
	if cost < 2*least {
		return ui.PercentText(max(0, cost/least-1)) + " above"
	}
	return ui.ShortText(cost/least, 4) + " times"
}

// printWorst draws the rates of the worst case.
func (r ranged) printWorst(s *ui.Screen) {
	rates := r.found.Rates
	s.Printf("\n")
	drawing := grid.New(r.Policy, s.Width-grid.Margin)
	if rates.Arrival.Low < rates.Arrival.High {
		printDrawing(s, "The worst rates: is λ at its upper end?", drawing.Where(func(queue, active int) (yes, matters bool) {
			if active == 0 {
				return false, false
			}
			arrival, _ := r.found.Adversary.Rates(queue, active)
			return arrival == rates.Arrival.High, true
		}))
	}
	if rates.Service.Low < rates.Service.High {
		printDrawing(s, "The worst rates: is μ at its upper end?", drawing.Where(func(queue, active int) (yes, matters bool) {
			if queue == 0 {
				return false, false
			}
			_, service := r.found.Adversary.Rates(queue, active)
			return service == rates.Service.High, true
		}))
	}
}

func rangeText(r interval.Range) string {
	if r.Low == r.High {
		return ui.PlainText(r.Low)
	}
	return ui.PlainText(r.Low) + " … " + ui.PlainText(r.High)
}
