package queue

import "math"

// MG1K is the steady state of the queue M/G/1/K: Poisson arrivals of rate Λ,
// services of any law, one server, and room for K customers, the one in
// service included. [NewMG1K] computes it.
//
// # Derivation
//
// Let π_j, j = 0 … K−1, be the stationary probabilities of the number of
// customers just after a departure, and A the number of arrivals
// during one service (H. C. Tijms, A First Course in Stochastic Models, 2003,
// section 9.2, has this embedded chain). A step goes down by one level at
// most, and as many steps go up across the cut between j and j+1 as go down:
//
//	π_{j+1}·P(A=0) = π_0·P(A ≥ j+1) + Σ_{i=1}^{j} π_i·P(A ≥ j−i+2).
//
// All terms are positive: starting from π_0 = 1 this gives every π_j up to a
// common factor without a subtraction, unlike the textbook recursion in the
// a_k, which subtracts at each step. A service that starts with i customers
// loses (A − (K−i))⁺ arrivals. With
//
//	s = Σ_j π_j,   ℓ = π_0·E[(A−(K−1))⁺] + Σ_{i=1}^{K−1} π_i·E[(A−(K−i))⁺],
//
// there are 1 + ℓ/s arrivals for each departure, of which ℓ/s are lost. The number of
// customers has the same law just after departures as just before admitted arrivals, so
//
//	P(X=j) = π_j/(s+ℓ) for j < K,   P(X=K) = ℓ/(s+ℓ).
//
// This is P(X=K) = 1 − 1/(π_0+ρ) of the textbooks without its cancellation.
// The derivatives with respect to ln Λ follow from the same sums, again
// without subtractions, by
//
//	Λ·dP(A ≥ k)/dΛ = k·P(A = k),   Λ·dE[(A−m)⁺]/dΛ = E[A; A > m].
//
// # Accuracy and cost
//
// Each π_j is a positive combination of earlier ones, so relative errors do
// not grow faster than linearly: those of the results are below about
// 10·K·2^−53 plus those of the law's arrival counts, and in practice a few
// times √K·2^−53. Probabilities below 1e-300 may come out with fewer digits or
// as 0. Time is proportional to K·min(K, M), where M is the number of
// arrivals beyond which P(A ≥ M) is 0 in float64 (some 1100 for the
// exponential law at ρ = 1): the tail is cut at zeros only, which costs no
// accuracy. Memory is proportional to K.
//
// Special cases are:
//
//	every method returns NaN if the arrival rate is negative, NaN or
//	infinite, or the buffer is below 1.
type MG1K struct {
	arrivalRate     float64
	probabilities   []float64 // P(X=i), i = 0 … K; nil outside the domain
	emptyElasticity float64
	fullElasticity  float64
}

// NewMG1K computes the steady state. arrivalRate is Λ, in arrivals per unit of time, and
// buffer is K, the number of customers for which there is room, the one in service
// included. It panics if law is nil.
func NewMG1K(arrivalRate float64, law Law, buffer int) *MG1K {
	if law == nil {
		panic("queue: NewMG1K without a service law")
	}
	q := &MG1K{arrivalRate: arrivalRate, emptyElasticity: math.NaN(), fullElasticity: math.NaN()}
	if !(arrivalRate >= 0) || math.IsInf(arrivalRate, 1) || buffer < 1 {
		return q
	}
	counts := law.Arrivals(arrivalRate, buffer)
	if counts.Exactly[0] == 0 && buffer > 1 {
		q.saturate(counts.Excess[1], buffer)
		return q
	}
	chain := newDepartureChain(counts, buffer)
	chain.solve()
	q.collect(chain)
	return q
}

// saturate sets the state of a queue in which a service without an arrival has a
// probability below the smallest float64: K−1 or K customers, nearly always.
func (q *MG1K) saturate(lost float64, buffer int) {
	q.probabilities = make([]float64, buffer+1)
	q.probabilities[buffer-1] = 1 / (1 + lost)
	q.probabilities[buffer] = 1 / (1 + 1/lost)
	q.emptyElasticity = math.Inf(-1)
	q.fullElasticity = q.probabilities[buffer-1] * (1 + 1/lost)
}

// collect turns the chain's weights into probabilities and elasticities.
func (q *MG1K) collect(chain *departureChain) {
	buffer := len(chain.weight)
	sum, sumSlope := 0.0, 0.0
	lost, lostSlope := 0.0, 0.0
	for j := buffer - 1; j >= 0; j-- {
		sum += chain.weight[j]
		sumSlope += chain.slope[j]
		room := buffer - max(j, 1)
		lost += chain.weight[j] * chain.excess[room]
		lostSlope += chain.slope[j]*chain.excess[room] + chain.weight[j]*chain.excessSlope(room)
	}
	total := sum + lost
	q.probabilities = make([]float64, buffer+1)
	for j, weight := range chain.weight {
		q.probabilities[j] = weight / total
	}
	q.probabilities[buffer] = lost / total
	q.emptyElasticity = -(sumSlope + lostSlope) / total
	// Under heavy load P(X=K) hardly changes, and the difference of the two slopes
	// would cancel. 1 − P(X=K) = (1 − P(X=0))/ρ gives its elasticity from that of
	// P(X=0), which is then a small term.
	empty := q.probabilities[0]
	emptyChange := empty * (1 - q.emptyElasticity)
	switch {
	case lost == 0:
		q.fullElasticity = float64(buffer)
	case emptyChange <= 0.5:
		q.fullElasticity = sum / lost * ((1 - emptyChange) / (1 - empty))
	default:
		q.fullElasticity = sum / total * (lostSlope/lost - sumSlope/sum)
	}
}

// Probability returns P(X=i), the long-run fraction of time with i customers,
// and 0 if i < 0 or i > K.
func (q *MG1K) Probability(i int) float64 {
	if q.probabilities == nil {
		return math.NaN()
	}
	if i < 0 || i >= len(q.probabilities) {
		return 0
	}
	return q.probabilities[i]
}

// Empty returns P(X=0), the probability that the server starves.
func (q *MG1K) Empty() float64 { return q.Probability(0) }

// Full returns P(X=K): by PASTA, also the probability that an arrival is lost.
func (q *MG1K) Full() float64 { return q.Probability(len(q.probabilities) - 1) }

// LossRate returns Λ·P(X=K), the arrivals lost per unit of time.
func (q *MG1K) LossRate() float64 { return q.arrivalRate * q.Full() }

// MeanLength returns E[X] = Σ i·P(X=i).
func (q *MG1K) MeanLength() float64 {
	if q.probabilities == nil {
		return math.NaN()
	}
	mean := 0.0
	for i, probability := range q.probabilities {
		mean += float64(i) * probability
	}
	return mean
}

// EmptyElasticity returns d ln P(X=0) / d ln Λ, a negative number: the change, in
// percent, of the probability of an empty queue when the arrival rate rises by one
// percent. It is −Inf if P(A=0) is 0 in float64.
func (q *MG1K) EmptyElasticity() float64 { return q.emptyElasticity }

// FullElasticity returns d ln P(X=K) / d ln Λ, a positive number. If P(X=K) is 0 in
// float64, it is K, the limit for small Λ of laws with moments of every order.
func (q *MG1K) FullElasticity() float64 { return q.fullElasticity }
