package implicit

import "math"

// trend watches how the gap between the bounds closes from iteration to iteration.
// It judges after numbers of iterations that double each time.
type trend struct {
	next       int     // the number of iterations at which it judges next
	most       float64 // how many more iterations there may be
	iterations int
	half       float64 // the gap at half of next
}

// tooSlow takes down the gap after an iteration. It says whether the goal is too many
// iterations away at the pace of the later half of those so far.
func (t *trend) tooSlow(gap float64, goal func() float64) bool {
	t.iterations++
	if 2*t.iterations == t.next {
		t.half = gap
	}
	if t.iterations < t.next {
		return false
	}
	pace := math.Log(gap/t.half) / float64(t.iterations-t.next/2) // below 0 where the gap closes
	left := math.Log(goal()/gap) / pace
	t.half, t.next = gap, 2*t.iterations
	return !(pace < 0) || left > t.most
}
