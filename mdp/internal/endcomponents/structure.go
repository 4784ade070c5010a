package endcomponents

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// What the end components tell: whether a model is unichain, and its period.

// unichainWork bounds the transitions visited in the search for a state that no policy can
// avoid, and unichainShare bounds them in relation to those of the model.
const (
	unichainWork  = 1 << 24
	unichainShare = 16
)

// IsUnichain reports whether it finds a state that is in every end component, given the
// only maximal one, which no choice of its states can leave.
//
// A state is in every end component if no policy can avoid it for ever. The search finds, for one candidate
// after the other, the states that have no choice left once those are forbidden that may lead to the
// candidate, or to another such state. If there are others, a policy can stay in those, and avoid all of these.
func (c *Components) IsUnichain(r *rows.Rows) bool {
	n := r.NumStates()
	if r.NumChoices() == n {
		return true // one action in each state
	}
	candidates, isSure := c.candidates(r)
	work := min(unichainWork, unichainShare*len(r.Columns)) - len(r.Columns)
	if isSure || len(candidates) == 0 || work <= 0 {
		return isSure
	}
	members, kept := 0, make([]bool, n)
	for s, of := range c.Of {
		if kept[s] = of != Outside; kept[s] {
			members++
		}
	}
	before := c.before
	if before == nil {
		before = NewPredecessors(r)
	}
	witness := slices.Clone(r.StateStart[:n]) // for each state that is kept, a choice that leads only to such states
	avoided := make([]bool, n)
	for _, candidate := range candidates {
		if avoided[candidate] {
			continue
		}
		if work <= 0 {
			return false
		}
		kept[candidate] = false
		lost := []int32{candidate}
		for i := 0; i < len(lost); i++ {
			into := before.choice[before.start[lost[i]]:before.start[lost[i]+1]]
			work -= len(into)
			for _, k := range into {
				s := before.owner[k]
				if !kept[s] || witness[s] != k {
					continue
				}
				if witness[s] = another(r, k, s, kept); witness[s] == k {
					kept[s] = false
					lost = append(lost, s)
				}
			}
		}
		if len(lost) == members {
			return true
		}
		for _, s := range lost {
			kept[s], avoided[s] = true, true
		}
	}
	return false
}

// another returns the first choice after k, in turn, that leads only to kept states, or k if its state s
// has none.
func another(r *rows.Rows, k, s int32, kept []bool) int32 {
	first, end := r.Choices(int(s))
	for next := k + 1; ; next++ {
		if next == end {
			next = first
		}
		if next == k || !slices.ContainsFunc(r.Next(next), func(j int32) bool { return !kept[j] }) {
			return next
		}
	}
}

// candidates returns states of which one is in every end component if any state is, and whether it is sure
// that one is.
//
// Where all choices of a state may lead to another state in one step, that one is in every end component that
// has the first. Such steps lead from each state to a closed class of their graph. If there is only one, its
// states are in every end component. Otherwise, a state of each stands for those that lead to the class; that
// of a class of one state to which no step leads can be avoided.
func (c *Components) candidates(r *rows.Rows) (found []int32, isSure bool) {
	n := r.NumStates()
	steps, entered := graph.New(n), make([]bool, n)
	common := make([]int32, n) // for each state, the last choice that leads to it, as all those before it of their state do; counted from 1
	for s := range int32(n) {
		first, end := r.Choices(int(s))
		share := c.Of[s] != Outside
		for k := first; k < end && share; k++ {
			share = false
			for _, j := range r.Next(k) {
				if j != s && (k == first || common[j] == k) {
					common[j], share = k+1, true
				}
			}
		}
		if share {
			for _, j := range r.Next(end - 1) {
				if common[j] == end {
					steps.Add(j)
					entered[j] = true
				}
			}
		}
		steps.EndState()
	}
	count, component := steps.Components()
	isLeft := make([]bool, count)
	for s, of := range component {
		isLeft[of] = isLeft[of] || slices.ContainsFunc(steps.Next(int32(s)), func(j int32) bool { return component[j] != of })
	}
	classes := 0
	for s, of := range component {
		if c.Of[s] == Outside || isLeft[of] {
			continue
		}
		if classes++; entered[s] {
			found = append(found, int32(s))
		}
		isLeft[of] = true // one state is enough
	}
	return found, classes == 1
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
