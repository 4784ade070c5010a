package mdptest

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Replacement of what grows old. By the renewal reward theorem the gain of
// replacing at age N is the mean cost from one replacement to the next over the
// mean time (e.g. S.M. Ross, Applied Probability Models with Optimization
// Applications, Holden-Day 1970).

func replacements() []*Problem { return []*Problem{replacement(), costlyAge(), costlyAgeDiscounted()} }

const replace = 1

// ageing declares a machine of age 0 … oldest: kept, it costs something and
// fails with a probability, after which it is as new; replaced, it costs
// something and is as new.
func ageing(oldest int, fails, keeping func(age int) *big.Rat, replacing *big.Rat) declaration[int, int] {
	return declaration[int, int]{
		start: []int{0},
		actions: func(age int) []int {
			if age == oldest {
				return []int{replace}
			}
			return []int{0, replace}
		},
		cost: func(age, a int) *big.Rat {
			if a == replace {
				return replacing
			}
			return keeping(age)
		},
		next: func(age, a int) []branch[int] {
			if a == replace {
				return surely(0)
			}
			return []branch[int]{{to: 0, weight: fails(age)}, {to: age + 1, weight: sub(one, fails(age))}}
		},
	}
}

// replacingAt returns the gain of replacing at an age N.
func replacingAt(age int, fails, keeping func(age int) *big.Rat, replacing *big.Rat) *big.Rat {
	reached, cost, time := one, zero, zero // the probability of reaching an age; cost and time before
	for i := range age {
		cost, time = add(cost, mul(reached, keeping(i))), add(time, reached)
		reached = mul(reached, sub(one, fails(i)))
	}
	return quo(add(cost, mul(reached, replacing)), add(time, reached))
}

func replacement() *Problem {
	const oldest = 9
	fails := func(age int) *big.Rat { return ratio(age+1, 10) }
	keeping := func(age int) *big.Rat { return mul(whole(10), fails(age)) }
	gain := least(0, oldest, func(age int) *big.Rat { return replacingAt(age, fails, keeping, whole(3)) })
	return known(Problem{
		Name:   "replacement",
		Source: "age replacement: R.E. Barlow and F. Proschan, Mathematical Theory of Reliability, Wiley 1965, chapter 4; in discrete time here",
		Answer: "the best age for replacement at cost 3, before a failure at cost 10, which has probability (age+1)/10",
	}, averageOf(mdp.Minimize), ageing(oldest, fails, keeping, whole(3)), func(int) *big.Rat { return gain })
}

// costlyAges has so many states that sweeps over it are shared by workers.
const costlyAges = 9000

// halved are the numbers of a machine that fails with probability 1/2 and whose
// operation costs its age.
func halved() (fails, keeping func(age int) *big.Rat, replacing *big.Rat) {
	return constantly(ratio(1, 2)), whole, whole(5)
}

func costlyAge() *Problem {
	fails, keeping, replacing := halved()
	gain := least(0, 40, func(age int) *big.Rat { return replacingAt(age, fails, keeping, replacing) })
	return known(Problem{
		Name:   "costly-age",
		Source: "derived here",
		Answer: "the best of the ages for replacement up to 40, at none of which it is worth while to wait longer",
	}, averageOf(mdp.Minimize), ageing(costlyAges, fails, keeping, replacing), func(int) *big.Rat { return gain })
}

func costlyAgeDiscounted() *Problem {
	fails, keeping, replacing := halved()
	return attained(Problem{
		Name:   "costly-age-discounted",
		Source: "derived here",
		Answer: "replace from age 4 on; discount 3/4",
	}, discountedBy(ratio(3, 4), mdp.Minimize), ageing(costlyAges, fails, keeping, replacing), func(age int) int {
		if age >= 4 {
			return replace
		}
		return 0
	})
}
