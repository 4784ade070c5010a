// This file makes service times for simulations.

package operate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mdpsolve/mdpsolve/queue"
)

// Services makes the source of service times for one replication, whose
// randomness it may use: [LawServices], [TraceServices] or your own.
type Services func(random *rand.Rand) Sampler

// Sampler draws service times: a [queue.Law], or recorded times that are played back.
// It may have a state and is used by one goroutine at a time.
type Sampler interface {
	// Draw returns the next service time, a finite number of 0 or more.
	Draw(random *rand.Rand) float64
}

// LawServices returns independent service times of a law, which need not be of
// phase type nor have the mean for which a policy was made. It returns an error for
// a law that is nil.
func LawServices(law queue.Law) (Services, error) {
	if law == nil {
		return nil, invalid("law", law, "a law")
	}
	return func(*rand.Rand) Sampler { return law }, nil
}

// TraceServices returns recorded service times in the order in which they were
// recorded, which keeps their dependence on each other. Each replication begins
// at a random place and goes round. The times are not copied. It returns an
// error unless they are finite numbers of 0 or more, one of them above 0.
func TraceServices(times []float64) (Services, error) {
	longest := 0.0
	for i, time := range times {
		if !(time >= 0) || math.IsInf(time, 1) {
			return nil, invalid(fmt.Sprintf("times[%d]", i), time, "a finite number of 0 or more")
		}
		longest = max(longest, time)
	}
	if longest == 0 {
		return nil, invalid("times", fmt.Sprintf("a list of %d, none above 0", len(times)), "a list with a number above 0")
	}
	return func(random *rand.Rand) Sampler {
		return &trace{times, random.IntN(len(times))}
	}, nil
}

// trace plays times back.
type trace struct {
	times []float64
	next  int
}

// Draw implements [Sampler].
func (t *trace) Draw(*rand.Rand) float64 {
	time := t.times[t.next]
	t.next++
	if t.next == len(t.times) {
		t.next = 0
	}
	return time
}
