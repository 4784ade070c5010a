package main

import (
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// measurePatience bounds the time for exact values beside estimates.
const measurePatience = 5 * time.Second

func (e *experiment) print(s *screen, simulation *robots.Simulation, exact *robots.FleetMeasures, status mdp.Status) {
	p, settings := e.parameters, simulation.Settings
	s.heading("The queue simulated")
	if e.variant != nil {
		s.fleet(e.simulated(), "   γ = "+plainText(p.StarvationWeight))
		s.item("policy", "%s", e.policy)
		if e.trace != "" {
			s.item("services", "%s", e.serviceName())
		}
	} else {
		s.printf("  N = %d robots   K = %d places   λ = %s per robot   μ = %s   γ = %s\n",
			p.Robots, p.Buffer, plainText(p.ArrivalRate), plainText(p.ServiceRate), plainText(p.StarvationWeight))
		s.printf("  policy %s   service %s\n\n", e.policy, e.serviceName())
	}
	s.item("simulated", "%s of %s units of time, %s before each left out", count(settings.Replications, "replication"),
		shortText(settings.Horizon, 8), shortText(settings.WarmUp, 8))
	s.item("", "%d arrivals and departures, seed %d", simulation.Events, settings.Seed)
	found, from := intervals(simulation)
	s.item("intervals", "hold with confidence %s, from %d %s", percentText(settings.Confidence), found.Observations, from)
	if status != mdp.Converged {
		s.item("", "%s", s.styled(statusStyle(status), "interrupted before all replications were simulated"))
	}
	s.printf("\n")
	t := table.NewWriter()
	header := table.Row{"", "estimate", "from", "to"}
	if exact != nil {
		header = append(header, "exact")
	}
	t.AppendHeader(header)
	for _, line := range e.estimatedLines(found, exact) {
		i := line.estimate
		row := table.Row{line.words, s.styled(bold, estimateText(i.Mean, i)), estimateText(i.Lower(), i), estimateText(i.Upper(), i)}
		if exact != nil {
			row = append(row, plainText(line.exact))
		}
		t.AppendRow(row)
	}
	s.table(t)
}
