// This file holds the answer of robots from-log: for programs, in text, and as a picture.

package robots

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/robots/estimate"
)

// distanceLimit returns the distance that a sample of a given law exceeds in one case of 20, by
// Kolmogorov's limit law. The law here is fitted to the sample, so the true limit is lower.
func (f *fromLog) distanceLimit() float64 { return 1.3581 / math.Sqrt(float64(f.fit.Times)) }

func (f *fromLog) record() ui.Record {
	s := f.found.Solution
	_, byPhase := curvesOf(s.Policy)
	least, most := f.ranges(fixedRobots)
	_, excess := f.ranges(fixedExcess)
	gainLeast, gainMost := f.ranges(gainOf)
	return slices.Concat(ui.Record{
		{"pages", len(f.log)},
		{"without_page", f.failed},
		{"from", f.begin.UTC().Format(time.RFC3339)},
		{"until", f.end.UTC().Format(time.RFC3339)},
		{"unit", f.unit.String()},
		{"active", f.active},
		{"lambda", f.lambda.Rate},
		{"lambda_low", f.lambda.Lower},
		{"lambda_high", f.lambda.Upper},
		{"lambda_dispersion", f.lambda.Dispersion},
		{"index_times", f.mu.Count},
		{"mu", f.mu.Rate},
		{"mu_low", f.mu.Lower},
		{"mu_high", f.mu.Upper},
		{"mu_dispersion", f.mu.Dispersion},
		{"confidence", f.confidence},
		{"service", f.fit.Law.String()},
		{"distance", f.fit.Distance},
		{"distance_limit", f.distanceLimit()},
		{"static_robots", f.corners[0].fixed.Robots},
		{"static_robots_low", int(least)},
		{"static_robots_high", int(most)},
		{"static_cost", f.corners[0].fixed.Cost},
		{"static_cost_sample", f.sampleCost},
		{"static_excess", excess},
	}, gainRecord(s.Gain, s.Lower, s.Upper), ui.Record{
		{"gain_low", gainLeast},
		{"gain_high", gainMost},
		{"status", s.Status},
		{"robots", s.Parameters.Robots},
		{"saving", saving(s, f.corners[0].fixed.Cost)},
		{"undecided", float64(f.differing) / float64(f.states)},
	}, byPhase, ui.Record{{"corners", ui.OnlyJSON(f.cornerRecords())}})
}

// cornerRecords returns the answers for the corners.
func (f *fromLog) cornerRecords() (records []ui.Record) {
	for _, c := range f.corners[1:] {
		_, byPhase := curvesOf(c.solution.Policy)
		records = append(records, slices.Concat(ui.Record{
			{"lambda", c.parameters.ArrivalRate},
			{"mu", c.parameters.ServiceRate},
			{"static_robots", c.fixed.Robots},
			{"static_cost", c.fixed.Cost},
			{"gain", c.solution.Gain},
		}, byPhase))
	}
	return records
}

func (f *fromLog) print(s *ui.Screen) {
	best, p := f.corners[0], f.found.Parameters
	least, most := f.ranges(fixedRobots)
	cheapest, dearest := f.ranges(fixedCost)
	_, excess := f.ranges(fixedExcess)
	gainLeast, gainMost := f.ranges(gainOf)
	s.Heading("How many robots")
	s.Printf("  %s from %s to %s   %s of %s on average   K = %d places   γ = %s\n", wording.Count(len(f.log), "page"),
		f.begin.UTC().Format(time.RFC3339), f.end.UTC().Format(time.RFC3339), wording.Count(f.mu.Count, "indexing time"), f.unit.Of(ui.ShortText(1/f.mu.Rate, 3)),
		p.Buffer, ui.PlainText(p.StarvationWeight))
	if f.failed > 0 {
		s.Printf("  %s without a page\n", wording.Count(f.failed, "access"))
	}
	s.Printf("  intervals hold together with confidence %s\n\n", ui.PercentText(f.confidence))
	f.printRate(s, "λ", "of a robot", f.lambda, "pages come in bursts, or their rate changes")
	f.printRate(s, "μ", "of the indexer", f.mu, "slow times follow each other")
	s.Item("service", "%s", f.fit.Law)
	s.Item("", "its probabilities and the shares of measured times differ by at most %s", ui.ShortText(f.fit.Distance, 3))
	verdict := "is not refuted"
	if f.fit.Distance > f.distanceLimit() {
		verdict = "is refuted, and an approximation"
	}
	s.Item("", "a sample of that law itself would be within %s in 95%% of cases: the law %s", ui.ShortText(f.distanceLimit(), 3), verdict)
	s.Printf("\n")
	s.Item("fixed", "%s, at cost %s; %s with the measured times themselves", s.Styled(ui.Bold, wording.Count(best.fixed.Robots, "robot")),
		ui.ShortText(best.fixed.Cost, 4), ui.ShortText(f.sampleCost, 4))
	costs := fmt.Sprintf("cost from %s to %s for rates in the intervals", ui.ShortText(cheapest, 4), ui.ShortText(dearest, 4))
	if least == most {
		s.Item("", "%s; the number stays the best", costs)
	} else {
		s.Item("", "%s; the best number is %s to %s", costs, ui.ShortText(least, 16), ui.ShortText(most, 16))
		s.Item("", "%s cost at most %s more than that one", wording.Count(best.fixed.Robots, "robot"), ui.PercentText(excess))
	}
	s.Item("switching", "cost %s with %s, from %s to %s for rates in the intervals", s.Styled(ui.Bold, ui.ShortText(best.solution.Gain, 4)),
		wording.Count(p.Robots, "robot"), ui.ShortText(gainLeast, 4), ui.ShortText(gainMost, 4))
	s.Item("", "%s", ui.StatusWords(best.solution.Status))
	if share := saving(best.solution, best.fixed.Cost); !math.IsNaN(share) {
		s.Item("saving", "%s of the cost of the fixed number", ui.PercentText(share))
	}
	s.Item("decisions", "depend on where the rates are in their intervals in %d of %s", f.differing, wording.Count(f.states, "state"))
	s.Printf("\n")
	f.found.printDecisions(s)
	s.Printf("\n")
	service := ""
	if f.found.variant {
		service = " --service " + f.fit.Law.String()
	}
	s.Wrapped("  ", fmt.Sprintf("For more: mdpsolve robots solve --robots %d --buffer %d --lambda %s --mu %s --gamma %s%s", p.Robots, p.Buffer,
		ui.ExactText(p.ArrivalRate), ui.ExactText(p.ServiceRate), ui.ExactText(p.StarvationWeight), service))
}

