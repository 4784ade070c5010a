package endcomponents

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// What the end components tell: whether a model is unichain, and its period.

// unichainWork bounds the transitions visited in the search for a state that no policy
// can avoid. After unichainTries states, the search ends if at its pace it would need more.
const (
	unichainWork  = 1 << 26
	unichainTries = 8
)

// IsUnichain reports whether it finds a state that is in every end component, given the
// only maximal one. Removing a state leaves the end components that avoid it; the
// state sought is in each of those, so few states are tried.
func (c *Components) IsUnichain(r *rows.Rows) bool {
	n := r.NumStates()
	if r.NumChoices() == n {
		return true // one action in each state
	}
	candidate, kept := make([]bool, n), make([]bool, n)
	for s := range n {
		candidate[s], kept[s] = c.Of[s] != Outside, true
	}
	tries := 0
	for s := range n {
		if !candidate[s] {
			continue
		}
		kept[s] = false
		avoiding := Find(r, kept)
		if avoiding.Count == 0 {
			return true
		}
		if avoiding.Count > 1 {
			return false // they are disjoint
		}
		left := 0
		for i := range candidate {
			if candidate[i] = candidate[i] && avoiding.Of[i] != Outside; candidate[i] {
				left++
			}
		}
		kept[s] = true
		tries++
		work := float64(tries) * float64(len(r.RowStart)+len(r.Columns))
		if work > unichainWork || tries >= unichainTries && work*float64(left)/float64(n-left) > unichainWork {
			return false
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
		if level[root] != 0 || c.Of[root] == Outside {
			continue
		}
		level[root] = 1
		queue = append(queue[:0], int32(root))
		period := &periods[c.Of[root]]
		for i := 0; i < len(queue); i++ {
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
