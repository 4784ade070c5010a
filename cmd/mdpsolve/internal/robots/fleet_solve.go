package robots

import (
	"context"
	"math"
	"time"

	"gonum.org/v1/plot"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// runFleetSolve is robots solve for the variants of the model.
func runFleetSolve(a *ui.Arguments) error {
	c := a.CLI
	fleet, sufficient := readFleet(a)
	fleet.StarvationWeight = a.Positive("gamma")
	fleet = validated(a, fleet)
	if c.String("method") == ui.MethodPaper {
		a.Fault("method", "%s found with a variant of the model; %s is allowed", ui.MethodPaper, ui.Enumerate(fleetMethods))
	}
	if len(fleet.Classes) > 1 && c.IsSet("plot") {
		a.Fault("plot", "found with several classes, whose rules are no curves; one class is allowed")
	}
	if name := c.String("policy-out"); isCSV(name) && !isPlain(fleet) {
		a.Fault("policy-out", "%q found; a name that ends in .json is allowed, "+
			"or .csv with one class, exponential services and no costs but those of starvation and loss", name)
	}
	return answerRobots(a, fleetMethods, func(ctx context.Context, m ui.Method) (*robotsAnswer, error) {
		solve := solveFleet
		if sufficient {
			solve = solveSufficientFleet
		}
		solution, err := solve(ctx, m, fleet)
		if err != nil {
			return nil, err
		}
		fixed := bestMix(ctx, solution.Fleet)
		return &robotsAnswer{
			fields: fleetRecord(solution, fixed),
			left:   []string{"elapsed_seconds", "curve_departure_by_phase", "curve_arrival_by_phase"},
			text:   func(s *ui.Screen) { printFleetSolution(s, solution, fixed) },
			panels: func() []*plot.Plot { return phasePanels(solution) },
			policy: func() savedPolicy { return toSave(solution.Policy) },
			status: solution.Status, lower: solution.Lower, upper: solution.Upper,
		}, nil
	})
}

// bestMix returns the best fixed numbers of robots; nil where they are not
// found soon.
func bestMix(ctx context.Context, f robots.Fleet) *robots.StaticMix {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience) // also after an interruption
	defer cancel()
	mix, err := f.BestStatic(ctx)
	if err != nil {
		return nil
	}
	return &mix
}

func fleetRecord(s *robots.FleetSolution, fixed *robots.StaticMix) ui.Record {
	f := s.Fleet
	var starvation, lossRate, mean, least, greatest, byClass, pages, activations any
	if m := s.Measures; m != nil {
		starvation, lossRate, mean, least, greatest = m.Starvation, m.LossRate, m.RobotsMean, m.RobotsMin, m.RobotsMax
		byClass, pages, activations = m.RobotsMeanByClass, m.PagesMean, m.ActivationRate
	}
	numbers, rates := classNumbers(f)
	var lambda any
	if len(rates) == 1 {
		lambda = rates[0]
	}
	var staticRobots, staticByClass, staticCost any
	if fixed != nil {
		total := 0
		for _, n := range fixed.Robots {
			total += n
		}
		staticRobots, staticByClass, staticCost = total, fixed.Robots, fixed.Cost
	}
	curves := curvesOf(s.Policy)
	return ui.Record{
		{"gain", s.Gain},
		{"gain_lower", s.Lower},
		{"gain_upper", s.Upper},
		{"status", s.Status.String()},
		{"method", methodName(s.Method)},
		{"iterations", s.Iterations},
		{"starvation", starvation},
		{"loss_rate", lossRate},
		{"robots", f.Robots()},
		{"robots_mean", mean},
		{"robots_min", least},
		{"robots_max", greatest},
		{"curve_departure", curves.departure},
		{"curve_arrival", curves.arrival},
		{"threshold", curves.threshold},
		{"monotone", curves.monotone},
		{"robots_mean_by_class", byClass},
		{"robots_by_class", numbers},
		{"lambda_by_class", rates},
		{"curve_departure_by_phase", curves.departures},
		{"curve_arrival_by_phase", curves.arrivals},
		{"pages_mean", pages},
		{"activation_rate", activations},
		{"buffer", f.Buffer},
		{"lambda", lambda},
		{"mu", f.ServiceRate},
		{"gamma", f.StarvationWeight},
		{"service", serviceWords(f.Service)},
		{"holding_cost", f.HoldingCost},
		{"robot_cost", f.RobotCost},
		{"activation_cost", f.ActivationCost},
		{"static_robots", staticRobots},
		{"static_robots_by_class", staticByClass},
		{"static_cost", staticCost},
		{"policy_cost", fleetCost(s)},
		{"saving", mixSaving(s, fixed)},
		{"choice", s.Choice},
		{"elapsed_seconds", s.Elapsed.Seconds()},
	}
}

// classNumbers returns the numbers of robots and their rates, by class.
func classNumbers(f robots.Fleet) (numbers []int, rates []float64) {
	for _, class := range f.Classes {
		numbers, rates = append(numbers, class.Robots), append(rates, class.ArrivalRate)
	}
	return numbers, rates
}

// fleetCurves are the switching curves as they are printed; nil where there are
// none.
type fleetCurves struct {
	departure, arrival, threshold, monotone any // of one class and one phase; threshold and monotone of all phases
	departures, arrivals                    any // by phase, of one class
}

func curvesOf(policy *robots.FleetPolicy) fleetCurves {
	curves := policy.Curves()
	if len(curves) == 0 {
		return fleetCurves{}
	}
	threshold, monotone := true, true
	var departures, arrivals [][]int
	for _, c := range curves {
		threshold, monotone = threshold && c.Threshold, monotone && c.Monotone
		departures, arrivals = append(departures, c.Departure), append(arrivals, c.Arrival)
	}
	found := fleetCurves{threshold: threshold, monotone: monotone, departures: departures, arrivals: arrivals}
	if len(curves) == 1 {
		found.departure, found.arrival = departures[0], arrivals[0]
	}
	return found
}

// fleetCost returns what the policy of a solution costs: its exact gain where
// that is known.
func fleetCost(s *robots.FleetSolution) float64 {
	if s.Measures != nil {
		return s.Measures.Gain
	}
	return s.Gain
}

// mixSaving returns the share of the cost of the best fixed numbers that
// switching saves; NaN where it is not known.
func mixSaving(s *robots.FleetSolution, fixed *robots.StaticMix) float64 {
	if fixed == nil || fixed.Cost == 0 {
		return math.NaN()
	}
	return 1 - fleetCost(s)/fixed.Cost
}
