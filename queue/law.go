package queue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// A Law is the distribution of a service time S ≥ 0. [LawText] lists the laws of
// this package; any other type with these methods is a law too. A law without closed
// forms may embed the [NewSample] of many of its quantiles, which count equally, and override
// some methods. A law of phase type also has the method that [PhaseTypeOf] names. Laws must be
// immutable and safe for concurrent use.
type Law interface {
	// Mean returns E[S], in units of time.
	Mean() float64

	// Variance returns E[S²] − E[S]².
	Variance() float64

	// Laplace returns E[e^{−xS}], with a relative error of a few units in the
	// last place for every x ≥ 0. It is NaN for x < 0 and for x = NaN, as are the
	// next two.
	Laplace(x float64) float64

	// LaplaceComplement returns 1 − E[e^{−xS}] = E[1 − e^{−xS}], with the same
	// relative error, also if x is tiny and the result close to x·E[S]. It
	// is the probability of at least one Poisson arrival of rate x during S.
	LaplaceComplement(x float64) float64

	// LaplaceExcess returns E[e^{−xS} − 1 + xS] = x·E[S] − LaplaceComplement(x):
	// the expected number of arrivals of rate x during a service minus the probability
	// of at least one. It is close to x²·E[S²]/2 for small x, where that subtraction
	// would lose every digit; the relative error is the same. It is +Inf for x = +Inf.
	LaplaceExcess(x float64) float64

	// Arrivals returns the distribution of the number of Poisson arrivals of
	// the given rate during one service, at 0 … n. It panics if n < 0. All elements
	// are NaN if rate is negative, NaN or infinite.
	Arrivals(rate float64, n int) Arrivals

	// Draw returns a random service time, independent of others.
	Draw(random *rand.Rand) float64

	// String returns the law in the syntax of [ParseLaw]. Parsing it with the
	// same mean gives the same law.
	String() string
}

// Arrivals describes the number A of Poisson arrivals during one service time.
// The three slices have the same length; index k stands for k arrivals. Each
// element is computed without cancellation.
type Arrivals struct {
	Exactly []float64 // a_k = P(A = k)
	AtLeast []float64 // P(A ≥ k)
	Excess  []float64 // E[max(A−k, 0)]; Excess[0] = E[A]
}

// lawForm is the text form of a law: a name and, after a colon, its argument; "" if it
// has none.
type lawForm struct {
	name, argument string
	alias          string // another name
	meaning        string
	parse          func(t lawText) (Law, error)
}

// lawForms are the laws that [ParseLaw] reads, in the order in which they are listed.
var lawForms = []lawForm{
	{"exponential", "", "", "without memory", parseExponential},
	{"deterministic", "", "constant", "always the mean", parseDeterministic},
	{"erlang", "k", "", "k exponential phases, one after another", parseErlang},
	{"gamma", "shape", "", "gamma with that shape", parseGamma},
	{"uniform", "a,b", "", "uniform between a and b, before scaling", parseUniform},
	{"hyperexponential", "p1@m1,p2@m2,…", "", "exponential: mean m1 for a share p1 of the times, …", parseHyperexponential},
	{"hypererlang", "p1@k1@m1,…", "", "k1 phases of total mean m1 for a share p1 of the times, …", parseHyperErlang},
	{"sample", "FILE", "", "one of the times in FILE, drawn at random", parseSample},
	{"ph", "FILE", "", "phase type; FILE has a row of start probabilities, then the rows of the subgenerator", parsePhaseType},
}

func (f lawForm) String() string {
	if f.argument == "" {
		return f.name
	}
	return f.name + ":" + f.argument
}

// LawText lists the laws for a page of help, one a line, with their text form and a
// description.
func LawText() string {
	var lines []string
	for _, form := range lawForms {
		meaning := form.meaning
		if form.alias != "" {
			meaning += " (also called " + form.alias + ")"
		}
		lines = append(lines, fmt.Sprintf("  %-30s  %s", form, meaning))
	}
	return strings.Join(lines, "\n")
}

// lawSyntax lists the laws in a sentence.
func lawSyntax() string {
	var words []string
	for _, form := range lawForms {
		word := form.String()
		if form.alias != "" {
			word += " (or " + form.alias + ")"
		}
		words = append(words, word)
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// transform returns f() for 0 ≤ x < ∞, limit for x = +Inf, and NaN for any other x.
func transform(x, limit float64, f func() float64) float64 {
	switch {
	case !(x >= 0):
		return math.NaN()
	case math.IsInf(x, 1):
		return limit
	default:
		return f()
	}
}

func isPositive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

func checkMean(mean float64) error {
	if !isPositive(mean) {
		return fmt.Errorf("mean %v is not valid: use a finite number above 0", mean)
	}
	return nil
}
