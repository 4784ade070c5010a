// This file holds what a model file says of itself before its states.

package modelfile

// Header is what a model file says of itself before it comes to its states: see
// [Options].Announced. What follows may be at fault, and fall short of what is
// announced.
type Header struct {
	// Kind is the kind of the model; 0 where the file does not say it (a .tra
	// file of a Markov chain).
	Kind Kind

	// Rational says that a file declares its numbers as exact ones. A file that does not may
	// have fractions, too: see [Options].Digits.
	Rational bool

	// States, Choices and Transitions are the counts that the file announces,
	// −1 where it does not.
	States, Choices, Transitions int
}

// announce passes the header of a file to [Options].Announced, if that is set.
func (o *Options) announce(h Header) error {
	if o.Announced == nil {
		return nil
	}
	return o.Announced(h)
}
