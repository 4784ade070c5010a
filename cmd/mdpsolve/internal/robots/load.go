// This file has what robots simulate prints about rates that change, and its picture.

package robots

import (
	"context"
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/simulate"
	"github.com/mdpsolve/mdpsolve/models/robots/simulator"
)

// loads are the kinds of --load.
var loads = map[string]func(factor, time float64) simulator.Load{
	"jump": simulator.JumpLoad, "drift": simulator.DriftLoad, "cycle": simulator.CycleLoad,
}

// readLoad reads --load; nil without it.
func readLoad(a *ui.Arguments) (load simulator.Load) {
	if !a.CLI.IsSet("load") {
		return nil
	}
	for item := range strings.SplitSeq(a.CLI.String("load"), ",") {
		kind, numbers, _ := strings.Cut(item, ":")
		factor, at, isTimed := strings.Cut(numbers, "@")
		of, isKnown := loads[kind]
		if !isKnown || !isTimed {
			a.Fault("load", "%q is not valid: use jump:FACTOR@TIME, drift:FACTOR@TIME or cycle:FACTOR@PERIOD, or several separated by commas", item)
		}
		part := of(a.Parse("load", factor, "a factor from 1/1000 to 1000", func(x float64) bool { return x >= 1e-3 && x <= 1e3 }), a.Parse("load", at, ui.AboveZero, ui.IsPositive))
		if load != nil {
			part = load.Times(part)
		}
		load = part
	}
	return load
}

// loadKnown is the cost of the optimal policies for the true rates and of the best fixed
// number, on average over the horizon.
type loadKnown struct {
	*simulator.Benchmark
	optimum, fixed float64
}

// isPrinted reports whether the costs of loadKnown are printed: where rates change or are learnt.
func (e *experiment) isPrinted() bool { return e.adaptive || e.settings.Load != nil }

// isKnown reports whether the costs of loadKnown can be computed.
func (e *experiment) isKnown() bool {
	return e.settings.Law == nil && e.times == "" && len(e.parameters.ClassList()) == 1
}

// known computes the costs of loadKnown if they are printed or drawn; nil if they cannot be
// computed, or would take too long.
func (e *experiment) known(ctx context.Context, isDrawn bool) *loadKnown {
	if !e.isKnown() || !e.isPrinted() && !isDrawn {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), measurePatience) // also after an interruption
	defer cancel()
	b, err := e.settings.Benchmark(ctx, e.parameters)
	if err != nil {
		return nil
	}
	k := &loadKnown{Benchmark: b}
	for i, optimum := range b.Optimum {
		k.optimum += optimum / float64(len(b.Optimum))
		k.fixed += b.Fixed[i] / float64(len(b.Optimum))
	}
	return k
}

// record returns the costs as fields.
func (k *loadKnown) record(gain simulate.Interval) ui.Record {
	if k == nil {
		return nil
	}
	return ui.Record{
		{"optimum", k.optimum},
		{"regret", gain.Mean - k.optimum},
		{"static_robots", k.Robots},
		{"static_cost", k.fixed},
	}
}

// print prints the costs.
func (k *loadKnown) print(s *ui.Screen) {
	if k == nil {
		return
	}
	s.Printf("\n")
	s.Item("optimum", "%s, if the rate λ is known at all times", ui.ShortText(k.optimum, 4))
	s.Item("best fixed", "%s, at cost %s", wording.Count(k.Robots, "robot"), ui.ShortText(k.fixed, 4))
}

// courseParts is the number of parts of the horizon in a picture.
const courseParts = 120

// panels is the number of panels of a picture: the second is regret, which is noise for the
// optimal policy unless rates change.
func (e *experiment) panels() int {
	if e.isKnown() && (e.name != policyOptimal || e.settings.Load != nil) {
		return 2
	}
	return 1
}

// readPicture reads the flags of the picture.
func (e *experiment) readPicture(a *ui.Arguments) *figure.File {
	picture := figure.Read(a, e.panels())
	if picture != nil {
		e.settings.Batches = courseParts
	}
	return picture
}

// coursePanels draws the cost over time beside the optimum, and below it the cost beyond
// the optimum, added up, if there is any; without k the cost alone.
func (e *experiment) coursePanels(given string, s *simulator.Simulated, k *loadKnown) []figure.Panel {
	played, optimum := figure.Curve{Name: "policy " + e.name}, figure.Curve{Name: "optimum"}
	length, sum := s.Settings.Horizon/float64(len(s.Course)), 0.0
	for i, estimates := range s.Course {
		played.Points = append(played.Points, figure.XY{X: (float64(i) + 0.5) * length, Y: estimates.Gain.Mean})
	}
	time := figure.Axis{Label: "time", To: s.Settings.Horizon}
	cost := figure.Panel{
		Title: "Cost over time", Given: given,
		X:      time,
		Y:      figure.Axis{Label: "cost per unit of time", Zero: true},
		Curves: []figure.Curve{played},
	}
	if k == nil {
		return []figure.Panel{cost}
	}
	fixed := figure.Curve{Name: fmt.Sprintf("%s, fixed", wording.Count(k.Robots, "robot"))}
	regret := figure.Curve{Points: []figure.XY{{}}}
	for i, estimates := range s.Course {
		begin, end := float64(i)*length, float64(i+1)*length
		optimum.Points = append(optimum.Points, figure.XY{X: begin, Y: k.Optimum[i]}, figure.XY{X: end, Y: k.Optimum[i]})
		fixed.Points = append(fixed.Points, figure.XY{X: begin, Y: k.Fixed[i]}, figure.XY{X: end, Y: k.Fixed[i]})
		sum += (estimates.Gain.Mean - k.Optimum[i]) * length
		regret.Points = append(regret.Points, figure.XY{X: end, Y: sum})
	}
	cost.Curves = append(cost.Curves, optimum, fixed)
	return []figure.Panel{cost, {
		Title: "Regret of policy " + e.name, Given: given,
		X:      time,
		Y:      figure.Axis{Label: "accumulated cost above the optimum"},
		Curves: []figure.Curve{regret},
	}}[:e.panels()]
}
