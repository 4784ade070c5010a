// This file prints the answer of robots solve.

package robots

import (
	"fmt"
	"math"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/grid"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// print prints the answer of robots solve.
func (f *answer) print(s *ui.Screen) {
	p := f.Parameters
	name, unit := "cost", " per unit of time"
	switch {
	case f.limit != nil:
		s.Heading("Robots switched on and off, within a limit")
		printClasses(s, p, "   "+f.limit.words())
		name, unit = "least "+f.limit.minimisedWords(), ""
	case f.worst != nil:
		s.Heading("Robots switched on and off, worst case over ranges of rates")
		s.Printf("  N = %s   K = %d places   λ = %s per robot   μ = %s   γ = %s\n", wording.Count(p.Robots, "robot"), p.Buffer,
			rangeText(f.rates.Arrival), rangeText(f.rates.Service), ui.PlainText(p.StarvationWeight))
		name = "worst case"
	default:
		s.Heading("Robots switched on and off")
		printClasses(s, p, "   γ = "+ui.PlainText(p.StarvationWeight))
	}
	if f.variant {
		printService(s, p)
	}
	s.Printf("\n")
	s.Item(name, "%s%s", s.Styled(ui.Bold, s.Rounded(f.Gain, ui.ValueText(f.Gain, f.Lower, f.Upper))), unit)
	s.Item("", "%s", s.Styled(ui.StatusStyle(f.Status), ui.StatusWords(f.Status)))
	f.printMethod(s)
	switch {
	case f.limit != nil:
		f.printWithin(s)
	case f.worst == nil && f.Measures != nil && f.Status != mdp.Converged:
		s.Item("policy", "the policy found costs %s", s.Plain(f.Measures.Gain))
	}
	f.printMeasures(s)
	s.Printf("\n")
	switch {
	case f.limit != nil:
	case f.worst != nil:
		f.printMiddle(s)
		s.Printf("\n")
	default:
		f.printFixed(s)
		s.Printf("\n")
	}
	f.printDecisions(s)
	if f.worst != nil {
		f.printWorst(s)
	}
}

// printMethod prints the method, and why it was chosen.
func (f *answer) printMethod(s *ui.Screen) {
	if f.limit != nil || f.Method == "" {
		return
	}
	words := methodWords(f.Method, f.Iterations)
	if f.worst != nil && f.worst.Rounds > 0 {
		words += ", in " + wording.Count(f.worst.Rounds, "round")
	}
	s.Item("method", "%s", words)
	if f.Reason != "" {
		s.Item("", "chosen because %s", f.Reason)
	}
}

// printClasses prints the classes of robots and their rates.
func printClasses(s *ui.Screen, p robots.Parameters, weight string) {
	classes := p.ClassList()
	if len(classes) == 1 {
		s.Printf("  N = %s   K = %d places   λ = %s per robot   μ = %s%s\n", wording.Count(classes[0].Robots, "robot"), p.Buffer,
			ui.PlainText(classes[0].ArrivalRate), ui.PlainText(p.ServiceRate), weight)
		return
	}
	s.Printf("  K = %d places   μ = %s%s\n", p.Buffer, ui.PlainText(p.ServiceRate), weight)
	for i, class := range classes {
		s.Printf("  class %d: %s   λ = %s per robot\n", i+1, wording.Count(class.Robots, "robot"), ui.PlainText(class.ArrivalRate))
	}
}

// printService prints the law of the services and the costs beside starvation and loss.
func printService(s *ui.Screen, p robots.Parameters) {
	s.Printf("  service %s", ui.LawWords(p.Service))
	for _, cost := range []struct {
		value float64
		words string
	}{
		{p.HoldingCost, "per page in the queue"},
		{p.RobotCost, "per active robot"},
		{p.ActivationCost, "per activation"},
	} {
		if cost.value > 0 {
			s.Printf("   cost %s %s", ui.PlainText(cost.value), cost.words)
		}
	}
	s.Printf("\n")
}

func methodWords(method string, iterations int) string {
	unit := "iteration"
	if methodName(method) == ui.MethodPolicy {
		unit = "evaluation"
	}
	return fmt.Sprintf("%s, %s", method, wording.Count(iterations, unit))
}

// brought returns the pages that robots bring per unit of time.
func (f *answer) brought() float64 {
	if f.worst != nil {
		return f.broughtAtWorst()
	}
	brought := 0.0
	if f.Measures != nil {
		for c, class := range f.Parameters.ClassList() {
			brought += class.ArrivalRate * f.Measures.RobotsMeanByClass[c]
		}
	}
	return brought
}

// printMeasures prints the behaviour of the policy.
func (f *answer) printMeasures(s *ui.Screen) {
	m := f.Measures
	if m == nil {
		s.Item("behaviour", "not computed: it takes too much memory or time")
		return
	}
	short := func(x float64) string { return s.Rounded(x, ui.ShortText(x, 6)) }
	var means []string
	for c := range f.Parameters.ClassList() {
		means = append(means, fmt.Sprintf("%s of class %d", short(m.RobotsMeanByClass[c]), c+1))
	}
	s.Item("starvation", "the queue is empty %s of the time", s.Percent(m.Starvation))
	if f.free != nil {
		s.Item("", "%s", f.freeWords())
	}
	s.Item("loss", "%s of the pages are lost, %s per unit of time", s.Percent(m.LossRate/f.brought()), s.Plain(m.LossRate))
	if m.RobotsMin == m.RobotsMax {
		s.Item("active", "always %s", wording.Count(m.RobotsMin, "robot"))
	} else {
		s.Item("active", "%s robots on average, from %d to %d in the long run", short(m.RobotsMean), m.RobotsMin, m.RobotsMax)
	}
	if len(means) > 1 {
		s.Item("", "%s", strings.Join(means, ", "))
	}
	if f.variant {
		s.Item("queue", "%s pages on average, %s activations per unit of time",
			short(m.PagesMean), short(m.ActivationRate))
	}
	if c, ok := f.Policy.Chance(); ok {
		s.Item("chance", "%s", f.chanceWords(c))
	}
	if f.within != nil && f.within.Other != nil {
		s.Item("mixture", "at the start, with probability %s, another policy is drawn and followed for ever (--policy-out FILE saves it as FILE%s)",
			ui.PercentText(f.within.OtherShare), otherSuffix)
	}
}

// printFixed compares the policy with the best fixed numbers of robots.
func (f *answer) printFixed(s *ui.Screen) {
	if f.fixed == nil {
		s.Item("best fixed", "not computed: it takes too much time")
		return
	}
	words := wording.Count(f.fixed.Robots[0], "robot")
	if len(f.fixed.Robots) > 1 {
		each := make([]string, len(f.fixed.Robots))
		for c, n := range f.fixed.Robots {
			each[c] = fmt.Sprintf("%d of class %d", n, c+1)
		}
		words = strings.Join(each, ", ")
	}
	s.Item("best fixed", "%s, at cost %s", words, s.Plain(f.fixed.Cost))
	switch share := saving(f.Solution, f.fixed.Cost); {
	case math.IsNaN(share):
		s.Item("saving", "none: the best fixed number costs nothing")
	case share >= 0:
		s.Item("saving", "%s of that cost", s.Styled(ui.Bold, s.Percent(share)))
	default:
		s.Item("saving", "none yet: the policy found costs %s more", s.Percent(-share))
	}
}

// printDecisions draws the policy at departures, and at arrivals of each class.
func (f *answer) printDecisions(s *ui.Screen) {
	classes := len(f.Parameters.ClassList())
	decisions := grid.New(f.Policy, s.Width-grid.Margin)
	several := classes > 1
	activate := "When a page leaves: activate a robot?"
	if several {
		activate = "When a page leaves: activate a robot, of which class?"
	}
	printDrawing(s, activate, decisions.Departures())
	for c := range classes {
		again := "When a robot delivers: send it out again?"
		if several {
			again = fmt.Sprintf("When a robot of class %d delivers: send it out again?", c+1)
		}
		printDrawing(s, again, decisions.Arrivals(c))
	}
	s.Printf("  %s yes   %s no   with r active robots and q pages in the queue just before the event%s\n",
		s.Styled(ui.Cyan, "█"), s.Styled(ui.Faint, "·"), decisions.ScaleNote())
	if several {
		s.Printf("  1, 2 … activate a robot of that class   + the class depends on which robots are active\n")
	}
	switch phases := f.Policy.Phases(); {
	case several && phases > 1:
		s.Wrapped("  ", "░▒▓ the decision depends on the classes of the active robots or on the phase of indexing.")
	case several:
		s.Wrapped("  ", "░▒▓ the decision depends on the classes of the active robots.")
	case phases > 1:
		s.Wrapped("  ", fmt.Sprintf("░▒▓ the decision depends on the phase of indexing, one of %d; JSON has the curves of each phase.", phases))
	}
	if curves := f.Policy.Curves(); len(curves) == 1 {
		s.Wrapped("  ", structureWords(curves[0]))
	}
}

func printDrawing(s *ui.Screen, heading string, lines []string) {
	s.Heading("%s", heading)
	s.Printf("%s\n\n", grid.Coloured(s, strings.Join(lines, "\n")))
}

func structureWords(c robots.Curves) string {
	switch {
	case c.Monotone:
		return "A monotone switching curve: as r grows, yes ends at a shorter or equal queue."
	case c.Threshold:
		return "A switching curve that is not monotone: yes up to a queue length that rises with r somewhere."
	}
	return "Not a switching curve: for some r, yes at a longer queue but no at a shorter one."
}
