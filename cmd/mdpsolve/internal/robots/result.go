// This file holds the answer of robots solve for JSON and tables.

package robots

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/interval"
)

// record returns the answer for printing, with the distribution if asked for. Groups of fields
// that do not apply are left out.
func (f *answer) record(distribution bool) ui.Record {
	p, m, rates, solves, rounds := f.Parameters, measuresOf(f.Measures), interval.Rates{}, 0, 0
	isPlain := f.limit == nil && f.rates == nil
	if f.limit != nil {
		solves = f.within.Solves
	}
	if f.rates != nil {
		rates, rounds = *f.rates, f.worst.Rounds
	}
	var method, lambda any
	if f.limit == nil || f.Method != "" { // else nothing had to be solved
		method = methodName(f.Method)
	}
	numbers, lambdas, total := classNumbers(p)
	if len(lambdas) == 1 {
		lambda = lambdas[0]
	}
	curves, byPhase := curvesOf(f.Policy)
	name, gamma := "cost", ui.Given("γ", p.StarvationWeight)
	switch {
	case f.limit != nil:
		name, gamma = "least "+f.limit.minimisedWords(), ui.Shown("multiplier γ", p.StarvationWeight)
	case f.rates != nil:
		name = "worst case"
	}
	return slices.Concat(
		gainRecord(ui.Shown(name, f.Gain), f.Lower, f.Upper),
		ui.Record{{"status", f.Status}, {"method", method}, {"iterations", f.Iterations}},
		ui.When(f.limit != nil, ui.Record{{"solves", solves}}),
		ui.When(f.rates != nil, ui.Record{{"rounds", rounds}}),
		ui.Record{
			{"starvation", ui.Shown("starvation", m.Starvation, ui.PercentText)},
			{"loss_rate", ui.Shown("loss rate", m.LossRate)},
			{"robots", ui.Shown("N", total)},
			{"robots_mean", ui.Shown("N mean", m.RobotsMean)},
			{"robots_min", ui.Shown("N min", m.least)},
			{"robots_max", ui.Shown("N max", m.most)},
		},
		curves,
		ui.When(f.variant, slices.Concat(
			ui.Record{{"robots_mean_by_class", m.RobotsMeanByClass}},
			ui.When(f.rates == nil, ui.Record{{"robots_by_class", numbers}, {"lambda_by_class", lambdas}}),
			byPhase,
			ui.Record{{"pages_mean", m.PagesMean}, {"activation_rate", m.ActivationRate}},
		)),
		ui.Record{{"buffer", ui.Shown("K", p.Buffer)}, {"lambda", ui.Given("λ", lambda)}},
		ui.When(f.rates != nil, ui.Record{{"lambda_low", ui.Given("λ from", rates.Arrival.Low)}, {"lambda_high", ui.Given("λ to", rates.Arrival.High)}}),
		ui.Record{{"mu", ui.Given("μ", p.ServiceRate)}},
		ui.When(f.rates != nil, ui.Record{{"mu_low", ui.Given("μ from", rates.Service.Low)}, {"mu_high", ui.Given("μ to", rates.Service.High)}}),
		ui.Record{{"gamma", gamma}},
		ui.When(f.variant, ui.Record{
			{"service", ui.Shown("service", ui.LawWords(p.Service))},
			{"holding_cost", p.HoldingCost},
			{"robot_cost", p.RobotCost},
			{"activation_cost", p.ActivationCost},
		}),
		ui.When(isPlain, f.fixedRecord()),
		ui.When(f.limit == nil, ui.Record{{"choice", f.Reason}, {"elapsed_seconds", ui.OnlyJSON(f.Elapsed.Seconds())}}),
		f.limitRecord(),
		f.rangesRecord(),
		ui.When(distribution, ui.Record{{"distribution", ui.OnlyJSON(m.Distribution)}}),
		f.freeRecord(),
	)
}

// gainRecord returns the gain with its bounds. In JSON, cost repeats the gain.
func gainRecord(gain any, lower, upper float64) ui.Record {
	return ui.Record{{"gain", gain}, {"cost", ui.OnlyJSON(gain)}, {"gain_lower", lower}, {"gain_upper", upper}}
}

// curvesOf returns the fields of switching curves: the curves, if there are no phases; whether all
// are thresholds, and monotone; and the curves by phase. All are unknown for several classes.
func curvesOf(policy *robots.Policy) (curves, byPhase ui.Record) {
	var departure, arrival []int
	var departures, arrivals [][]int
	var isThreshold, isMonotone any
	if found := policy.Curves(); len(found) > 0 {
		if len(found) == 1 {
			departure, arrival = found[0].Departure, found[0].Arrival
		}
		isThreshold = !slices.ContainsFunc(found, func(c robots.Curves) bool { return !c.Threshold })
		isMonotone = !slices.ContainsFunc(found, func(c robots.Curves) bool { return !c.Monotone })
		for _, c := range found {
			departures, arrivals = append(departures, c.Departure), append(arrivals, c.Arrival)
		}
	}
	curves = ui.Record{{"curve_departure", departure}, {"curve_arrival", arrival}, {"threshold", isThreshold}, {"monotone", isMonotone}}
	byPhase = ui.Record{{"curve_departure_by_phase", ui.OnlyJSON(departures)}, {"curve_arrival_by_phase", ui.OnlyJSON(arrivals)}}
	return curves, byPhase
}

// fixedRecord compares with the best fixed numbers of robots.
func (f *answer) fixedRecord() ui.Record {
	var number, cost, share any
	var byClass ui.Record
	if fixed := f.fixed; fixed != nil {
		number, cost, share = sum(fixed.Robots), fixed.Cost, saving(f.Solution, fixed.Cost)
		byClass = ui.When(f.variant, ui.Record{{"static_robots_by_class", fixed.Robots}})
	}
	return slices.Concat(ui.Record{{"static_robots", ui.Shown("N fixed", number)}}, byClass,
		ui.Record{{"static_cost", ui.Shown("cost fixed", cost)}, {"policy_cost", policyCost(f.Solution)}, {"saving", ui.Shown("saving", share, ui.PercentText)}})
}

// sum returns the number of robots of all classes.
func sum(robots []int) int {
	total := 0
	for _, n := range robots {
		total += n
	}
	return total
}

// saving returns the share of the best fixed number's cost that switching saves.
func saving(s *robots.Solution, fixed float64) float64 {
	if fixed == 0 {
		return math.NaN()
	}
	return 1 - policyCost(s)/fixed
}

// policyCost returns the cost of a solution's policy: its exact gain if known.
func policyCost(s *robots.Solution) float64 {
	if s.Measures != nil {
		return s.Measures.Gain
	}
	return s.Gain
}

// measuresOf returns measures for printing; if m is nil, they are NaN or nil.
func measuresOf(m *robots.Measures) *measures {
	unknown := math.NaN()
	if m == nil {
		return &measures{Measures: robots.Measures{
			Gain: unknown, Starvation: unknown, LossRate: unknown, RobotsMean: unknown, PagesMean: unknown, ActivationRate: unknown,
		}}
	}
	return &measures{*m, m.RobotsMin, m.RobotsMax}
}

// measures are the measures of a policy, for printing.
type measures struct {
	robots.Measures
	least, most any // numbers of robots
}
