package verify

// solver finds optimal values in one arithmetic.
type solver[V any] struct {
	arithmetic[V]
	*rows
	budget *budget

	// ends says whether the rate of ending everything is positive.
	ends bool

	// preferred marks the choices of the policy to begin with.
	preferred []bool

	place []int32 // of the states of an end component, for closedSystem

	// reason is why some value is unknown: the first reason met.
	reason error
}

// fail remembers why a value is unknown.
func (s *solver[V]) fail(err error) {
	if s.reason == nil {
		s.reason = err
	}
}

// prefer returns the preferred policy of a system: by node the preferred choice,
// or else the first.
func (s *solver[V]) prefer(sys *system[V]) []int32 {
	policy := make([]int32, sys.numNodes())
	for i := range policy {
		policy[i] = sys.start[i]
		for k := sys.start[i]; k < sys.start[i+1]; k++ {
			if origin := sys.origin[k]; origin != stopping && s.preferred[origin] {
				policy[i] = k
				break
			}
		}
	}
	return policy
}

// remember prefers the choices of a policy to the others of its nodes.
func (s *solver[V]) remember(sys *system[V], policy []int32) {
	for k, origin := range sys.origin {
		if origin != stopping {
			s.preferred[origin] = policy[sys.node[k]] == int32(k)
		}
	}
}
