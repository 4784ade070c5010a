package mdp

import "math"

// trend watches how the gap between the bounds closes from round to round. It
// judges at numbers of rounds that double each time.
type trend struct {
	Next      int     // the round at which it judges next
	Most      float64 // how many more rounds there may be
	Rounds    int
	Half, Now float64 // the gap at half of next, and after the last round
}

// newTrend judges first after so many rounds, the patience.
func newTrend(patience int, most float64) trend { return trend{Next: patience, Most: most} }

// add takes down the gap after a round.
func (t *trend) add(gap float64) {
	t.Rounds++
	t.Now = gap
	if 2*t.Rounds == t.Next {
		t.Half = gap
	}
}

// due says that it is time to judge.
func (t *trend) due() bool { return t.Rounds == t.Next }

// slow says whether it will take too many rounds to the goal at the pace of the
// later half of the rounds.
func (t *trend) slow(goal float64) bool {
	pace := math.Log(t.Now/t.Half) / float64(t.Rounds-t.Next/2) // below 0 where the gap closes
	left := math.Log(goal/t.Now) / pace
	t.Half, t.Next = t.Now, 2*t.Rounds
	return !(pace < 0) || left > t.Most
}

// goal returns the gap between bounds at which the answer is good enough.
func (it *inexactIteration) goal(lower, upper float64) float64 {
	magnitude := max(math.Abs(lower), math.Abs(upper))
	if it.discount < 1 {
		magnitude = largestMagnitude(it.sweeps.answer().values.high) / rateOf(it.model)
	}
	return it.task.settings.Tolerance * magnitude / it.task.run.strictness
}
