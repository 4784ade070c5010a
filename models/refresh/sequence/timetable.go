package sequence

import (
	"fmt"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// A Timetable says when the slots of a [Sequence] take place: slot t at
// start + t/R, R being the bandwidth, in slots per unit of time. Each time is computed
// from t alone, so that no rounding adds up.
type Timetable struct {
	start     time.Time
	unit      time.Duration
	bandwidth float64
}

// NewTimetable returns the timetable of a crawl that makes bandwidth accesses
// in each unit of time. Allowed are a positive finite bandwidth and a positive
// unit.
func NewTimetable(start time.Time, unit time.Duration, bandwidth float64) (Timetable, error) {
	if !(bandwidth > 0 && bandwidth <= math.MaxFloat64) {
		return Timetable{}, fmt.Errorf("sequence: bandwidth: %s", wording.Invalid(bandwidth, "a finite number above 0"))
	}
	if unit <= 0 {
		return Timetable{}, fmt.Errorf("sequence: unit of time: %s", wording.Invalid(unit, "more than 0"))
	}
	return Timetable{start, unit, bandwidth}, nil
}

// Time returns the time of a slot, to 1 ns and a relative error of 2⁻⁵² of what
// has passed since the start. Slots more than 292 years after the start, the
// range of a time.Duration, are all put there.
func (t Timetable) Time(slot int64) time.Time {
	passed := float64(slot) / t.bandwidth * float64(t.unit)
	if passed >= math.MaxInt64 {
		return t.start.Add(math.MaxInt64)
	}
	return t.start.Add(time.Duration(math.Round(passed)))
}
