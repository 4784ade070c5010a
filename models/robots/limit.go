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

const noCost = "0 beside a limit"

// validate checks that exactly one field is set, and that the process has no other costs.
func (l Limit) validate(p Parameters) error {
	switch {
	case p.HoldingCost != 0:
		return &ParameterError{"HoldingCost", p.HoldingCost, noCost}
	case p.RobotCost != 0:
		return &ParameterError{"RobotCost", p.RobotCost, noCost}
	case p.ActivationCost != 0:
		return &ParameterError{"ActivationCost", p.ActivationCost, noCost}
	case l.LossRate != 0 && !isPositive(l.LossRate):
		return &ParameterError{"LossRate", l.LossRate, positiveNumber}
	case l.LossShare != 0 && !(l.LossShare > 0 && l.LossShare < 1):
		return &ParameterError{"LossShare", l.LossShare, "a number above 0 and below 1"}
	case l.Starvation != 0 && !(l.Starvation > 0 && l.Starvation <= 1):
		return &ParameterError{"Starvation", l.Starvation, "a number above 0 and at most 1"}
	}
	if l != (Limit{LossRate: l.LossRate}) && l != (Limit{LossShare: l.LossShare}) && l != (Limit{Starvation: l.Starvation}) || l == (Limit{}) {
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
