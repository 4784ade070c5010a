package queue

// A Law is the distribution of a service time S ≥ 0. The laws of this package
// are [Exponential], [Deterministic], [Erlang], [Gamma], [Uniform],
// [Hyperexponential], [PhaseType] and [Sample]; [ParseLaw] reads them from
// text, and [NewSampler] draws from them. Laws are immutable and may be used by several goroutines at once.
type Law interface {
	// Mean returns E[S], in units of time.
	Mean() float64

	// Variance returns E[S²] − E[S]².
	Variance() float64

	// Laplace returns E[e^{−xS}], with a relative error of a few units in the
	// last place for every x ≥ 0.
	//
	// Special cases are:
	//
	//	Laplace(x) = NaN for x < 0 or x = NaN
	Laplace(x float64) float64

	// LaplaceComplement returns 1 − E[e^{−xS}] = E[1 − e^{−xS}], with the same
	// relative error, also where x is tiny and the result close to x·E[S]. It
	// is the probability of at least one Poisson arrival of rate x during S.
	//
	// Special cases are:
	//
	//	LaplaceComplement(x) = NaN for x < 0 or x = NaN
	LaplaceComplement(x float64) float64

	// Arrivals returns the distribution of the number of Poisson arrivals of
	// the given rate during one service, at 0 … n. It panics if n < 0.
	//
	// Special cases are:
	//
	//	all elements are NaN where rate is negative, NaN or infinite
	Arrivals(rate float64, n int) Arrivals

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
