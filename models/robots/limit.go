// This file holds limits on starvation and losses.

package robots

import "errors"

// Limit is a limit on the long-run behaviour of a policy: one of its fields is not 0. The
// zero value is no limit.
type Limit struct {
	LossRate   float64 // most pages lost per unit of time
	LossShare  float64 // most of all pages delivered that are lost, a share below 1
	Starvation float64 // most of the time with an empty queue, a share of at most 1
}

// validate checks that exactly one field is set.
func (l Limit) validate() error {
	switch {
	case l.LossRate != 0 && !isPositive(l.LossRate):
		return &ParameterError{"LossRate", l.LossRate, positiveNumber}
	case l.LossShare != 0 && !(l.LossShare > 0 && l.LossShare < 1):
		return &ParameterError{"LossShare", l.LossShare, "a number above 0 and below 1"}
	case l.Starvation != 0 && !(l.Starvation > 0 && l.Starvation <= 1):
		return &ParameterError{"Starvation", l.Starvation, "a number above 0 and at most 1"}
	}
	set := 0
	for _, most := range []float64{l.LossRate, l.LossShare, l.Starvation} {
		if most != 0 {
			set++
		}
	}
	if set != 1 {
		return errors.New("robots: a limit is one of LossRate, LossShare and Starvation")
	}
	return nil
}

// line returns a, b and c for which the limit says aS + bL ≤ c. Of the pages
// delivered, L + μ(1−S) per unit of time, those that are not lost are indexed.
func (l Limit) line(serviceRate float64) (a, b, c float64) {
	switch {
	case l.LossRate > 0:
		return 0, 1, l.LossRate
	case l.LossShare > 0:
		return l.LossShare * serviceRate, 1 - l.LossShare, l.LossShare * serviceRate
	}
	return 1, 0, l.Starvation
}

// isEager reports whether a policy lies on the side of the limit with more losses, if it
// exceeds the limit by above.
func (l Limit) isEager(above float64) bool {
	if l.Starvation > 0 {
		return above <= 0
	}
	return above > 0
}
