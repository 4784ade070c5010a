package mdp

import "slices"

// Classification says how the policies of a model hang together, from the
// simplest to the most general: each class but the first holds models that are
// not in the one before (Puterman 1994, §8.3).
type Classification int

// The classifications.
const (
	// Unclassified is the zero value, of no model.
	Unclassified Classification = iota
	// Unichain: every policy has one closed class.
	Unichain
	// Communicating: some policy leads from any state to any other.
	Communicating
	// WeaklyCommunicating: communicating, but for states that are transient
	// under every policy.
	WeaklyCommunicating
	// Multichain: the best gain may depend on the state.
	Multichain
)

// String returns the classification as the command line prints it.
func (c Classification) String() string {
	switch c {
	case Unichain:
		return "unichain"
	case Communicating:
		return "communicating"
	case WeaklyCommunicating:
		return "weakly-communicating"
	case Multichain:
		return "multichain"
	default:
		return "unclassified"
	}
}

// Structure is what the graph of a model says of it, whatever the costs and
// the probabilities of its transitions are. [Analyze] finds it.
type Structure struct {
	Classification Classification

	// Components is the number of strongly connected components.
	Components int

	// EndComponents is the number of maximal end components: the largest sets
	// of states in which one can stay for ever, going from any to any other.
	EndComponents int

	// Component is the maximal end component of each state, and −1 for a state
	// in none, which no policy visits for ever.
	Component []int

	// Period is the greatest of the periods of the maximal end components, that
	// of one being the greatest common divisor of the lengths of its cycles. In
	// a model of period 1 a policy may still have a periodic chain, unless there
	// is nothing to choose.
	Period int
}

// unichainWork bounds the transitions that Analyze looks at to find a state that
// no policy can avoid.
const unichainWork = 1 << 26

// Analyze finds the structure of a model.
//
// Whether a model is unichain is a question that is hard in general (Tsitsiklis
// 2007). Analyze answers yes where there is nothing to choose, or where it finds
// a state that every policy comes back to (Feinberg and Yang 2008). A unichain
// model without such a state, or too large to look for it in, is reported as
// communicating or weakly communicating.
func Analyze(model Explicit) Structure {
	c := newChoices(model)
	components, _ := c.graph(nil).Components()
	ends := c.endComponents(nil)
	s := Structure{
		Components:    components,
		EndComponents: ends.count,
		Component:     make([]int, len(ends.component)),
		Period:        c.period(ends),
	}
	for i, k := range ends.component {
		s.Component[i] = int(k)
	}
	// A closed component of the graph is an end component, so where there is
	// only one of these it is the only closed component too.
	switch {
	case ends.count > 1:
		s.Classification = Multichain
	case c.unichain(ends):
		s.Classification = Unichain
	case components == 1:
		s.Classification = Communicating
	default:
		s.Classification = WeaklyCommunicating
	}
	return s
}

// unichain looks for a state that is in every end component, given the only
// maximal one. What is left without a state are end components that avoid it,
// and the state that is sought is in each of those, so few states are tried.
func (c *choices) unichain(ends *endComponents) bool {
	n := len(ends.component)
	if len(c.rowStart)-1 == n {
		return true // one action in each state
	}
	candidate, kept := make([]bool, n), make([]bool, n)
	for s := range n {
		candidate[s], kept[s] = ends.component[s] != outside, true
	}
	work := 0
	for s := range n {
		if !candidate[s] {
			continue
		}
		if work += len(c.rowStart) + len(c.columns); work > unichainWork {
			return false
		}
		kept[s] = false
		avoiding := c.endComponents(kept)
		if avoiding.count == 0 {
			return true
		}
		if avoiding.count > 1 {
			return false // they are disjoint
		}
		for i := range candidate {
			candidate[i] = candidate[i] && avoiding.component[i] != outside
		}
		kept[s] = true
	}
	return false
}

// period returns the period of the end components.
func (c *choices) period(ends *endComponents) int {
	periods := make([]int, ends.count)
	level := make([]int, len(ends.component)) // 1 + distance from the first state found
	var queue []int32
	for root := range level {
		if level[root] != 0 || ends.component[root] == outside {
			continue
		}
		level[root] = 1
		queue = append(queue[:0], int32(root))
		period := &periods[ends.component[root]]
		for i := 0; i < len(queue); i++ {
			s := queue[i]
			for k := c.stateStart[s]; k < c.stateStart[s+1]; k++ {
				if !ends.stays[k] {
					continue
				}
				for _, j := range c.next(k) {
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

// greatestCommonDivisor returns the positive one of a and b; that of 0 and b is
// |b|.
func greatestCommonDivisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}
