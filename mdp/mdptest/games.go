package mdptest

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Games of chance, until they end.

func games() []*Problem {
	return []*Problem{ruin(), duration(), boldPlay(), coupons(), pattern()}
}

const fellerSource = "W. Feller, An Introduction to Probability Theory and Its Applications I, Wiley 1968, "

// walkTo10 is a gambler who wins 1 with probability p, else loses 1, and stops
// at 0 and at 10. Costs are of a step and of winning the tenth.
func walkTo10(p *big.Rat, step, win *big.Rat) declaration[int, int] {
	return absorbed(declaration[int, int]{
		start:   []int{5},
		actions: nothingToChoose[int],
		cost:    func(int, int) *big.Rat { return step },
		next: func(s, _ int) []branch[int] {
			up := branch[int]{to: s + 1, weight: p}
			if s+1 == 10 {
				up.cost = win
			}
			return []branch[int]{up, {to: s - 1, weight: sub(one, p)}}
		},
	}, func(s int) bool { return s == 0 || s == 10 })
}

func ruin() *Problem {
	return known(Problem{
		Name:   "ruin",
		Source: fellerSource + "chapter XIV: the gambler's ruin",
		Answer: "(1 − (q/p)^s)/(1 − (q/p)^10) to win, with p = 1/3",

		Classification: mdp.Multichain,
	}, totalOf(mdp.Minimize), walkTo10(ratio(1, 3), zero, one), func(s int) *big.Rat {
		if s == 10 {
			return zero // it has been won before
		}
		return quo(sub(power(whole(2), s), one), sub(power(whole(2), 10), one))
	})
}

func duration() *Problem {
	return known(Problem{
		Name:   "duration",
		Source: fellerSource + "chapter XIV: the duration of play",
		Answer: "s·(10 − s) steps in a fair game",

		Classification: mdp.Multichain,
	}, totalOf(mdp.Minimize), walkTo10(ratio(1, 2), one, zero), func(s int) *big.Rat { return whole(s * (10 - s)) })
}

const (
	fortune    = 16
	boldSource = "L.E. Dubins and L.J. Savage, How to Gamble If You Must, McGraw-Hill 1965: bold play in an unfair game"
)

// gamble is a gambler who stakes what he has or less, to end at 0 or at a
// fortune.
func gamble(p *big.Rat) declaration[int, int] {
	return declaration[int, int]{
		start: []int{fortune / 2},
		actions: func(s int) []int {
			stakes := counted(min(s, fortune-s) + 1)
			return stakes[1:]
		},
		next: func(s, stake int) []branch[int] {
			won := branch[int]{to: s + stake, weight: p}
			if s+stake == fortune {
				won.cost = one
			}
			return []branch[int]{won, {to: s - stake, weight: sub(one, p)}}
		},
	}
}

// boldly returns the probability of reaching the fortune from s by always
// staking as much as one has or needs.
func boldly(p *big.Rat, s int) *big.Rat {
	switch {
	case s == 0:
		return zero
	case s == fortune:
		return one
	case 2*s <= fortune:
		return mul(p, boldly(p, 2*s))
	default:
		return add(p, mul(sub(one, p), boldly(p, 2*s-fortune)))
	}
}

func boldPlay() *Problem {
	p := ratio(2, 5)
	return known(Problem{
		Name:   "bold-play",
		Source: boldSource,
		Answer: "Q(x) = p·Q(2x) up to x = 1/2, p + (1−p)·Q(2x−1) from there on, with p = 2/5",

		Classification: mdp.Multichain,
	}, totalOf(mdp.Maximize), absorbed(gamble(p), func(s int) bool { return s == 0 || s == fortune }), func(s int) *big.Rat {
		if s == fortune {
			return zero // it has been won before
		}
		return boldly(p, s)
	})
}

func coupons() *Problem {
	const kinds = 6
	d := declaration[int, int]{
		start:   []int{0},
		actions: nothingToChoose[int],
		cost:    func(int, int) *big.Rat { return one },
		next: func(have, _ int) []branch[int] {
			return []branch[int]{{to: have, weight: ratio(have, kinds)}, {to: have + 1, weight: ratio(kinds-have, kinds)}}
		},
	}
	return known(Problem{
		Name:   "coupons",
		Source: fellerSource + "chapter IX: waiting for all faces of a die",
		Answer: "6·(1 + 1/2 + … + 1/6) = 14.7 throws",
	}, totalOf(mdp.Minimize), absorbed(d, func(have int) bool { return have == kinds }), func(have int) *big.Rat {
		return sumOver(1, kinds-have, func(k int) *big.Rat { return ratio(kinds, k) })
	})
}

// pattern waits for heads, tails, heads; the state is how much of it was last
// seen.
func pattern() *Problem {
	d := tabled(
		0,
		[]alternative{{"1/2 1/2 0 0", "1"}},
		[]alternative{{"0 1/2 1/2 0", "1"}},
		[]alternative{{"1/2 0 0 1/2", "1"}},
		[]alternative{{"0 0 0 1", "0"}},
	)
	return known(Problem{
		Name:   "pattern",
		Source: fellerSource + "chapter XIII: patterns in coin tossing",
		Answer: "2³ + 2 = 10 tosses, as the last head begins the pattern anew",
	}, totalOf(mdp.Minimize), absorbed(d, func(s int) bool { return s == 3 }), func(s int) *big.Rat {
		return numbers("10 8 6 0")[s]
	})
}
