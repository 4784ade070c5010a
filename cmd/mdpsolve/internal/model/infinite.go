package model

// Why totals are infinite.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
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
		r.Infinite += s.question.finiteInstead(s.model, slices.Contains(r.Lower, math.Inf(1)))
	}
}

// reason says why a value is infinite: the graph decides, or a cycle that changes the total.
func (s *solution) reason(infinity float64) string {
	end := wording.Quote(s.question.target)
	switch {
	case s.question.target == "":
		return s.forEver(infinity)
	case s.question.stated != nil:
		end = "the target"
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

// forEver says why a total of all steps is infinite.
func (s *solution) forEver(infinity float64) string {
	who := "some policy"
	switch {
	case s.of != nil:
		who = "the policy"
	case !s.hasChoices():
		who = "the chain"
	case (infinity > 0) != (s.question.sense == mdp.Maximize):
		who = "every policy"
	}
	side := "above"
	if infinity < 0 {
		side = "below"
	}
	return who + " goes around for ever, with a probability above 0, where the mean reward is " + side + " 0"
}

// needless returns the infinite total that no policy need achieve, although it is the optimum; 0
// for none.
func needless(r *certificate.Result) float64 {
	switch {
	case r.Criterion != criterionTotal:
		return 0
	case r.Sense == mdp.Minimize.String():
		return math.Inf(-1)
	case r.Target == "":
		return math.Inf(1)
	}
	return 0
}

// finiteInstead names other totals: those that are finite in every model and, where policies
// avoid a target, the total without one.
func (q question) finiteInstead(m *modelfile.Model, avoids bool) string {
	avoids = avoids && q.target != "" && !m.IsUncertain()
	switch {
	case q.property != nil && avoids:
		return " (R [C] is the total of all steps, without a target; R [C<=t] is finite)"
	case q.property != nil:
		return " (R [C<=t] is finite)"
	case m.Kind.IsContinuous() && avoids:
		return " (leave out the target for the total over all time)"
	case m.Kind.IsContinuous():
		return ""
	case avoids:
		return " (leave out the target for the total of all steps; a discounted total and that of a number of steps are finite)"
	}
	return " (a discounted total and that of a number of steps are finite)"
}
