package mdptest

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Control of queues whose state is one number: thresholds are optimal, and the
// gain of a threshold is that of a birth-death process.

func queueControl() []*Problem {
	return []*Problem{admission(), trunkReservation(), serviceRate(), machineRepair()}
}

// birthDeath returns the long-run average of a cost rate in a birth-death
// process on 0 … n.
func birthDeath(n int, up, down, cost func(i int) *big.Rat) *big.Rat {
	weight, sum, total := one, cost(0), one
	for i := 1; i <= n; i++ {
		weight = quo(mul(weight, up(i-1)), down(i))
		sum = add(sum, mul(weight, cost(i)))
		total = add(total, weight)
	}
	return quo(sum, total)
}

// orDown adds to the events in state i the one that leads down, if there is a state
// below.
func orDown(events []branch[int], i int, rate *big.Rat) []branch[int] {
	if i > 0 {
		events = append(events, branch[int]{to: i - 1, weight: rate})
	}
	return events
}

func constantly(x *big.Rat) func(int) *big.Rat { return func(int) *big.Rat { return x } }

// when returns x below a threshold and y from there on.
func when(x *big.Rat, threshold int, y *big.Rat) func(int) *big.Rat {
	return func(i int) *big.Rat {
		if i < threshold {
			return x
		}
		return y
	}
}

// admission: who is admitted earns 3, and costs 1 per unit of time in the
// system.
func admission() *Problem {
	const capacity = 15
	lambda, mu, reward := whole(3), whole(5), whole(3)
	d := declaration[int, int]{
		continuous: true,
		start:      []int{0},
		actions: func(q int) []int {
			if q == capacity {
				return []int{0}
			}
			return []int{0, 1}
		},
		cost: func(q, _ int) *big.Rat { return whole(-q) },
		next: func(q, admit int) []branch[int] {
			var events []branch[int]
			if admit == 1 {
				events = append(events, branch[int]{to: q + 1, weight: lambda, cost: reward})
			}
			return orDown(events, q, mu)
		},
	}
	gain := greatest(0, capacity, func(n int) *big.Rat {
		return birthDeath(n, constantly(lambda), constantly(mu), func(i int) *big.Rat {
			return sub(when(mul(lambda, reward), n, zero)(i), whole(i))
		})
	})
	return known(Problem{
		Name:   "admission",
		Source: "P. Naor, The regulation of queue size by levying tolls, Econometrica 37 (1969), 15-24",
		Answer: "the best n for λ·R·(1 − P(X=n)) − C·E[X] in the M/M/1/n queue, with λ = 3, μ = 5, R = 3, C = 1: n = 7",
	}, averageOf(mdp.Maximize), d, func(int) *big.Rat { return gain })
}

// trunkReservation: calls of two classes, of the same mean length 1, on 9
// circuits. The action is how many classes are admitted.
func trunkReservation() *Problem {
	const circuits = 9
	rate, reward := numbers("3 5"), numbers("5 1")
	d := declaration[int, int]{
		continuous: true,
		start:      []int{0},
		actions: func(busy int) []int {
			if busy == circuits {
				return []int{0}
			}
			return []int{0, 1, 2}
		},
		next: func(busy, classes int) []branch[int] {
			var events []branch[int]
			for class := range classes {
				events = append(events, branch[int]{to: busy + 1, weight: rate[class], cost: reward[class]})
			}
			return orDown(events, busy, whole(busy))
		},
	}
	gain := greatest(0, circuits, func(reserved int) *big.Rat {
		both := add(mul(rate[0], reward[0]), mul(rate[1], reward[1]))
		first := mul(rate[0], reward[0])
		return birthDeath(circuits, when(add(rate...), circuits-reserved, rate[0]), whole, func(i int) *big.Rat {
			return when(when(both, circuits-reserved, first)(i), circuits, zero)(i)
		})
	})
	return known(Problem{
		Name:   "trunk-reservation",
		Source: "B.L. Miller, A queueing reward system with several customer classes, Management Science 16 (1969), 234-245",
		Answer: "the best number of circuits to reserve for the class that pays 5; arrival rates 3 and 5, rewards 5 and 1",
	}, averageOf(mdp.Maximize), d, func(int) *big.Rat { return gain })
}

// serviceRate: service at rate 2 for nothing or at rate 5 for 6 per unit of
// time; customers cost 1 per unit of time, and 8 where they are lost.
func serviceRate() *Problem {
	const capacity, fast = 10, 1
	lambda, slowly, quickly, effort := whole(3), whole(2), whole(5), whole(6)
	d := declaration[int, int]{
		continuous: true,
		start:      []int{0},
		actions:    func(int) []int { return []int{0, fast} },
		cost: func(q, a int) *big.Rat {
			if a == fast {
				return add(whole(q), effort)
			}
			return whole(q)
		},
		next: func(q, a int) []branch[int] {
			events := []branch[int]{{to: q + 1, weight: lambda}}
			if q == capacity {
				events[0] = branch[int]{to: q, weight: lambda, cost: whole(8)}
			}
			return orDown(events, q, []*big.Rat{slowly, quickly}[a])
		},
	}
	gain := least(1, capacity+1, func(threshold int) *big.Rat {
		return birthDeath(capacity, constantly(lambda), when(slowly, threshold, quickly), func(i int) *big.Rat {
			return add(whole(i), when(zero, threshold, effort)(i), when(zero, capacity, whole(24))(i))
		})
	})
	return known(Problem{
		Name:   "service-rate",
		Source: "after T.B. Crabill, Optimal control of a service facility with variable exponential service times and constant arrival rate, Management Science 18 (1972), 560-566",
		Answer: "the best length from which on to serve fast, birth-death processes compared",
	}, averageOf(mdp.Minimize), d, func(int) *big.Rat { return gain })
}

// machineRepair: five machines, each failing at rate 1/2 and costing 2 per unit
// of time while down; one repairman works at rate 1, or at rate 3 for 4 per
// unit of time.
func machineRepair() *Problem {
	const machines, overtime = 5, 1
	fail := func(down int) *big.Rat { return ratio(machines-down, 2) }
	d := declaration[int, int]{
		continuous: true,
		start:      []int{0},
		actions:    func(int) []int { return []int{0, overtime} },
		cost:       func(down, a int) *big.Rat { return whole(2*down + 4*a) },
		next: func(down, a int) []branch[int] {
			var events []branch[int]
			if down < machines {
				events = append(events, branch[int]{to: down + 1, weight: fail(down)})
			}
			return orDown(events, down, whole(1+2*a))
		},
	}
	gain := least(1, machines+1, func(threshold int) *big.Rat {
		return birthDeath(machines, fail, when(one, threshold, whole(3)), func(i int) *big.Rat {
			return add(whole(2*i), when(zero, threshold, whole(4))(i))
		})
	})
	return known(Problem{
		Name:   "machine-repair",
		Source: "derived here",
		Answer: "the best number of machines down from which on to work overtime, birth-death processes compared",
	}, averageOf(mdp.Minimize), d, func(int) *big.Rat { return gain })
}
