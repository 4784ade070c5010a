package model

// Why totals are infinite.

import (
	"fmt"
	"math"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// explain keeps in the result why values are infinite, if any is: first why that of the initial
// state is.
func (s *solution) explain() {
	r := s.result
	var reasons []string
	initial := math.Inf(1)
	if math.IsInf(r.Upper[r.Initial], -1) {
		initial = math.Inf(-1)
	}
	for _, infinity := range []float64{initial, -initial} {
		isInfinite := func(state int) bool { return r.Lower[state] == infinity && r.Upper[state] == infinity }
		first, others := r.Initial, -1
		for state := range r.Values {
			if isInfinite(state) {
				if others++; !isInfinite(first) {
					first = state
				}
			}
		}
		if others < 0 {
			continue
		}
		where := "state " + stateName(s.model, first)
		if others > 0 {
			where += ", as in " + ui.Count(others, "other state")
		}
		reasons = append(reasons, where+": "+s.reason(infinity))
	}
	if r.Infinite = strings.Join(reasons, "; "); r.Infinite != "" {
		r.Infinite += s.question.finiteInstead(s.model)
	}
}

// reason says why a value is infinite: the graph decides, or a cycle that lowers the total.
func (s *solution) reason(infinity float64) string {
	end := wording.Quote(s.question.target)
	if s.question.stated != nil {
		end = s.question.stated.End
	}
	if s.question.stated != nil && end == "" {
		const forEver = " collects rewards for ever with a probability above 0"
		switch {
		case !s.hasChoices():
			return "the chain" + forEver
		case s.question.sense == mdp.Maximize:
			return "some policy" + forEver
		}
		return "every policy" + forEver
	}
	switch chance := fmt.Sprintf("reaches %s with a probability below 1, which counts as +∞", end); {
	case infinity < 0:
		return fmt.Sprintf("a cycle with a total below 0 can be repeated without limit before %s is reached", end)
	case s.of != nil:
		return "the policy " + chance
	case !s.hasChoices():
		return "the chain " + chance
	case s.question.sense == mdp.Maximize:
		return "some policy " + chance + " when maximising"
	}
	return fmt.Sprintf("no policy reaches %s with probability 1", end)
}

// finiteInstead names totals that are finite in every model.
func (q question) finiteInstead(m *modelfile.Model) string {
	switch {
	case q.property != nil:
		return " (R [C<=t] is finite)"
	case m.Kind == modelfile.CTMC:
		return ""
	}
	return " (a discounted total and that of a number of steps are finite)"
}
