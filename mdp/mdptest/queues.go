package mdptest

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Queues without choice, and failures and repairs, in closed form.

func queues() []*Problem {
	return []*Problem{singleServer(), criticalServer(), lossSystem(), parallelUnits()}
}

// queueOf declares an M/M/1/K queue in which each customer costs 1 per unit of
// time and each one lost a lump.
func queueOf(arrival, service *big.Rat, capacity int, loss *big.Rat) declaration[int, int] {
	return declaration[int, int]{
		continuous: true,
		start:      []int{0},
		actions:    nothingToChoose[int],
		cost:       func(q, _ int) *big.Rat { return whole(q) },
		next: func(q, _ int) []branch[int] {
			events := []branch[int]{{to: q + 1, weight: arrival}}
			if q == capacity {
				events[0] = branch[int]{to: q, weight: arrival, cost: loss}
			}
			return orDown(events, q, service)
		},
	}
}

func singleServer() *Problem {
	const capacity, loss = 20, 5
	lambda, mu := whole(3), whole(4)
	rho := quo(lambda, mu)
	// P(X=K) = (1−ρ)·ρ^K/(1−ρ^(K+1)), E[X] = ρ/(1−ρ) − (K+1)·ρ^(K+1)/(1−ρ^(K+1)).
	rest := sub(one, power(rho, capacity+1))
	full := quo(mul(sub(one, rho), power(rho, capacity)), rest)
	mean := sub(quo(rho, sub(one, rho)), quo(mul(whole(capacity+1), power(rho, capacity+1)), rest))
	gain := add(mean, mul(whole(loss), lambda, full))
	return known(Problem{
		Name:   "single-server",
		Source: "the M/M/1/K queue: e.g. L. Kleinrock, Queueing Systems I, Wiley 1975, section 3.6",
		Answer: "E[X] + 5·λ·P(X=K), with λ = 3, μ = 4, K = 20",
	}, averageOf(mdp.Minimize), queueOf(lambda, mu, capacity, whole(loss)), func(int) *big.Rat { return gain })
}

func criticalServer() *Problem {
	const capacity = 30
	return known(Problem{
		Name:   "critical-server",
		Source: "the M/M/1/K queue with as many arrivals as services: e.g. Kleinrock 1975, section 3.6",
		Answer: "every length is as likely as any other: K/2 in the mean, with K = 30",
	}, averageOf(mdp.Minimize), queueOf(one, one, capacity, zero), func(int) *big.Rat { return ratio(capacity, 2) })
}

func lossSystem() *Problem {
	const servers, arrival = 10, 5
	// B = (a^c/c!)/Σ_k a^k/k!
	terms := []*big.Rat{one}
	for k := 1; k <= servers; k++ {
		terms = append(terms, mul(terms[k-1], ratio(arrival, k)))
	}
	gain := mul(whole(arrival), quo(terms[servers], add(terms...)))
	d := declaration[int, int]{
		continuous: true,
		start:      []int{0},
		actions:    nothingToChoose[int],
		next: func(busy, _ int) []branch[int] {
			events := []branch[int]{{to: busy + 1, weight: whole(arrival)}}
			if busy == servers {
				events[0] = branch[int]{to: busy, weight: whole(arrival), cost: one}
			}
			return orDown(events, busy, whole(busy))
		},
	}
	return known(Problem{
		Name:   "loss-system",
		Source: "A.K. Erlang, Solution of some problems in the theory of probabilities of significance in automatic telephone exchanges, 1917",
		Answer: "λ·B(10, 5), B the loss formula: the rate at which calls are lost",
	}, averageOf(mdp.Minimize), d, func(int) *big.Rat { return gain })
}

// parallelUnits: two units of failure rate λ = 1, one repairman of rate μ = 8,
// until both are down.
func parallelUnits() *Problem {
	d := declaration[int, int]{
		continuous: true,
		start:      []int{2},
		actions:    nothingToChoose[int],
		cost:       func(int, int) *big.Rat { return one },
		next: func(up, _ int) []branch[int] {
			events := []branch[int]{{to: up - 1, weight: whole(up)}}
			if up == 1 {
				events = append(events, branch[int]{to: 2, weight: whole(8)})
			}
			return events
		},
	}
	return known(Problem{
		Name:   "parallel-units",
		Source: "two units in parallel with repair: e.g. R.E. Barlow and F. Proschan, Mathematical Theory of Reliability, Wiley 1965, chapter 5",
		Answer: "mean time to failure (3λ+μ)/(2λ²), less 1/(2λ) with one unit down",
	}, totalOf(mdp.Minimize), absorbed(d, func(up int) bool { return up == 0 }), func(up int) *big.Rat {
		return numbers("0 5 11/2")[up]
	})
}
