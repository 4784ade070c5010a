package mdptest

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Processes whose chains are periodic, slow, or badly scaled.

func chains() []*Problem {
	return []*Problem{
		landOfOz(), urns(), cycleMean(), nearlyPeriodic(), nearlyDecomposable(), rareFailure(), longWalk(),
	}
}

// landOfOz counts the rainy days among rain, nice and snow.
func landOfOz() *Problem {
	return known(Problem{
		Name:   "land-of-oz",
		Source: "J.G. Kemeny and J.L. Snell, Finite Markov Chains, Van Nostrand 1960",
		Answer: "rain, nice and snow have shares 2/5, 1/5, 2/5",
	}, averageOf(mdp.Minimize), tabled(
		0,
		[]alternative{{"1/2 1/4 1/4", "1"}},
		[]alternative{{"1/2 0 1/2", "0"}},
		[]alternative{{"1/4 1/4 1/2", "0"}},
	), func(int) *big.Rat { return ratio(2, 5) })
}

// urns is a chain of period 2.
func urns() *Problem {
	const balls = 16
	d := declaration[int, int]{
		start:   []int{0},
		actions: nothingToChoose[int],
		cost:    func(left, _ int) *big.Rat { return whole(left * left) },
		next: func(left, _ int) []branch[int] {
			var branches []branch[int]
			if left > 0 {
				branches = append(branches, branch[int]{to: left - 1, weight: ratio(left, balls)})
			}
			if left < balls {
				branches = append(branches, branch[int]{to: left + 1, weight: ratio(balls-left, balls)})
			}
			return branches
		},
	}
	return known(Problem{
		Name:   "urns",
		Source: "P. and T. Ehrenfest, Über zwei bekannte Einwände gegen das Boltzmannsche H-Theorem, Physikalische Zeitschrift 8 (1907), 311-314",
		Answer: "of d balls a binomial number is on the left, whose square is d/4 + d²/4 in the mean",
		Period: 2,
	}, averageOf(mdp.Minimize), d, func(int) *big.Rat { return ratio(balls+balls*balls, 4) })
}

// cycleMean is a graph whose arcs cost what they are labelled with.
func cycleMean() *Problem {
	return known(Problem{
		Name:   "cycle-mean",
		Source: "R.M. Karp, A characterization of the minimum cycle mean in a digraph, Discrete Mathematics 23 (1978), 309-311; the graph is made here",
		Answer: "the cycle 1 → 4 → 5 → 2 → 1 costs 1 + 3 + 0 + 2 on 4 arcs, the others 7 on 4 and more",
		Period: 2,

		Classification: mdp.Communicating,
	}, averageOf(mdp.Minimize), tabled(
		0,
		[]alternative{{"0 1 0 0 0 0", "2"}, {"0 0 0 1 0 0", "1"}},
		[]alternative{{"0 0 1 0 0 0", "2"}, {"0 0 0 0 1 0", "1"}},
		[]alternative{{"0 0 0 1 0 0", "1"}, {"0 1 0 0 0 0", "2"}},
		[]alternative{{"1 0 0 0 0 0", "4"}, {"0 0 0 0 1 0", "5"}},
		[]alternative{{"0 0 0 0 0 1", "3"}},
		[]alternative{{"1 0 0 0 0 0", "1"}, {"0 0 1 0 0 0", "0"}},
	), func(int) *big.Rat { return ratio(3, 2) })
}

// nearlyPeriodic goes round three states, but for a millionth.
func nearlyPeriodic() *Problem {
	const stay, go1 = "0.000001", "0.999999"
	visit := quo(one, number(go1)) // mean length of a stay in state 0
	return known(Problem{
		Name:   "nearly-periodic",
		Source: "derived here",
		Answer: "round all three: cost (1·x + 2 + 4)/(x + 2) with x = 1/0.999999",
	}, averageOf(mdp.Minimize), tabled(
		0,
		[]alternative{{stay + " " + go1 + " 0", "1"}, {stay + " 0 " + go1, "1"}},
		[]alternative{{"0 0 1", "2"}},
		[]alternative{{"1 0 0", "4"}},
	), func(int) *big.Rat { return quo(add(visit, whole(6)), add(visit, whole(2))) })
}

