package robots

import (
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
)

func printSolution(s *ui.Screen, solution *robots.Solution, fixed static.Result) {
	p := solution.Parameters
	s.Heading("Robots switched on and off")
	s.Printf("  N = %d robots   K = %d places   λ = %s per robot   μ = %s   γ = %s\n\n",
		p.Robots, p.Buffer, ui.PlainText(p.ArrivalRate), ui.PlainText(p.ServiceRate), ui.PlainText(p.StarvationWeight))
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
	printMeasures(s, solution)
	s.Printf("\n")
	s.Item("best fixed", "%s, at cost %s", ui.Count(fixed.Robots, "robot"), ui.PlainText(fixed.Cost))
	if share := saving(solution, fixed); share >= 0 {
		s.Item("saving", "%s of that cost, by switching", s.Styled(ui.Bold, ui.PercentText(share)))
	} else {
		s.Item("saving", "none: the policy found costs %s more", ui.PercentText(-share))
	}
	s.Printf("\n")
	printCurves(s, solution)
}

func printMeasures(s *ui.Screen, solution *robots.Solution) {
	m := solution.Measures
	if m == nil {
		s.Item("behaviour", "not computed: it would take too much memory or time")
		return
	}
	brought := solution.Parameters.ArrivalRate * m.RobotsMean
	s.Item("starvation", "the queue is empty %s of the time", ui.PercentText(m.Starvation))
	s.Item("loss", "%s of the pages are lost, %s per unit of time", ui.PercentText(m.LossRate/brought), ui.PlainText(m.LossRate))
	s.Item("active", "%s robots on average, never fewer than %d or more than %d in the long run",
		ui.ShortText(m.RobotsMean, 6), m.RobotsMin, m.RobotsMax)
}

func methodWords(method string, iterations int) string {
	unit := "iteration"
	if methodName(method) == ui.MethodPolicy {
		unit = "evaluation"
	}
	return fmt.Sprintf("%s, %s", method, ui.Count(iterations, unit))
}

// printCurves draws the policy at departures and at arrivals.
func printCurves(s *ui.Screen, solution *robots.Solution) {
	p := solution.Parameters
	departures := ui.NewGrid(p, solution.Policy, robots.Departure)
	arrivals := ui.NewGrid(p, solution.Policy, robots.Arrival)
	width := s.Width - ui.GridMargin
	s.Heading("When a page leaves: activate one more robot?")
	s.Printf("%s\n", s.ColourGrid(strings.Join(departures.Draw(width), "\n")))
	s.Printf("\n")
	s.Heading("When a robot delivers: send it out again?")
	s.Printf("%s\n", s.ColourGrid(strings.Join(arrivals.Draw(width), "\n")))
	s.Printf("\n")
	s.Printf("  %s yes   %s no   r robots active and q pages in the queue just before%s\n",
		s.Styled(ui.Cyan, "█"), s.Styled(ui.Faint, "·"), departures.Frame(width).ScaleNote())
	s.Wrapped("  ", structureWords(solution.Curves))
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
