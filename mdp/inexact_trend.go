package mdp

import "math"

// trend watches how the gap between the bounds closes from round to round. It
// judges at numbers of rounds that double each time.
type trend struct {
	next      int     // the round at which it judges next
	most      float64 // how many more rounds there may be
	rounds    int
	half, now float64 // the gap at half of next, and after the last round
}

// newTrend judges first after so many rounds, the patience.
func newTrend(patience int, most float64) trend { return trend{next: patience, most: most} }

// add takes down the gap after a round.
func (t *trend) add(gap float64) {
	t.rounds++
	t.now = gap
	if 2*t.rounds == t.next {
		t.half = gap
	}
}

// due says that it is time to judge.
func (t *trend) due() bool { return t.rounds == t.next }

// slow says whether it will take too many rounds to the goal at the pace of the
// later half of the rounds.
func (t *trend) slow(goal float64) bool {
	pace := math.Log(t.now/t.half) / float64(t.rounds-t.next/2) // below 0 where the gap closes
	left := math.Log(goal/t.now) / pace
	t.half, t.next = t.now, 2*t.rounds
	return !(pace < 0) || left > t.most
}

// goal returns the gap between bounds at which the answer is good enough.
func (it *inexactIteration) goal(lower, upper float64) float64 {
	magnitude := max(math.Abs(lower), math.Abs(upper))
	if it.discount < 1 {
		magnitude = largestMagnitude(it.sweeps.answer().values.high) / rateOf(it.model)
	}
	return it.task.settings.Tolerance * magnitude / it.task.run.strictness
}
