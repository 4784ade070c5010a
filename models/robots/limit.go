// This file holds limits on starvation and losses.

package robots

import (
	"errors"
	"fmt"
)

// Limit is what a policy has to keep to in the long run. The zero value is of no
// use: see [MostLossRate], [MostLossShare] and [MostStarvation].
type Limit struct {
	kind limitKind
	most float64
}

type limitKind uint8

const (
	lossRate limitKind = iota + 1
	lossShare
	starvation
)

// MostLossRate limits the pages lost per unit of time.
func MostLossRate(rate float64) Limit { return Limit{lossRate, rate} }

// MostLossShare limits the pages lost to a share of all pages delivered, above 0 and
// below 1.
func MostLossShare(share float64) Limit { return Limit{lossShare, share} }

// MostStarvation limits the share of time in which the queue is empty, above 0 and at
// most 1.
func MostStarvation(share float64) Limit { return Limit{starvation, share} }

func (l Limit) validate() error {
	switch {
	case l.kind == lossRate && !isPositive(l.most):
		return &ParameterError{"MostLossRate", l.most, positiveNumber}
	case l.kind == lossShare && !(l.most > 0 && l.most < 1):
		return &ParameterError{"MostLossShare", l.most, "a number above 0 and below 1"}
	case l.kind == starvation && !(l.most > 0 && l.most <= 1):
		return &ParameterError{"MostStarvation", l.most, "a number above 0 and at most 1"}
	case l.kind == 0:
		return errors.New("robots: SolveWithin needs a limit")
	}
	return nil
}

// line returns a, b and c for which the limit says aS + bL ≤ c. Of the pages
// delivered, L + μ(1−S) per unit of time, those that are not lost are indexed.
func (l Limit) line(serviceRate float64) (a, b, c float64) {
	switch l.kind {
	case lossRate:
		return 0, 1, l.most
	case lossShare:
		return l.most * serviceRate, 1 - l.most, l.most * serviceRate
	}
	return 1, 0, l.most
}

// isEager reports whether a policy lies on the side of the limit with more losses, if it
// exceeds the limit by above.
func (l Limit) isEager(above float64) bool {
	if l.kind == starvation {
		return above <= 0
	}
	return above > 0
}

// UnattainableError says that no policy keeps to a limit on starvation.
type UnattainableError struct {
	Most  float64 // the limit
	Least float64 // the least starvation, with all robots active all the time
}

// Error returns a line with the limit and the least starvation.
func (e *UnattainableError) Error() string {
	return fmt.Sprintf("robots: a starvation of at most %v cannot be had: with all robots active it is %v", e.Most, e.Least)
}
