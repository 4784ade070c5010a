package mdp

// Structure describes the graph of a model: its costs, and the sizes of its
// probabilities, play no role. [Analyze] finds it.
type Structure struct {
	// Classification is the first of these that is known to hold (Puterman 1994, §8.3):
	//
	//	unichain              every policy has one closed class
	//	communicating         some policy leads from any state to any other
	//	weakly-communicating  likewise, except for states that are transient under every policy
	//	multichain            the optimal gain may depend on the state
	Classification string

	// Components is the number of strongly connected components.
	Components int

	// EndComponents is the number of maximal end components: the largest sets of
	// states in which some policy stays for ever and goes from any state to any other.
	EndComponents int

	// Component is the maximal end component of each state. It is −1 for a state in
	// none, which no policy visits infinitely often.
	Component []int

	// Period is the greatest of the periods of the maximal end components. The period
	// of one is the greatest common divisor of the lengths of its cycles. In a model of
	// period 1 a policy may still have a periodic chain, unless each state has one action.
	Period int
}

// Analyze finds the structure of a model.
//
// To decide whether a model is unichain is NP-hard in general (Tsitsiklis 2007). Analyze
// recognises a unichain model if each state has one action, or if it finds a state to
// which every policy returns (Feinberg and Yang 2008). It reports a unichain model
// without such a state, or one too large to look for it, as communicating or weakly
// communicating.
//
// Analyze panics if the model has more than 2³¹−1 transitions.
func Analyze(model Explicit) Structure {
	all, err := rowsOf(model)
	if err != nil {
		panic(err)
	}
	table, ok := tableOf(model)
	if !ok {
		table = &Table{rows: all}
	}
	ends := table.endComponents()
	s := Structure{
		Components:    ends.Strong,
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
	case ends.Strong == 1:
		s.Classification = "communicating"
	default:
		s.Classification = "weakly-communicating"
	}
	return s
}
