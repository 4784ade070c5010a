package mdp

import "github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"

// Structure is what the graph of a model says of it, whatever the costs and
// the probabilities of its transitions are. [Analyze] finds it.
type Structure struct {
	// Classification says how the policies of the model hang together. From the
	// simplest to the most general, each holds models that are not in the one before
	// (Puterman 1994, §8.3):
	//
	//	unichain              every policy has one closed class
	//	communicating         some policy leads from any state to any other
	//	weakly-communicating  likewise, but for states that are transient under every policy
	//	multichain            the best gain may depend on the state
	Classification string

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

// Analyze finds the structure of a model.
//
// Whether a model is unichain is a question that is hard in general (Tsitsiklis
// 2007). Analyze answers yes where there is nothing to choose, or where it finds
// a state that every policy comes back to (Feinberg and Yang 2008). A unichain
// model without such a state, or too large to look for it in, is reported as
// communicating or weakly communicating.
func Analyze(model Explicit) Structure {
	all, err := rowsOf(model)
	if err != nil {
		panic(err)
	}
	components, _ := all.Graph(nil).Components()
	ends := endcomponents.Find(all, nil)
	s := Structure{
		Components:    components,
		EndComponents: ends.Count,
		Component:     make([]int, len(ends.Of)),
		Period:        ends.Period(all),
	}
	for i, k := range ends.Of {
		s.Component[i] = int(k)
	}
	// A closed component of the graph is an end component, so where there is
	// only one of these it is the only closed component too.
	switch {
	case ends.Count > 1:
		s.Classification = "multichain"
	case ends.IsUnichain(all):
		s.Classification = "unichain"
	case components == 1:
		s.Classification = "communicating"
	default:
		s.Classification = "weakly-communicating"
	}
	return s
}
