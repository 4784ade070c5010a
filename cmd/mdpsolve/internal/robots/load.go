// This file has what robots simulate says of rates that change: the load, what it costs
// those who know it, and the picture.

package robots

import (
	"context"
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
)

// loads are the kinds of --load.
var loads = map[string]func(factor, time float64) operate.Load{
	"jump": operate.JumpLoad, "drift": operate.DriftLoad, "cycle": operate.CycleLoad,
}

// readLoad reads --load; nil without it.
func readLoad(a *ui.Arguments) (load operate.Load) {
	if !a.CLI.IsSet("load") {
		return nil
	}
	for item := range strings.SplitSeq(a.CLI.String("load"), ",") {
		kind, numbers, _ := strings.Cut(item, ":")
		factor, at, isTimed := strings.Cut(numbers, "@")
		of, isKnown := loads[kind]
		if !isKnown || !isTimed {
			a.Fault("load", "%q is not valid: use jump:FACTOR@TIME, drift:FACTOR@TIME or cycle:FACTOR@PERIOD, or several with commas between them", item)
		}
		part := of(a.Parse("load", factor, "a factor from 1/1000 to 1000", func(x float64) bool { return x >= 1e-3 && x <= 1e3 }), a.Parse("load", at, ui.AboveZero, ui.IsPositive))
		if load != nil {
			part = load.Times(part)
		}
		load = part
	}
	return load
}

// loadKnown is what the load costs those who know its rates, on average over the horizon.
type loadKnown struct {
	*operate.Benchmark
	optimum, fixed float64
}

// isKnown says whether that can be computed, and is worth it.
func (e *experiment) isKnown() bool {
	return (e.adaptive || e.settings.Load != nil) && e.settings.Law == nil && e.trace == "" && len(e.parameters.ClassList()) == 1
}

// known computes that; nil where it is not known, or would take too long.
func (e *experiment) known(ctx context.Context) *loadKnown {
	if !e.isKnown() {
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

// record returns what is known as fields.
func (k *loadKnown) record(gain operate.Interval) ui.Record {
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

// print prints what is known.
func (k *loadKnown) print(s *ui.Screen) {
	if k == nil {
		return
	}
	s.Printf("\n")
	s.Item("optimum", "%s for who knows the rates of each moment", ui.ShortText(k.optimum, 4))
	s.Item("fixed", "%s for %s all the time, the best number", ui.ShortText(k.fixed, 4), ui.Count(k.Robots, "robot"))
}

// coursePanelNames are the panels of --plot.
var coursePanelNames = []string{"cost", "regret"}

// courseParts is the number of parts of the horizon in a picture.
const courseParts = 120

// readPicture reads the flags of the picture.
func (e *experiment) readPicture(a *ui.Arguments) *figure.File {
	picture := figure.Read(a, coursePanelNames...)
	if picture != nil {
		if !e.isKnown() {
			a.Fault("plot", "not valid here: use it with --load or the policy %s, one class of robots and the services of the model", policyAdaptive)
		}
		e.settings.Batches = courseParts
	}
	return picture
}

// coursePanels draws the cost over time, beside what those who know the rates pay, and
// what was paid beyond that, added up.
func (e *experiment) coursePanels(given string, s *operate.Simulated, k *loadKnown) []figure.Panel {
	played, optimum := figure.Curve{Name: "policy " + e.name}, figure.Curve{Name: "optimum"}
	fixed := figure.Curve{Name: fmt.Sprintf("%s, fixed", ui.Count(k.Robots, "robot"))}
	regret := figure.Curve{Points: []figure.XY{{}}}
	length, sum := s.Settings.Horizon/float64(len(s.Course)), 0.0
	for i, estimates := range s.Course {
		begin, end := float64(i)*length, float64(i+1)*length
		played.Points = append(played.Points, figure.XY{X: begin + length/2, Y: estimates.Gain.Mean})
		optimum.Points = append(optimum.Points, figure.XY{X: begin, Y: k.Optimum[i]}, figure.XY{X: end, Y: k.Optimum[i]})
		fixed.Points = append(fixed.Points, figure.XY{X: begin, Y: k.Fixed[i]}, figure.XY{X: end, Y: k.Fixed[i]})
		sum += (estimates.Gain.Mean - k.Optimum[i]) * length
		regret.Points = append(regret.Points, figure.XY{X: end, Y: sum})
	}
	time := figure.Axis{Label: "time", Zero: true}
	return []figure.Panel{{
		Name: coursePanelNames[0], Title: "Cost while rates change", Given: given,
		X:      time,
		Y:      figure.Axis{Label: "cost per unit of time", Zero: true},
		Curves: []figure.Curve{played, optimum, fixed},
	}, {
		Name: coursePanelNames[1], Title: "Regret of policy " + e.name, Given: given,
		X:      time,
		Y:      figure.Axis{Label: "cost beyond the optimum, added up"},
		Curves: []figure.Curve{regret},
	}}
}
