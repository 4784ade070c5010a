package answer

// This file says why totals are infinite.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// explain sets Result.Infinite, which says why values are infinite, that of the initial state first.
func (a *Answer) explain() {
	r := a.Result
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
		where := "state " + a.Model.StateName(first)
		if others > 0 {
			where += ", as in " + wording.Count(others, "other state")
		}
		reasons = append(reasons, where+": "+a.reason(infinity))
	}
	if r.Infinite = strings.Join(reasons, "; "); r.Infinite != "" {
		r.Infinite += a.finiteInstead(slices.Contains(r.Lower, math.Inf(1)))
	}
}

// reason says why a value is infinite: the target may be missed, or a cycle lowers the total without
// limit.
func (a *Answer) reason(infinity float64) string {
	end := wording.Quote(a.Target)
	switch {
	case a.Target == "":
		return a.forEver(infinity)
	case a.Stated != nil:
		end = "the target"
	}
	switch chance := fmt.Sprintf("reaches %s with a probability below 1, which counts as +∞", end); {
	case infinity < 0:
		return fmt.Sprintf("a cycle with a total below 0 can be repeated without limit before %s is reached", end)
	case a.followed != nil:
		return "the policy " + chance
	case !a.HasChoices():
		return "the chain " + chance
	case a.IsMaximized():
		return "some policy " + chance + " when maximising"
	}
	return fmt.Sprintf("no policy reaches %s with probability 1", end)
}

// forEver says why a total of all steps is infinite.
func (a *Answer) forEver(infinity float64) string {
	who := "some policy"
	switch {
	case a.followed != nil:
		who = "the policy"
	case !a.HasChoices():
		who = "the chain"
	case (infinity > 0) != a.IsMaximized():
		who = "every policy"
	}
	side := "above"
	if infinity < 0 {
		side = "below"
	}
	return who + " stays for ever, with a probability above 0, among states whose mean reward is " + side + " 0"
}

// finiteInstead names other totals: those that are finite in every model and, where policies
// avoid a target, the total without one.
func (a *Answer) finiteInstead(avoids bool) string {
	avoids = avoids && a.Target != "" && !a.Model.IsUncertain()
	switch {
	case a.Parsed != nil && a.Model.Kind.IsContinuous() && a.Model.Kind.HasChoices(): // such kinds have no properties with a time
		return ""
	case a.Parsed != nil && avoids:
		return " (R [C] is the total of all steps, without a target; R [C<=t] is finite)"
	case a.Parsed != nil:
		return " (R [C<=t] is finite)"
	case a.Model.Kind.IsContinuous() && avoids:
		return " (leave out the target for the total over all time)"
	case a.Model.Kind.IsContinuous():
		return ""
	case avoids:
		return " (leave out the target for the total of all steps; a discounted total and that of a number of steps are finite)"
	}
	return " (a discounted total and that of a number of steps are finite)"
}
