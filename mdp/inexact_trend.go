package mdp

import (
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// trend watches how the gap between the bounds closes from iteration to iteration. It
// judges at numbers of iterations that double each time.
type trend struct {
	next       int     // the iteration at which it judges next
	most       float64 // how many more iterations there may be
	iterations int
	half, now  float64 // the gap at half of next, and after the last iteration
}

// newTrend judges first after so many iterations, the patience.
func newTrend(patience int, most float64) trend { return trend{next: patience, most: most} }

// add takes down the gap after an iteration.
func (t *trend) add(gap float64) {
	t.iterations++
	t.now = gap
	if 2*t.iterations == t.next {
		t.half = gap
	}
}

// due says that it is time to judge.
func (t *trend) due() bool { return t.iterations == t.next }

// slow says whether it will take too many iterations to the goal at the pace of the
// later half of the iterations.
func (t *trend) slow(goal float64) bool {
	pace := math.Log(t.now/t.half) / float64(t.iterations-t.next/2) // below 0 where the gap closes
	left := math.Log(goal/t.now) / pace
	t.half, t.next = t.now, 2*t.iterations
	return !(pace < 0) || left > t.most
}

// goal returns the gap between bounds at which the answer is good enough.
func (it *inexactIteration) goal(lower, upper float64) float64 {
	magnitude := max(math.Abs(lower), math.Abs(upper))
	if it.discount < 1 {
		magnitude = vector.LargestMagnitude(it.sweeps.answer().values.High) / rateOf(it.model)
	}
	return it.task.settings.Tolerance * magnitude / it.task.run.strictness
}