func (f *fromLog) printRate(s *ui.Screen, name, of string, r estimate.Rate, cause string) {
	s.Item(name, "%s %s %s, from %s to %s", s.Styled(ui.Bold, ui.ShortText(r.Rate, 4)), f.unit.Per(), of, ui.ShortText(r.Lower, 4), ui.ShortText(r.Upper, 4))
	if r.IsUneven() {
		s.Item("", "dispersion %s: %s; the interval allows for it, the costs do not", ui.ShortText(r.Dispersion, 3), cause)
	}
	if name == "λ" && r.IsRegular() {
		s.Item("", "dispersion %s: the accesses follow a schedule, so this is its rate; robots at work all the time may deliver more", ui.ShortText(r.Dispersion, 3))
	}
}

// mostPoints is the greatest number of points of a curve, and mostBars that of numbers of robots.
const (
	mostPoints = 400
	mostBars   = 60
)

// panels draws the measured times beside the law, and costs by the number of robots.
func (f *fromLog) panels() []figure.Panel {
	sorted := slices.Sorted(slices.Values(f.times))
	n := len(sorted)
	end := sorted[min(n-1, n*199/200)] // the last 0.5 % would hide the others
	measured, fitted := figure.Curve{Name: "measured"}, figure.Curve{Name: "fitted"}
	for i := range mostPoints + 1 {
		t := end * float64(i) / mostPoints
		count, _ := slices.BinarySearchFunc(sorted, t, func(x, t float64) int {
			if x <= t {
				return -1
			}
			return 1
		})
		measured.Points = append(measured.Points, figure.XY{X: t, Y: float64(count) / float64(n)})
		fitted.Points = append(fitted.Points, figure.XY{X: t, Y: f.fit.Distribution(t)})
	}
	least, most := f.ranges(fixedRobots)
	from, to := max(1, int(least)/2), int(most)+max(2, int(most)/2)
	step := max(1, (to-from)/mostBars)
	var costs []figure.Curve
	for _, at := range []struct {
		corner int
		name   string
	}{{0, "estimated rates"}, {1, "least λ, greatest μ"}, {4, "greatest λ, least μ"}} {
		alone := f.corners[at.corner].parameters.Static()
		curve := figure.Curve{Name: at.name, Kind: figure.Whole}
		for robots := from; robots <= to; robots += step {
			if r, err := alone.Evaluate(robots); err == nil {
				curve.Points = append(curve.Points, figure.XY{X: float64(robots), Y: r.Cost})
			}
		}
		costs = append(costs, curve)
	}
	gain := f.found.Gain
	costs = append(costs, figure.Curve{Name: "switching, estimated rates", Points: []figure.XY{{X: float64(from), Y: gain}, {X: float64(to), Y: gain}}})
	return []figure.Panel{{
		Title: "Times of indexing", Given: "service " + f.fit.Law.String(),
		X:      figure.Axis{Label: "time, in " + f.unit.String() + "s", Zero: true},
		Y:      figure.Axis{Label: "share of times up to it", Zero: true},
		Curves: []figure.Curve{measured, fitted},
	}, {
		Title: "Cost by the number of robots", Given: f.found.given,
		X:      figure.Axis{Label: "robots, fixed", Whole: true},
		Y:      figure.Axis{Label: "cost per unit of time", Zero: true},
		Curves: costs,
	}}
}
