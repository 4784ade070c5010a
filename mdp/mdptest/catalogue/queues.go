package catalogue

import (
	"math/big"
)

// level is the choice with i customers: an arrival, at a rate and a cost, or the end of a
// service.
func level(cost *big.Rat, i int, arrival branch, service *big.Rat) choice {
	c := choose(cost, arrival)
	if i > 0 {
		c.next = append(c.next, branch{to: i - 1, weight: service})
	}
	return c
}

// queues are in continuous time: queues without choice and failures in closed form,
// and control of queues.
func queues() []process {
	geometric := func(i int) *big.Rat { return power(ratio(3, 4), i) }
	return []process{{
		name: "single-server", timed: true, start: []int{0},
		source: "the M/M/1/K queue: e.g. L. Kleinrock, Queueing Systems I, Wiley 1975, section 3.6",
		choices: func(q int) []choice {
			arrival := branch{to: q + 1, weight: whole(3)}
			if q == 20 { // it is lost
				arrival = branch{q, whole(3), whole(5)}
			}
			return []choice{level(whole(q), q, arrival, whole(4))}
		},
		questions: []question{{
			objective: averageOf(least), because: "E[X] + 5·λ·P(X=K) with λ = 3, μ = 4, K = 20",
			value: func(int) *big.Rat {
				lengths := sumOver(0, 20, func(i int) *big.Rat { return mul(whole(i), geometric(i)) })
				return quo(add(lengths, mul(whole(15), geometric(20))), sumOver(0, 20, geometric))
			},
		}},
	}, {
		// Two units of failure rate λ = 1, one repairman of rate μ = 8, until both are
		// down.
		name: "parallel-units", timed: true, start: []int{2},
		source: "two units in parallel with repair: e.g. R.E. Barlow and F. Proschan, Mathematical Theory of Reliability, Wiley 1965, chapter 5",
		choices: func(up int) []choice {
			if up == 2 {
				return only(one, branch{to: 1, weight: whole(2)})
			}
			return only(one, branch{to: 0, weight: one}, branch{to: 2, weight: whole(8)})
		},
		target:    is(0),
		questions: []question{{objective: totalOf(least), values: "11/2 5 0", because: "mean time to failure (3λ+μ)/(2λ²), less 1/(2λ) with one unit down"}},
	}, {
		// An admitted customer earns 3, and costs 1 per unit of time in the system.
		name: "admission", timed: true, start: []int{0},
		source: "P. Naor, The regulation of queue size by levying tolls, Econometrica 37 (1969), 15-24",
		choices: func(q int) []choice {
			reject := level(whole(-q), q, branch{to: q + 1, weight: zero}, whole(5))
			if q == 15 {
				return []choice{reject}
			}
			return []choice{reject, level(whole(-q), q, branch{q + 1, whole(3), whole(3)}, whole(5))}
		},
		questions: []question{{
			objective: averageOf(greatest), policy: from(7, 1, 0),
			because: "the best n for λ·R·(1 − P(X=n)) − C·E[X] in the M/M/1/n queue, with λ = 3, μ = 5, R = 3, C = 1: n = 7",
		}},
	}, {
		// A machine with rates over 12 orders of magnitude; repair may be made four times
		// as fast in state 2, at a cost.
		name: "rare-failure", timed: true, start: []int{0}, source: "derived here",
		choices: func(s int) []choice {
			up, down := numbers("1000000 1 0.000001 0"), numbers("0 0.000001 1000000 1")
			normal := level([]*big.Rat{zero, zero, zero, one}[s], s, branch{to: s + 1, weight: up[s]}, down[s])
			if s != 2 {
				return []choice{normal}
			}
			return []choice{normal, level(number("0.0000001"), s, branch{to: s + 1, weight: up[s]}, whole(4_000_000))}
		},
		slow: true,
		questions: []question{{
			objective: averageOf(least), values: "11/40000010000050",
			because: "four times the rate from state 2 down, for 10⁻⁷: a birth-death process with weights 1, 10¹², 250000, 1/4",
		}},
	}, {
		// Arrivals at rate 2 choose between two servers of rate 1 with room for 3 each,
		// the digits of the state; each customer costs 1 per unit of time, and 10 where
		// there is no room.
		name: "shorter-queue", timed: true, start: []int{0},
		source: "after W. Winston, Optimality of the shortest line discipline, Journal of Applied Probability 14 (1977), 181-189",
		choices: func(s int) []choice {
			first, second := s/10, s%10
			var choices []choice
			join := func(arrival branch) {
				c := choose(whole(first+second), arrival)
				if first > 0 {
					c.next = append(c.next, branch{to: s - 10, weight: one})
				}
				if second > 0 {
					c.next = append(c.next, branch{to: s - 1, weight: one})
				}
				choices = append(choices, c)
			}
			if first < 3 {
				join(branch{to: s + 10, weight: whole(2)})
			}
			if second < 3 {
				join(branch{to: s + 1, weight: whole(2)})
			}
			if s == 33 {
				join(branch{s, whole(2), whole(10)})
			}
			return choices
		},
		questions: []question{{
			objective: averageOf(least), because: "join the shorter queue, balance equations solved exactly",
			policy: func(s int) int {
				if s/10 <= s%10 {
					return 0
				}
				return 1
			},
		}},
	}, {
		// Two batches of jobs, the digits of the state, of service rates 3 and 1, that
		// cost 2 and 1 per unit of time and job until they are done; one server serves
		// one job at a time.
		name: "two-batches", timed: true, start: []int{43},
		source: "the cμ rule: D.R. Cox and W.L. Smith, Queues, Methuen 1961",
		choices: func(s int) []choice {
			var choices []choice
			cost := whole(2*(s/10) + s%10)
			if s/10 > 0 {
				choices = append(choices, choose(cost, branch{to: s - 10, weight: whole(3)}))
			}
			if s%10 > 0 {
				choices = append(choices, choose(cost, branch{to: s - 1, weight: one}))
			}
			return choices
		},
		target: is(0),
		questions: []question{{
			objective: totalOf(least), because: "all of the first batch first, as 2·3 > 1·1: 2·n(n+1)/2/3 + m·n/3 + m(m+1)/2 from n and m jobs",
			value: func(s int) *big.Rat {
				n, m := s/10, s%10
				return add(ratio(n*(n+1), 3), ratio(n*m, 3), ratio(m*(m+1), 2))
			},
		}},
	}}
}

