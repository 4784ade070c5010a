// This file prints the answer of robots simulate.

package robots

import (
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/simulator"
)

// measurePatience bounds the time for exact values beside estimates.
const measurePatience = 5 * time.Second

func (e *experiment) print(s *ui.Screen, simulation *simulator.Simulated, exact *robots.Measures, status mdp.Status) {
	p, settings := e.parameters, simulation.Settings
	s.Heading("Simulation of the queue")
	printClasses(s, p, "   γ = "+ui.PlainText(p.StarvationWeight))
	if p.IsPlain() {
		s.Printf("  policy %s   service %s\n\n", e.name, e.serviceName())
	} else {
		printService(s, e.simulated())
		s.Printf("\n")
		s.Item("policy", "%s", e.name)
		if e.times != "" {
			s.Item("services", "%s", e.serviceName())
		}
	}
	s.Item("simulated", "%s of %s units of time, each after a warm-up of %s", wording.Count(settings.Replications, "replication"),
		ui.ShortText(settings.Horizon, 8), ui.ShortText(settings.WarmUp, 8))
	s.Item("", "%d arrivals and departures, random seed %d", simulation.Events, settings.Seed)
	found, from := intervals(simulation)
	s.Item("intervals", "%s confidence, from %d %s", ui.PercentText(settings.Confidence), found.Observations, from)
	if status != mdp.Converged {
		s.Item("", "%s", s.Styled(ui.StatusStyle(status), "interrupted before all replications ended"))
	}
	s.Printf("\n")
	var rows []ui.Record
	for _, line := range e.estimatedLines(found, exact) {
		i := line.estimate
		row := ui.Record{
			{"", ui.Shown("", line.words)},
			{"", ui.Shown("estimate", s.Styled(ui.Bold, ui.EstimateText(i.Mean, i.Lower(), i.Upper())))},
		}
		if exact != nil {
			row = append(row, ui.Field{Value: ui.Shown("exact", line.exact)})
		}
		rows = append(rows, row)
	}
	s.Records(rows)
}
