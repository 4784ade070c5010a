// This file holds the answer of robots solve for JSON and tables.

package robots

import (
	"math"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// result is the answer of robots solve. Embedded groups that do not apply are nil.
type result struct {
	Gain        ui.Number `json:"gain"`
	Cost        ui.Number `json:"cost" table:"-"` // what people call the gain
	Lower       ui.Number `json:"gain_lower"`
	Upper       ui.Number `json:"gain_upper"`
	Status      string    `json:"status"`
	Method      *string   `json:"method"`
	Iterations  int       `json:"iterations"`
	Solves      *int      `json:"solves,omitempty"` // for a limit
	Rounds      *int      `json:"rounds,omitempty"` // for ranges
	Starvation  ui.Number `json:"starvation"`
	LossRate    ui.Number `json:"loss_rate"`
	Robots      int       `json:"robots"`
	RobotsMean  ui.Number `json:"robots_mean"`
	RobotsMin   *int      `json:"robots_min"`
	RobotsMax   *int      `json:"robots_max"`
	Departure   []int     `json:"curve_departure"` // of one class without phases
	Arrival     []int     `json:"curve_arrival"`
	IsThreshold *bool     `json:"threshold"` // of all phases
	IsMonotone  *bool     `json:"monotone"`
	*variantResult
	Buffer     int       `json:"buffer"`
	Lambda     *float64  `json:"lambda"`
	LambdaLow  *float64  `json:"lambda_low,omitempty"`
	LambdaHigh *float64  `json:"lambda_high,omitempty"`
	Mu         float64   `json:"mu"`
	MuLow      *float64  `json:"mu_low,omitempty"`
	MuHigh     *float64  `json:"mu_high,omitempty"`
	Gamma      ui.Number `json:"gamma"`
	*variantCosts
	*fixedResult
	Choice         *string  `json:"choice,omitempty"`
	ElapsedSeconds *float64 `json:"elapsed_seconds,omitempty" table:"-"`
	*limitResult
	*rangesResult
	Distribution any `json:"distribution,omitempty" table:"-"` // where it is asked for
	Free         any `json:"starvation_free,omitempty" table:"-"`
}

// variantResult has the further fields of variants.
type variantResult struct {
	RobotsMeanByClass []float64 `json:"robots_mean_by_class"`
	RobotsByClass     []int     `json:"robots_by_class,omitempty"`
	LambdaByClass     []float64 `json:"lambda_by_class,omitempty"`
	DepartureByPhase  [][]int   `json:"curve_departure_by_phase" table:"-"` // of one class
	ArrivalByPhase    [][]int   `json:"curve_arrival_by_phase" table:"-"`
	PagesMean         ui.Number `json:"pages_mean"`
	ActivationRate    ui.Number `json:"activation_rate"`
}

// variantCosts are the parameters of variants.
type variantCosts struct {
	Service        string  `json:"service"`
	HoldingCost    float64 `json:"holding_cost"`
	RobotCost      float64 `json:"robot_cost"`
	ActivationCost float64 `json:"activation_cost"`
}

// fixedResult is the comparison with the best fixed numbers of robots.
type fixedResult struct {
	StaticRobots *int      `json:"static_robots"`
	ByClass      []int     `json:"static_robots_by_class,omitempty"` // of variants
	StaticCost   ui.Number `json:"static_cost"`
	PolicyCost   ui.Number `json:"policy_cost"`
	Saving       ui.Number `json:"saving"`
}

// limitResult describes a limit.
type limitResult struct {
	Minimised     string  `json:"minimised"`
	MaxLoss       *string `json:"max_loss,omitempty"`
	MaxStarvation *string `json:"max_starvation,omitempty"`
	Chance        any     `json:"chance"`
	Other         any     `json:"other_probability,omitempty"` // of the second policy of a mixture
}

// rangesResult is the comparison with the middle of the ranges.
type rangesResult struct {
	Cost             ui.Number `json:"middle_cost"`
	Optimum          ui.Number `json:"middle_optimum"`
	OptimumLower     ui.Number `json:"middle_optimum_lower"`
	OptimumUpper     ui.Number `json:"middle_optimum_upper"`
	PolicyWorst      ui.Number `json:"middle_policy_worst"`
	PolicyWorstLower ui.Number `json:"middle_policy_worst_lower"`
	PolicyWorstUpper ui.Number `json:"middle_policy_worst_upper"`
	WorstLambda      [][]any   `json:"worst_lambda" table:"-"`
	WorstMu          [][]any   `json:"worst_mu" table:"-"`
}

// result returns the answer for printing, with the distribution if asked for.
func (f *answer) result(distribution bool) result {
	p, gain, unknown := f.Parameters, ui.Number(f.Gain), ui.Number(math.NaN())
	numbers, rates, total := classNumbers(p)
	r := result{
		Gain: gain, Cost: gain, Lower: ui.Number(f.Lower), Upper: ui.Number(f.Upper), Status: f.Status.String(), Iterations: f.Iterations,
		Starvation: unknown, LossRate: unknown, RobotsMean: unknown,
		Robots: total, Buffer: p.Buffer, Mu: p.ServiceRate, Gamma: ui.Number(p.StarvationWeight),
	}
	if f.limit == nil || f.Method != "" { // else nothing had to be solved
		r.Method = new(methodName(f.Method))
	}
	if len(rates) == 1 {
		r.Lambda = &rates[0]
	}
	if f.variant {
		r.variantResult = &variantResult{PagesMean: unknown, ActivationRate: unknown}
		if f.rates == nil {
			r.RobotsByClass, r.LambdaByClass = numbers, rates
		}
		r.variantCosts = &variantCosts{
			Service: ui.LawWords(p.Service), HoldingCost: p.HoldingCost, RobotCost: p.RobotCost, ActivationCost: p.ActivationCost,
		}
	}
	if m := f.Measures; m != nil {
		r.Starvation, r.LossRate, r.RobotsMean = ui.Number(m.Starvation), ui.Number(m.LossRate), ui.Number(m.RobotsMean)
		r.RobotsMin, r.RobotsMax = &m.RobotsMin, &m.RobotsMax
		if v := r.variantResult; v != nil {
			v.RobotsMeanByClass, v.PagesMean, v.ActivationRate = m.RobotsMeanByClass, ui.Number(m.PagesMean), ui.Number(m.ActivationRate)
		}
	}
	r.addCurves(f.Policy.Curves())
	if f.limit == nil {
		r.Choice, r.ElapsedSeconds = &f.Reason, new(f.Elapsed.Seconds())
	}
	switch {
	case f.limit != nil:
		r.Solves, r.limitResult = &f.within.Solves, f.limitResult()
	case f.rates != nil:
		arrival, service := &f.rates.Arrival, &f.rates.Service
		r.LambdaLow, r.LambdaHigh, r.MuLow, r.MuHigh = &arrival.Low, &arrival.High, &service.Low, &service.High
		r.Rounds, r.rangesResult = &f.worst.Rounds, f.rangesResult()
	default:
		r.fixedResult = &fixedResult{StaticCost: unknown, PolicyCost: ui.Number(policyCost(f.Solution)), Saving: unknown}
		if fixed := f.fixed; fixed != nil {
			r.StaticRobots, r.StaticCost, r.Saving = new(sum(fixed.Robots)), ui.Number(fixed.Cost), ui.Number(saving(f.Solution, fixed.Cost))
			if f.variant {
				r.ByClass = fixed.Robots
			}
		}
	}
	if f.free != nil {
		r.Free = f.freeRecord()
	}
	if distribution {
		r.Distribution = f.distribution()
	}
	return r
}

// addCurves adds the switching curves by phase; several classes have none.
func (r *result) addCurves(curves []robots.Curves) {
	if len(curves) == 0 {
		return
	}
	if len(curves) == 1 {
		r.Departure, r.Arrival = curves[0].Departure, curves[0].Arrival
	}
	r.IsThreshold, r.IsMonotone = new(true), new(true)
	for _, c := range curves {
		*r.IsThreshold, *r.IsMonotone = *r.IsThreshold && c.Threshold, *r.IsMonotone && c.Monotone
		if v := r.variantResult; v != nil {
			v.DepartureByPhase, v.ArrivalByPhase = append(v.DepartureByPhase, c.Departure), append(v.ArrivalByPhase, c.Arrival)
		}
	}
}

// distribution returns the share of time by numbers of robots and of pages; nil if
// unknown.
func (f *answer) distribution() [][]float64 {
	if f.Measures == nil {
		return nil
	}
	return f.Measures.Distribution
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

// measuresOf returns the measures of a solution; those that are not known are NaN or nil.
func measuresOf(s *robots.Solution) *measures {
	unknown := math.NaN()
	if s.Measures == nil {
		return &measures{Measures: robots.Measures{
			Gain: unknown, Starvation: unknown, LossRate: unknown, RobotsMean: unknown, PagesMean: unknown, ActivationRate: unknown,
		}}
	}
	return &measures{*s.Measures, s.Measures.RobotsMin, s.Measures.RobotsMax}
}

// measures are those of a policy, for printing.
type measures struct {
	robots.Measures
	least, most any // numbers of robots
}
