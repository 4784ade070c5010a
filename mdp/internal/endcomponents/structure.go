package endcomponents

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// What the end components tell: whether a model is unichain, and its period.

// unichainWork bounds the transitions visited in the search for a state that no policy can
// avoid.
const unichainWork = 1 << 24

// IsUnichain reports whether it finds a state that is in every end component, given the
// only maximal one.
//
// The search asks of a group of states whether some policy can avoid the whole group for
// ever. If so, the state sought is not in the group, but among the states in which that
// policy can stay. If no group can be avoided, the next groups are half as large.
func (c *Components) IsUnichain(r *rows.Rows) bool {
	n := r.NumStates()
	if r.NumChoices() == n {
		return true // one action in each state
	}
	work := unichainWork - len(r.Columns)
	if work <= 0 {
		return false
	}
	var candidates []int32
	kept := make([]bool, n)
	for s, of := range c.Of {
		if kept[s] = of != Outside; kept[s] {
			candidates = append(candidates, int32(s))
		}
	}
	members := len(candidates)
	before := NewPredecessors(r)
	allowed, exempt := slices.Clone(c.Stays), make([]bool, n)
	left := before.count(allowed)
	for size, growth := 1, 1; len(candidates) > 0 && work > 0; {
		size = min(size, len(candidates))
		lost := slices.Clone(candidates[:size])
		for _, s := range lost {
			kept[s] = false
		}
		lost, forbidden := before.lose(lost, kept, exempt, allowed, left)
		switch {
		case len(lost) < members:
			work -= len(candidates)
			candidates = slices.DeleteFunc(candidates, func(s int32) bool { return !kept[s] })
			size += growth * (1 + size/4)
		case size == 1:
			return true
		default:
			size, growth = size/2, 0
		}
		for _, s := range lost {
			kept[s] = true
			work -= before.start[s+1] - before.start[s]
		}
		for _, k := range forbidden {
			allowed[k] = true
			left[before.owner[k]]++
		}
	}
	return false
}

// Period returns the greatest of the periods of the components. The period of one is the
// greatest common divisor of the lengths of its cycles.
func (c *Components) Period(r *rows.Rows) int {
	periods := make([]int, c.Count)
	level := make([]int, len(c.Of)) // 1 + distance from the first state found
	var queue []int32
	for root := range level {
		if level[root] != 0 || c.Of[root] == Outside || periods[c.Of[root]] == 1 {
			continue
		}
		level[root] = 1
		queue = append(queue[:0], int32(root))
		period := &periods[c.Of[root]]
		for i := 0; i < len(queue) && *period != 1; i++ {
			s := queue[i]
			for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
				if !c.Stays[k] {
					continue
				}
				for _, j := range r.Next(k) {
					if level[j] == 0 {
						level[j] = level[s] + 1
						queue = append(queue, j)
					}
					*period = greatestCommonDivisor(*period, level[s]+1-level[j])
				}
			}
		}
	}
	return slices.Max(periods)
}

// greatestCommonDivisor returns the greatest common divisor of a and b, which is positive;
// for 0 and b it is |b|.
func greatestCommonDivisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}
