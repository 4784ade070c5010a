package robots

import (
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

func printFleetSolution(s *ui.Screen, solution *robots.FleetSolution, fixed *robots.StaticMix) {
	f := solution.Fleet
	s.Heading("Robots switched on and off")
	printFleet(s, f, "   γ = "+ui.PlainText(f.StarvationWeight))
	s.Item("cost", "%s per unit of time", s.Styled(ui.Bold, ui.PlainText(solution.Gain)))
	s.Item("", "between %s and %s: %s", ui.LowerText(solution.Lower), ui.UpperText(solution.Upper),
		s.Styled(ui.StatusStyle(solution.Status), ui.StatusWords(solution.Status)))
	s.Item("method", "%s", methodWords(solution.Method, solution.Iterations))
	if solution.Choice != "" {
		s.Item("", "chosen since %s", solution.Choice)
	}
	if m := solution.Measures; m != nil && solution.Status != mdp.Converged {
		s.Item("policy", "that found costs %s", ui.PlainText(m.Gain))
	}
	printFleetMeasures(s, f, solution.Measures)
	s.Printf("\n")
	printMix(s, solution, fixed)
	s.Printf("\n")
	printDecisions(s, solution)
}

// printFleet prints what is given: classes, rates, law and costs.
func printFleet(s *ui.Screen, f robots.Fleet, weight string) {
	if len(f.Classes) == 1 {
		s.Printf("  N = %s   K = %d places   λ = %s per robot   μ = %s%s\n", ui.Count(f.Classes[0].Robots, "robot"), f.Buffer,
			ui.PlainText(f.Classes[0].ArrivalRate), ui.PlainText(f.ServiceRate), weight)
	} else {
		s.Printf("  K = %d places   μ = %s%s\n", f.Buffer, ui.PlainText(f.ServiceRate), weight)
		for i, class := range f.Classes {
			s.Printf("  class %d: %s   λ = %s per robot\n", i+1, ui.Count(class.Robots, "robot"), ui.PlainText(class.ArrivalRate))
		}
	}
	s.Printf("  service %s%s\n\n", serviceWords(f.Service), costWords(f))
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
			fmt.Fprintf(&words, "   cost %s %s", ui.PlainText(cost.value), cost.words)
		}
	}
	return words.String()
}

func printFleetMeasures(s *ui.Screen, f robots.Fleet, m *robots.FleetMeasures) {
	if m == nil {
		s.Item("behaviour", "not computed: it would take too much memory or time")
		return
	}
	brought := 0.0
	for c, class := range f.Classes {
		brought += class.ArrivalRate * m.RobotsMeanByClass[c]
	}
	s.Item("starvation", "the queue is empty %s of the time", ui.PercentText(m.Starvation))
	s.Item("loss", "%s of the pages are lost, %s per unit of time", ui.PercentText(m.LossRate/brought), ui.PlainText(m.LossRate))
	s.Item("active", "%s robots on average, never fewer than %d or more than %d in the long run",
		ui.ShortText(m.RobotsMean, 6), m.RobotsMin, m.RobotsMax)
	if len(f.Classes) > 1 {
		words := make([]string, len(f.Classes))
		for c, mean := range m.RobotsMeanByClass {
			words[c] = fmt.Sprintf("%s of class %d", ui.ShortText(mean, 6), c+1)
		}
		s.Item("", "%s", strings.Join(words, ", "))
	}
	s.Item("queue", "%s pages in the system on average, %s activations per unit of time",
		ui.ShortText(m.PagesMean, 6), ui.ShortText(m.ActivationRate, 6))
}

// printMix prints how the best fixed numbers of robots compare.
func printMix(s *ui.Screen, solution *robots.FleetSolution, fixed *robots.StaticMix) {
	if fixed == nil {
		s.Item("best fixed", "not computed: it would take too much time")
		return
	}
	words := ui.Count(fixed.Robots[0], "robot")
	if len(fixed.Robots) > 1 {
		each := make([]string, len(fixed.Robots))
		for c, n := range fixed.Robots {
			each[c] = fmt.Sprintf("%d of class %d", n, c+1)
		}
		words = strings.Join(each, ", ")
	}
	s.Item("best fixed", "%s, at cost %s", words, ui.PlainText(fixed.Cost))
	if share := mixSaving(solution, fixed); share >= 0 {
		s.Item("saving", "%s of that cost, by switching", s.Styled(ui.Bold, ui.PercentText(share)))
	} else {
		s.Item("saving", "none: the policy found costs %s more", ui.PercentText(-share))
	}
}

// printDecisions draws the policy at departures, and at arrivals of each class.
func printDecisions(s *ui.Screen, solution *robots.FleetSolution) {
	f := solution.Fleet
	counts := countDecisions(solution.Policy)
	width := s.Width - ui.GridMargin
	several := len(f.Classes) > 1
	activate := "When a page leaves: activate one more robot?"
	if several {
		activate = "When a page leaves: activate one more robot, of which class?"
	}
	printDrawing(s, activate, counts.drawDepartures(width))
	for c := range f.Classes {
		again := "When a robot delivers: send it out again?"
		if several {
			again = fmt.Sprintf("When a robot of class %d delivers: send it out again?", c+1)
		}
		printDrawing(s, again, counts.drawArrivals(width, c))
	}
	s.Printf("  %s yes   %s no   r robots active and q pages in the queue just before%s\n",
		s.Styled(ui.Cyan, "█"), s.Styled(ui.Faint, "·"), counts.frame(width, true).ScaleNote())
	if several {
		s.Printf("  1, 2 … activate that class   + a class that depends on the mix\n")
	}
	switch phases := solution.Policy.Phases(); {
	case several && phases > 1:
		s.Wrapped("  ", "░▒▓ where it depends on the classes of the active robots or on the phase of the service.")
	case several:
		s.Wrapped("  ", "░▒▓ where it depends on the classes of the active robots.")
	case phases > 1:
		s.Wrapped("  ", fmt.Sprintf("░▒▓ where it depends on which of the %d phases the service is in; JSON has the curves of each.", phases))
	}
	if curves := solution.Policy.Curves(); len(curves) == 1 {
		s.Wrapped("  ", structureWords(curves[0]))
	}
}

func printDrawing(s *ui.Screen, heading string, lines []string) {
	s.Heading("%s", heading)
	s.Printf("%s\n\n", s.ColourGrid(strings.Join(lines, "\n")))
}
