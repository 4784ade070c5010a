package verify

// This file holds what the graph of a model says of its policies.

import "slices"

// The classes, each of models that are not in the one before (Puterman 1994, §8.3).
const unichain, communicating, weaklyCommunicating, multichain = "unichain", "communicating", "weakly-communicating", "multichain"

// classify returns the class of the model, if it is known that it is not in the one
// before, and whether some maximal end component has a period. In continuous time
// none has.
func (r *rows) classify() (class string, known, periodic bool) {
	ends := r.endComponents(slices.Repeat([]bool{true}, r.NumChoices()))
	periodic = !r.continuous && r.isPeriodic(ends)
	if ends.count > 1 {
		return multichain, true, periodic
	}
	is, known := r.isUnichain(ends)
	switch {
	case is:
		return unichain, true, periodic
	case slices.Contains(ends.component, outside):
		return weaklyCommunicating, known, periodic
	}
	return communicating, known, periodic
}

// isUnichain reports whether every policy has one closed class, given the only
// maximal end component, and whether that is known. It is where some state is in
// every end component: what is left of them without that state is looked for
// (Feinberg and Yang 2008). It is not where there are two that are disjoint. The
// search is hard in general (Tsitsiklis 2007): it ends after so many transitions.
func (r *rows) isUnichain(ends *endComponents) (is, known bool) {
	if r.NumChoices() == r.NumStates() {
		return true, true
	}
	candidate, left := slices.Clone(ends.component), 1<<25
	for s := range candidate {
		if candidate[s] == outside {
			continue
		}
		if left -= r.NumTransitions(); left < 0 {
			return false, false
		}
		avoiding := r.endComponents(r.filter(ends.stays, func(_, own int32) bool { return int(own) != s }))
		if avoiding.count != 1 {
			return avoiding.count == 0, true
		}
		for i, c := range avoiding.component {
			if c == outside {
				candidate[i] = outside
			}
		}
	}
	return false, false
}

// isPeriodic reports whether an end component has a period: a number above 1
// that divides the lengths of all its cycles.
func (r *rows) isPeriodic(ends *endComponents) bool {
	level := make([]int, r.NumStates()) // 1 + the distance from the first state of the component
	for root, c := range ends.component {
		if c == outside || level[root] != 0 {
			continue
		}
		level[root] = 1
		queue, period := []int32{int32(root)}, 0
		for head := 0; head < len(queue); head++ {
			s := queue[head]
			for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
				for _, j := range r.next(k) {
					if ends.stays[k] && level[j] == 0 {
						level[j] = level[s] + 1
						queue = append(queue, j)
					}
					if ends.stays[k] {
						period = gcd(period, level[s]+1-level[j])
					}
				}
			}
		}
		if period != 1 {
			return true
		}
	}
	return false
}

// gcd returns the greatest common divisor; that of 0 and b is |b|.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}
