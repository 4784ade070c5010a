// This file holds robots solve for rates in ranges.

package robots

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/grid"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/soon"
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
	words := "a range for --" + rateFlags[at]
	refuseBeside(a, words, "class", "service", "max-loss", "max-starvation", "starvation-free", "bounds-out")
	if a.CLI.String("robots") == ui.Automatic {
		a.Fault("robots", "%s is not valid with %s: %s", ui.Automatic, words, useNumber)
	}
	return &interval.Rates{Arrival: readRange(a, "lambda"), Service: readRange(a, "mu")}
}

// readRange reads a range; a number is both ends.
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

// findWorst finds the answer for ranges.
func (f *answer) findWorst(ctx context.Context) error {
	if err := fitMemory(ctx, f.method, f.parameters, false); err != nil {
		return err
	}
	found, middle, err := findRanged(ctx, f.parameters, *f.rates, f.method)
	if found == nil {
		return err
	}
	f.worst, f.middle = found, middle
	f.Solution = &robots.Solution{
		Parameters: f.parameters, Gain: found.Gain, Lower: found.Lower, Upper: found.Upper, Status: found.Status,
		Method: found.Method, Reason: found.Reason, Iterations: found.Iterations, Elapsed: found.Elapsed,
		Policy: found.Policy, Measures: found.Measures,
	}
	return nil
}

// findRanged solves, and compares if time is left. It does not wait for a solve that is
// slow to end.
func findRanged(ctx context.Context, p robots.Parameters, rates interval.Rates, method ui.Method) (*interval.Solution, *interval.Comparison, error) {
	limited, stop := soon.Within(ctx, method.Settings.TimeLimit)
	defer stop()
	progress := ui.ProgressOf(ctx)
	progress.Phase("searching")
	settings := method.Settings
	settings.Record = progress.Solving(true, 0)
	found, err := soon.Do(limited, 2*ui.Patience, func() (*interval.Solution, error) {
		return interval.Solve(ctx, p, rates, settings)
	})
	if found == nil || limited.Err() != nil {
		return found, nil, ui.Interruption(ctx, err)
	}
	progress.Phase("comparing")
	settings.TimeLimit = 0
	costs, err := soon.Do(limited, 0, func() (*interval.Comparison, error) { return found.Compare(limited, settings) })
	return found, costs, ui.Interruption(ctx, err)
}

// rangesRecord compares with the middle of the ranges, if there are ranges.
func (f *answer) rangesRecord() ui.Record {
	if f.rates == nil {
		return nil
	}
	unknown := math.NaN()
	cost, optimum, worst := unknown, &robots.Solution{Gain: unknown, Lower: unknown, Upper: unknown}, &interval.Solution{Gain: unknown, Lower: unknown, Upper: unknown}
	if c := f.middle; c != nil {
		cost, optimum, worst = c.Cost, c.Optimum, c.Worst
	}
	lambda, mu := f.worstRates()
	return ui.Record{
		{"middle_cost", cost},
		{"middle_optimum", optimum.Gain},
		{"middle_optimum_lower", optimum.Lower},
		{"middle_optimum_upper", optimum.Upper},
		{"middle_policy_worst", worst.Gain},
		{"middle_policy_worst_lower", worst.Lower},
		{"middle_policy_worst_upper", worst.Upper},
		{"worst_lambda", ui.OnlyJSON(lambda)},
		{"worst_mu", ui.OnlyJSON(mu)},
	}
}

// worstRates returns the rates of the worst case by numbers of robots and of pages; nil where
// they have no effect.
func (f *answer) worstRates() (lambda, mu [][]any) {
	for active := range f.Parameters.Robots + 1 {
		arrivals, services := make([]any, f.Parameters.Buffer+1), make([]any, f.Parameters.Buffer+1)
		for queue := range arrivals {
			if queue+active == 0 {
				continue
			}
			arrival, service := f.worst.Nature.Rates(queue, active)
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

// broughtAtWorst returns the pages that robots bring per unit of time in the worst case.
func (f *answer) broughtAtWorst() float64 {
	brought := 0.0
	if f.Measures != nil {
		for active, row := range f.Measures.Distribution {
			for queue, share := range row {
				if share > 0 {
					arrival, _ := f.worst.Nature.Rates(queue, active)
					brought += share * arrival * float64(active)
				}
			}
		}
	}
	return brought
}

// printMiddle compares the worst case with the middle of the ranges.
func (f *answer) printMiddle(s *ui.Screen) {
	c := f.middle
	if c == nil {
		s.Item("middle", "not computed: no time was left")
		return
	}
	s.Item("middle", "with the rates at the middle of the ranges, this policy costs %s: %s the optimum, %s", s.Plain(c.Cost),
		above(c.Cost, c.Optimum.Gain), s.Plain(c.Optimum.Gain))
	s.Item("", "the policy that is optimal for these rates costs %s in its worst case: %s the worst case of this policy", s.Plain(c.Worst.Gain), above(c.Worst.Gain, f.Gain))
	s.Item("price", "the worst case costs %s times the optimum at the middle", ui.ShortText(f.Gain/c.Optimum.Gain, 4))
}

// above compares a cost with a smaller one.
func above(cost, least float64) string {
	if cost < 2*least {
		return ui.PercentText(max(0, cost/least-1)) + " above"
	}
	return ui.ShortText(cost/least, 4) + " times"
}

// printWorst draws the rates of the worst case.
func (f *answer) printWorst(s *ui.Screen) {
	rates := f.worst.Rates
	s.Printf("\n")
	drawing := grid.New(f.Policy, s.Width-grid.Margin)
	if rates.Arrival.Low < rates.Arrival.High {
		printDrawing(s, "Is the worst λ the upper end of its range?", drawing.Where(func(queue, active int) (yes, matters bool) {
			if active == 0 {
				return false, false
			}
			arrival, _ := f.worst.Nature.Rates(queue, active)
			return arrival == rates.Arrival.High, true
		}))
	}
	if rates.Service.Low < rates.Service.High {
		printDrawing(s, "Is the worst μ the upper end of its range?", drawing.Where(func(queue, active int) (yes, matters bool) {
			if queue == 0 {
				return false, false
			}
			_, service := f.worst.Nature.Rates(queue, active)
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
