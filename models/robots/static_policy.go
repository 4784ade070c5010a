package robots

// NewStaticPolicy returns the policy that keeps a fixed number of robots active:
// departures activate idle ones up to that number, and from then on every robot
// that delivers is sent out again. It returns an error for parameters that are
// not valid and for a number that is not from 1 to N.
func NewStaticPolicy(p Parameters, robots int) (*Policy, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := p.Fleet().checkMix([]int{robots}); err != nil {
		return nil, err
	}
	return NewPolicy(p, func(s State) bool {
		if s.Event == Departure {
			return s.Active < robots
		}
		return s.Active <= robots
	})
}

// NewStaticFleetPolicy returns the policy that keeps a fixed number of robots
// of each class active. It returns an error as [NewFleetPolicy] and
// [Fleet.EvaluateStatic] do.
func NewStaticFleetPolicy(f Fleet, robots []int) (*FleetPolicy, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if err := f.checkMix(robots); err != nil {
		return nil, err
	}
	return NewFleetPolicy(f, func(s FleetState) Decisions {
		d := Decisions{Activate: NoClass}
		for c, r := range s.Active {
			if r < robots[c] && d.Activate == NoClass {
				d.Activate = c
			}
			if r <= robots[c] {
				d.Reactivate = d.Reactivate.With(c)
			}
		}
		return d
	})
}
