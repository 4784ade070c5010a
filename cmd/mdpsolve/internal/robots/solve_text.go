package main

import (
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
)

func printSolution(s *screen, solution *robots.Solution, fixed static.Result) {
	p := solution.Parameters
	s.heading("Robots switched on and off")
	s.printf("  N = %d robots   K = %d places   λ = %s per robot   μ = %s   γ = %s\n\n",
		p.Robots, p.Buffer, plainText(p.ArrivalRate), plainText(p.ServiceRate), plainText(p.StarvationWeight))
	s.item("cost", "%s per unit of time", s.styled(bold, plainText(solution.Gain)))
	s.item("", "between %s and %s: %s", lowerText(solution.Lower), upperText(solution.Upper),
		s.styled(statusStyle(solution.Status), statusWords(solution.Status)))
	s.item("method", "%s", methodWords(solution.Method, solution.Iterations))
	if solution.Choice != "" {
		s.item("", "chosen since %s", solution.Choice)
	}
	if m := solution.Measures; m != nil && solution.Status != mdp.Converged {
		s.item("policy", "that found costs %s", plainText(m.Gain))
	}
	s.measures(solution)
	s.printf("\n")
	s.item("best fixed", "%s, at cost %s", count(fixed.Robots, "robot"), plainText(fixed.Cost))
	if share := saving(solution, fixed); share >= 0 {
		s.item("saving", "%s of that cost, by switching", s.styled(bold, percentText(share)))
	} else {
		s.item("saving", "none: the policy found costs %s more", percentText(-share))
	}
	s.printf("\n")
	s.curves(solution)
}

func (s *screen) measures(solution *robots.Solution) {
	m := solution.Measures
	if m == nil {
		s.item("behaviour", "not computed: it would take too much memory or time")
		return
	}
	brought := solution.Parameters.ArrivalRate * m.RobotsMean
	s.item("starvation", "the queue is empty %s of the time", percentText(m.Starvation))
	s.item("loss", "%s of the pages are lost, %s per unit of time", percentText(m.LossRate/brought), plainText(m.LossRate))
	s.item("active", "%s robots on average, never fewer than %d or more than %d in the long run",
		shortText(m.RobotsMean, 6), m.RobotsMin, m.RobotsMax)
}

func methodWords(method string, iterations int) string {
	unit := "iteration"
	if methodName(method) == methodPolicy {
		unit = "evaluation"
	}
	return fmt.Sprintf("%s, %s", method, count(iterations, unit))
}

// curves draws the policy at departures and at arrivals.
func (s *screen) curves(solution *robots.Solution) {
	p := solution.Parameters
	departures := newGrid(p, solution.Policy, robots.Departure)
	arrivals := newGrid(p, solution.Policy, robots.Arrival)
	width := s.width - gridMargin
	s.heading("When a page leaves: activate one more robot?")
	s.printf("%s\n", s.colourGrid(strings.Join(departures.draw(width), "\n")))
	s.printf("\n")
	s.heading("When a robot delivers: send it out again?")
	s.printf("%s\n", s.colourGrid(strings.Join(arrivals.draw(width), "\n")))
	s.printf("\n")
	s.printf("  %s yes   %s no   r robots active and q pages in the queue just before%s\n",
		s.styled(cyan, "█"), s.styled(faint, "·"), departures.frame(width).scaleNote())
	s.wrapped("  ", structureWords(solution.Curves))
}

func structureWords(c robots.Curves) string {
	switch {
	case c.Monotone:
		return "Yes up to a queue length that does not rise with r: a monotone switching curve."
	case c.Threshold:
		return "Yes up to a queue length that does rise with r somewhere: a switching curve, but not a monotone one."
	}
	return "Not a switching curve: for some r, yes at a longer queue and no at a shorter one."
}