// replacements are problems of ageing machines. By the renewal reward theorem the gain of
// replacing at an age is the mean cost between two replacements over the mean
// time (e.g. S.M. Ross, Applied Probability Models with Optimization Applications,
// Holden-Day 1970).
func replacements() []process {
	// ageing declares a machine of age 0 … oldest: kept, it costs something and fails with
	// a probability, after which it is as new; replaced, it costs something and is as new.
	ageing := func(oldest int, fails, keeping func(age int) *big.Rat, replacing int) func(age int) []choice {
		return func(age int) []choice {
			replace := choose(whole(replacing), surely(0))
			if age == oldest {
				return []choice{replace}
			}
			return []choice{choose(keeping(age), branch{to: 0, weight: fails(age)}, branch{to: age + 1, weight: sub(one, fails(age))}), replace}
		}
	}
	tenths := func(age int) *big.Rat { return ratio(age+1, 10) }
	return []process{{
		name: "replacement", start: []int{0},
		source:    "age replacement: R.E. Barlow and F. Proschan, Mathematical Theory of Reliability, Wiley 1965, chapter 4; in discrete time here",
		choices:   ageing(9, tenths, func(age int) *big.Rat { return whole(age + 1) }, 3),
		questions: []question{{objective: averageOf(least), policy: from(2, 0, 1), because: "replace at age 2 at cost 3, before a failure at cost 10, which has probability (age+1)/10"}},
	}, {
		// With so many ages, workers share the sweeps.
		name: "costly-age", start: []int{0}, source: "derived here",
		choices: ageing(9000, func(int) *big.Rat { return ratio(1, 2) }, whole, 5),
		questions: []question{
			{objective: averageOf(least), values: "13/15", because: "replace at age 3, the best of the ages"},
			{suffix: "-discounted", objective: discountedBy(ratio(3, 4), least), policy: from(4, 0, 1), because: "replace from age 4 on; discount 3/4"},
		},
	}}
}

// chains have one action in each state; they are periodic or slow.
func chains() []process {
	const states = 10_000
	return []process{{
		name: "urns", start: []int{0}, period: 2,
		source: "P. and T. Ehrenfest, Über zwei bekannte Einwände gegen das Boltzmannsche H-Theorem, Physikalische Zeitschrift 8 (1907), 311-314",
		choices: func(left int) []choice {
			return only(whole(left*left), branch{to: left - 1, weight: ratio(left, 16)}, branch{to: left + 1, weight: ratio(16-left, 16)})
		},
		questions: []question{{
			objective: averageOf(least), values: "68",
			because: "of d = 16 balls a binomial number is on the left, whose square is d/4 + d²/4 in the mean",
		}},
	}, {
		// A symmetric walk on more states than sweeps can cross.
		name: "long-walk", start: []int{0}, slow: true,
		source: "a reflecting walk: W. Feller, An Introduction to Probability Theory and Its Applications I, Wiley 1968, chapter XV",
		choices: func(s int) []choice {
			return only(whole(2*s/states), branch{to: max(s-1, 0), weight: ratio(1, 4)},
				branch{to: s, weight: ratio(1, 2)}, branch{to: min(s+1, states-1), weight: ratio(1, 4)})
		},
		questions: []question{{objective: averageOf(least), values: "1/2", because: "every state is as likely as any other, and half of them cost 1"}},
	}}
}