// nearlyDecomposable has two pairs of states that are hardly ever left for each
// other.
func nearlyDecomposable() *Problem {
	rare := quo(one, whole(1<<30))
	often, rarer := ratio(1, 2), mul(whole(2), rare)
	line := func(up, down *big.Rat, s int) []branch[int] {
		return []branch[int]{{to: s - 1, weight: down}, {to: s + 1, weight: up}, {to: s, weight: sub(one, add(up, down))}}
	}
	d := declaration[int, int]{
		start: []int{0, 1, 2, 3},
		actions: func(s int) []int {
			if s == 1 {
				return []int{0, 1}
			}
			return []int{0}
		},
		cost: func(s, _ int) *big.Rat { return numbers("0 2 4 8")[s] },
		next: func(s, a int) []branch[int] {
			switch s {
			case 0:
				return []branch[int]{{to: 1, weight: often}, {to: 0, weight: often}}
			case 1:
				return line([]*big.Rat{rarer, rare}[a], often, s)
			case 2:
				return line(often, rarer, s)
			default:
				return []branch[int]{{to: 2, weight: often}, {to: 3, weight: often}}
			}
		},
	}
	return known(Problem{
		Name:   "nearly-decomposable",
		Source: "derived here",
		Answer: "from state 1 up with 2⁻³⁰, from 2 down with 2⁻²⁹: shares 1/3, 1/3, 1/6, 1/6",
		Slow:   true,
	}, averageOf(mdp.Minimize), d, func(int) *big.Rat { return ratio(8, 3) })
}

// rareFailure has rates over 12 orders of magnitude.
func rareFailure() *Problem {
	up, down := numbers("1000000 1 0.000001 0"), numbers("0 0.000001 1000000 1")
	d := declaration[int, int]{
		continuous: true,
		start:      []int{0},
		actions: func(s int) []int {
			if s == 2 {
				return []int{0, 1}
			}
			return []int{0}
		},
		cost: func(s, a int) *big.Rat {
			switch {
			case s == 3:
				return one
			case a == 1:
				return number("0.0000001")
			default:
				return zero
			}
		},
		next: func(s, a int) []branch[int] {
			var events []branch[int]
			if s < 3 {
				events = append(events, branch[int]{to: s + 1, weight: up[s]})
			}
			return orDown(events, s, mul(down[s], whole(1+3*a)))
		},
	}
	gain := birthDeath(3, func(i int) *big.Rat { return up[i] }, func(i int) *big.Rat {
		if i == 2 {
			return whole(4_000_000)
		}
		return down[i]
	}, func(i int) *big.Rat { return numbers("0 0 0.0000001 1")[i] })
	return known(Problem{
		Name:   "rare-failure",
		Source: "derived here",
		Answer: "four times the rate from state 2 down, for 10⁻⁷: a birth-death process with weights 1, 10¹², 250000, 1/4",
		Slow:   true,
	}, averageOf(mdp.Minimize), d, func(int) *big.Rat { return gain })
}

// longWalk is a symmetric walk on more states than sweeps get across.
func longWalk() *Problem {
	const n = 10_000
	quarter := ratio(1, 4)
	d := declaration[int, int]{
		start:   []int{0},
		actions: nothingToChoose[int],
		cost: func(s, _ int) *big.Rat {
			if s < n/2 {
				return zero
			}
			return one
		},
		next: func(s, _ int) []branch[int] {
			return []branch[int]{
				{to: max(s-1, 0), weight: quarter},
				{to: s, weight: ratio(1, 2)},
				{to: min(s+1, n-1), weight: quarter},
			}
		},
	}
	return known(Problem{
		Name:   "long-walk",
		Source: "a reflecting walk: W. Feller, An Introduction to Probability Theory and Its Applications I, Wiley 1968, chapter XV",
		Answer: "every state is as likely as any other, and half of them cost 1",
		Slow:   true,
	}, averageOf(mdp.Minimize), d, func(int) *big.Rat { return ratio(1, 2) })
}
