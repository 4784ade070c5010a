package refresh

// The text output of refresh rates.

import (
	"math"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
	"github.com/mdpsolve/mdpsolve/queue"
)

func printRates(s *ui.Screen, r *ratesAnswer) {
	solution, pages := r.solution, r.problem.Pages
	s.Heading("How often to access each page")
	s.Printf("  %s   bandwidth R = %s   objective %v%s\n\n", wording.Count(pages.Len(), "page"), r.bandwidthWords(),
		r.problem.Objective, lawWords(r.law, r.unit))
	what := "freshness"
	switch {
	case r.objective == (refresh.Age{}).String():
		what = "age"
	case r.objective == (refresh.Harmonic{}).String():
		what = "staleness"
	case r.problem.Objective.Minimizes():
		what = "cost"
	}
	s.Item(what, "%s", meanWords(s, what, solution.Value, r.weights, r.unit))
	s.Item("bound", "%s for any rates: %s", r.boundWords(),
		s.Styled(ui.StatusStyle(r.status), r.optimalityWords()))
	s.Item("active", "%s of the pages (%d)",
		ui.PercentText(float64(solution.Active)/float64(max(1, pages.Len()))), solution.Active)
	s.Item("accesses", "%s %s in all", ui.PlainText(solution.Used), r.unit.Per())
	s.Item("multiplier", "one more access %s would gain %s", r.unit.Per(), ui.PlainText(solution.Multiplier))
	if r.limited() {
		s.Item("limits", "%s at the greatest interval, %d at the least", wording.Count(solution.AtLeast, "page"), solution.AtMost)
	}
	if r.hosts != nil {
		s.Item("hosts", "%d; caps limit %d of them", len(r.hosts.caps), r.hosts.binding(solution))
	}
	if r.unusable > 0 {
		s.Item("left out", "%s that could not be used", s.Styled(ui.Red, wording.Count(int(r.unusable), "row")))
	}
	s.Item("seconds", "%s to read, %s to solve (%s over all pages), %s to write", ui.ShortText(r.readSeconds, 3),
		ui.ShortText(solution.Elapsed.Seconds(), 3), wording.Count(solution.Passes, "round"), ui.ShortText(r.writeSeconds, 3))
}

// bandwidthWords returns the bandwidth, with its unit if known.
func (r *ratesAnswer) bandwidthWords() string {
	text := ui.PlainText(r.problem.Bandwidth)
	if r.unit == unit.Unknown {
		return text
	}
	return text + " " + r.unit.Per()
}

// meanWords returns the mean that a weighted sum over pages stands for, and then the sum; ages
// are in the unit of time.
func meanWords(s *ui.Screen, what string, sum, weights float64, u unit.Unit) string {
	if !(weights > 0) {
		return s.Styled(ui.Bold, ui.PlainText(sum))
	}
	mean, words := sum/weights, " of the pages, by weight, are out of date on average"
	text, of := ui.PercentText(mean), " of "+ui.PlainText(weights)
	switch what {
	case "freshness":
		words = " of the pages, by weight, are up to date on average"
	case "age":
		text, words, of = u.Of(ui.PlainText(mean)), " on average, by weight", " in all"
	case "staleness":
		text, words, of = ui.PlainText(mean), " on average, by weight", " in all"
	}
	return s.Styled(ui.Bold, text) + words + " (" + ui.PlainText(sum) + of + ")"
}

// boundWords returns the bound on the value.
func (r *ratesAnswer) boundWords() string {
	if r.problem.Objective.Minimizes() {
		return "at least " + ui.LowerText(r.solution.Bound)
	}
	return "at most " + ui.UpperText(r.solution.Bound)
}

// optimalityWords says how close the value is to its bound.
func (r *ratesAnswer) optimalityWords() string {
	s := r.solution
	gap := math.Abs(s.Bound-s.Value) / math.Abs(s.Bound)
	switch {
	case r.status != mdp.Converged:
		return ui.StatusWords(r.status)
	case gap < 1e-16 || s.Bound == s.Value:
		return "optimal to all digits"
	}
	return "optimal up to a relative error of " + ui.ShortText(gap, 1)
}

// lawWords describes the access times, if they matter.
func lawWords(law queue.Law, u unit.Unit) string {
	if law == nil {
		return ""
	}
	return "   access time " + law.String() + ", mean " + u.Of(ui.PlainText(law.Mean()))
}
