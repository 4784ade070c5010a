package mdp

import "math"

// Criterion says what is minimised. It is a value, such as
// LongRunAverage{}.
type Criterion interface {
	// String returns the name of the criterion.
	String() string

	// check returns an error if the criterion, or the model under it, is not
	// allowed.
	check(model Model) error

	// choose picks a method and says why.
	choose(model Model, workers int) (method Method, why string)

	// certify makes one fresh sweep over the values that a method ended with,
	// and returns a result with its bounds, values and policy.
	certify(task *task, answer answer) (*Result, error)
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

func (LongRunAverage) check(Model) error { return nil }

func (LongRunAverage) certify(task *task, answer answer) (*Result, error) {
	c, err := certify(task, answer)
	if err != nil {
		return nil, err
	}
	gain := c.Lower + (c.Upper-c.Lower)/2
	if !math.IsNaN(answer.gain) {
		gain = min(max(answer.gain, c.Lower), c.Upper)
	}
	return &Result{
		Certificate: c,
		Gain:        gain,
		Values:      answer.values.relative(rateOf(task.model)),
		radius:      -1,
	}, nil
}
