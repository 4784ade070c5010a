package main

import (
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

func printFleet(s *screen, solution *robots.FleetSolution, fixed *robots.StaticMix) {
	f := solution.Fleet
	s.heading("Robots switched on and off")
	s.fleet(f, "   γ = "+plainText(f.StarvationWeight))
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
	s.fleetMeasures(f, solution.Measures)
	s.printf("\n")
	s.mix(solution, fixed)
	s.printf("\n")
	s.decisions(solution)
}

// fleet prints what is given: classes, rates, law and costs.
func (s *screen) fleet(f robots.Fleet, weight string) {
	if len(f.Classes) == 1 {
		s.printf("  N = %s   K = %d places   λ = %s per robot   μ = %s%s\n", count(f.Classes[0].Robots, "robot"), f.Buffer,
			plainText(f.Classes[0].ArrivalRate), plainText(f.ServiceRate), weight)
	} else {
		s.printf("  K = %d places   μ = %s%s\n", f.Buffer, plainText(f.ServiceRate), weight)
		for i, class := range f.Classes {
			s.printf("  class %d: %s   λ = %s per robot\n", i+1, count(class.Robots, "robot"), plainText(class.ArrivalRate))
		}
	}
	s.printf("  service %s%s\n\n", serviceWords(f.Service), costWords(f))
}

// costWords names the costs other than those of starvation and loss.
func costWords(f robots.Fleet) string {
	var words strings.Builder
	for _, cost := range []struct {
		value float64
		words string
	}{
		{f.HoldingCost, "per page in the system"},
		{f.RobotCost, "per active robot"},
		{f.ActivationCost, "per activation"},
	} {
		if cost.value > 0 {
			fmt.Fprintf(&words, "   cost %s %s", plainText(cost.value), cost.words)
		}
	}
	return words.String()
}

func (s *screen) fleetMeasures(f robots.Fleet, m *robots.FleetMeasures) {
	if m == nil {
		s.item("behaviour", "not computed: it would take too much memory or time")
		return
	}
	brought := 0.0
	for c, class := range f.Classes {
		brought += class.ArrivalRate * m.RobotsMeanByClass[c]
	}
	s.item("starvation", "the queue is empty %s of the time", percentText(m.Starvation))
	s.item("loss", "%s of the pages are lost, %s per unit of time", percentText(m.LossRate/brought), plainText(m.LossRate))
	s.item("active", "%s robots on average, never fewer than %d or more than %d in the long run",
		shortText(m.RobotsMean, 6), m.RobotsMin, m.RobotsMax)
	if len(f.Classes) > 1 {
		words := make([]string, len(f.Classes))
		for c, mean := range m.RobotsMeanByClass {
			words[c] = fmt.Sprintf("%s of class %d", shortText(mean, 6), c+1)
		}
		s.item("", "%s", strings.Join(words, ", "))
	}
	s.item("queue", "%s pages in the system on average, %s activations per unit of time",
		shortText(m.PagesMean, 6), shortText(m.ActivationRate, 6))
}

// mix prints how the best fixed numbers of robots compare.
func (s *screen) mix(solution *robots.FleetSolution, fixed *robots.StaticMix) {
	if fixed == nil {
		s.item("best fixed", "not computed: it would take too much time")
		return
	}
	words := count(fixed.Robots[0], "robot")
	if len(fixed.Robots) > 1 {
		each := make([]string, len(fixed.Robots))
		for c, n := range fixed.Robots {
			each[c] = fmt.Sprintf("%d of class %d", n, c+1)
		}
		words = strings.Join(each, ", ")
	}
	s.item("best fixed", "%s, at cost %s", words, plainText(fixed.Cost))
	if share := mixSaving(solution, fixed); share >= 0 {
		s.item("saving", "%s of that cost, by switching", s.styled(bold, percentText(share)))
	} else {
		s.item("saving", "none: the policy found costs %s more", percentText(-share))
	}
}

// decisions draws the policy at departures, and at arrivals of each class.
func (s *screen) decisions(solution *robots.FleetSolution) {
	f := solution.Fleet
	counts := countDecisions(solution.Policy)
	width := s.width - gridMargin
	several := len(f.Classes) > 1
	activate := "When a page leaves: activate one more robot?"
	if several {
		activate = "When a page leaves: activate one more robot, of which class?"
	}
	s.drawing(activate, counts.drawDepartures(width))
	for c := range f.Classes {
		again := "When a robot delivers: send it out again?"
		if several {
			again = fmt.Sprintf("When a robot of class %d delivers: send it out again?", c+1)
		}
		s.drawing(again, counts.drawArrivals(width, c))
	}
	s.printf("  %s yes   %s no   r robots active and q pages in the queue just before%s\n",
		s.styled(cyan, "█"), s.styled(faint, "·"), counts.frame(width, true).scaleNote())
	if several {
		s.printf("  1, 2 … activate that class   + a class that depends on the mix\n")
	}
	switch phases := solution.Policy.Phases(); {
	case several && phases > 1:
		s.wrapped("  ", "░▒▓ where it depends on the classes of the active robots or on the phase of the service.")
	case several:
		s.wrapped("  ", "░▒▓ where it depends on the classes of the active robots.")
	case phases > 1:
		s.wrapped("  ", fmt.Sprintf("░▒▓ where it depends on which of the %d phases the service is in; JSON has the curves of each.", phases))
	}
	if curves := solution.Policy.Curves(); len(curves) == 1 {
		s.wrapped("  ", structureWords(curves[0]))
	}
}

func (s *screen) drawing(heading string, lines []string) {
	s.heading("%s", heading)
	s.printf("%s\n\n", s.colourGrid(strings.Join(lines, "\n")))
}
