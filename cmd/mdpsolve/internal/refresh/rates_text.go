package refresh

// The answer of refresh rates for people.

import (
	"math"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
	"github.com/mdpsolve/mdpsolve/queue"
)

func printRates(s *ui.Screen, r *ratesAnswer) {
	solution, pages := r.solution, r.problem.Pages
	s.Heading("How often to access each page")
	s.Printf("  %s   bandwidth R = %s   objective %v%s\n\n", ui.Count(pages.Len(), "page"), r.bandwidthWords(),
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
	s.Item(what, "%s%s", s.Styled(ui.Bold, ui.PlainText(solution.Value)), meanWords(what, solution.Value, r.weights, r.unit))
	s.Item("bound", "%s at these rates or any others: %s", r.boundWords(),
		s.Styled(ui.StatusStyle(r.status), r.optimalityWords()))
	s.Item("active", "%d of the pages are accessed (%s), in total %s times %s", solution.Active,
		ui.PercentText(float64(solution.Active)/float64(max(1, pages.Len()))), ui.PlainText(solution.Used), r.unit.Per())
	s.Item("multiplier", "%s: what one more access %s would gain", ui.PlainText(solution.Multiplier), r.unit.Per())
	if r.hosts != nil {
		s.Item("hosts", "%d; caps keep %d of them from more accesses", len(r.hosts.caps), r.hosts.binding(solution))
	}
	if r.unusable > 0 {
		s.Item("left out", "%s that could not be used", s.Styled(ui.Red, ui.Count(int(r.unusable), "row")))
	}
	s.Item("seconds", "%s to read, %s to solve (%s over all pages), %s to write", ui.ShortText(r.readSeconds, 3),
		ui.ShortText(solution.Elapsed.Seconds(), 3), ui.Count(solution.Passes, "round"), ui.ShortText(r.writeSeconds, 3))
}

// bandwidthWords returns the bandwidth with its unit, if that is known.
func (r *ratesAnswer) bandwidthWords() string {
	text := ui.PlainText(r.problem.Bandwidth)
	if r.unit == unit.Unknown {
		return text
	}
	return text + " " + r.unit.Per()
}

// meanWords says what a sum over pages is on average; ages are in the unit of time.
func meanWords(what string, value, weights float64, u unit.Unit) string {
	if !(weights > 0) {
		return ""
	}
	mean := value / weights
	switch what {
	case "freshness":
		return ", " + ui.PercentText(mean) + " of the weight is up to date on average"
	case "age":
		return ", a mean age of " + u.Of(ui.PlainText(mean))
	case "staleness":
		return ", a mean of " + ui.PlainText(mean) + " per unit of weight"
	}
	return ", " + ui.PercentText(mean) + " of the weight is out of date on average"
}

// boundWords says how good the value can be at best.
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
		return "equal to all digits"
	}
	return "optimal to a relative " + ui.ShortText(gap, 1)
}

func totalWeight(pages refresh.Pages) float64 {
	if pages.Weights == nil {
		return float64(pages.Len())
	}
	total := 0.0
	for _, weight := range pages.Weights {
		total += weight
	}
	return total
}

// lawWords describes the access times, where they matter.
func lawWords(law queue.Law, u unit.Unit) string {
	if law == nil {
		return ""
	}
	return "   access time " + law.String() + ", mean " + u.Of(ui.PlainText(law.Mean()))
}
