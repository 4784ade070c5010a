package mdp

// Criterion says what is minimised. It is a value, such as
// LongRunAverage{}.
type Criterion interface {
	// String returns the name of the criterion.
	String() string
	criterion()
}

// LongRunAverage is the long-run average cost per step, or per unit of time
// for a [Timed] model: the gain,
//
//	g(s) = limsup (1/n)·E[cost of the first n steps from s],
//
// minimised over all policies (Puterman 1994, chapters 8 and 9). The bounds of
// a [Result] enclose the optimal gain of every state; they meet where that is
// one number, as in every communicating or unichain model.
type LongRunAverage struct{}

// String returns "average".
func (LongRunAverage) String() string { return "average" }

func (LongRunAverage) criterion() {}
