package mdptest

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Problems whose gain depends on the state, and one of them with a discount.

func multichains() []*Problem {
	return []*Problem{twoClasses(), whereToStay(), whereToStayDiscounted(), boldPlayForEver()}
}

// twoClasses is a chain with the closed classes {0, 1} and {2}.
func twoClasses() *Problem {
	return known(Problem{
		Name:   "two-classes",
		Source: "derived here",
		Answer: "on {0, 1} a third of the time in 0, at 3; 5 in 2; as likely the one as the other from 3",

		Classification: mdp.Multichain,
	}, averageOf(mdp.Minimize), tabled(
		0,
		[]alternative{{"0 1 0 0", "3"}},
		[]alternative{{"1/2 1/2 0 0", "0"}},
		[]alternative{{"0 0 1 0", "5"}},
		[]alternative{{"0 1/4 1/4 1/2", "7"}},
	), func(s int) *big.Rat { return numbers("1 1 5 3")[s] })
}

// whereToStayTable is a process in which state 0 leads to state 1 or, with probability
// 1/2 each, to 2 and 4. State 1 can be stayed in or left for 0, the states 2 and 3
// alternate, and 4 is absorbing.
func whereToStayTable() declaration[int, int] {
	return tabled(
		0,
		[]alternative{{"0 1 0 0 0", "10"}, {"0 0 1/2 0 1/2", "10"}},
		[]alternative{{"0 1 0 0 0", "3"}, {"1 0 0 0 0", "3"}},
		[]alternative{{"0 0 0 1 0", "0"}},
		[]alternative{{"0 0 1 0 0", "2"}},
		[]alternative{{"0 0 0 0 1", "4"}},
	)
}

func whereToStay() *Problem {
	return known(Problem{
		Name:   "where-to-stay",
		Source: "derived here",
		Answer: "1 in the states that take turns, 4 in the last; the lot between them, 5/2, is better than 3 for ever",
		Period: 2,

		Classification: mdp.Multichain,
	}, averageOf(mdp.Minimize), whereToStayTable(), func(s int) *big.Rat { return numbers("5/2 5/2 1 1 4")[s] })
}

func whereToStayDiscounted() *Problem {
	return known(Problem{
		Name:   "where-to-stay-discounted",
		Source: "derived here",
		Answer: "discount 1/2: v1 = 3/(1 − 1/2); v2 = v3/2, v3 = 2 + v2/2; v4 = 8; v0 = 10 + min(v1, (v2 + v4)/2)/2",
		Period: 2,

		Classification: mdp.Multichain,
	}, discountedBy(ratio(1, 2), mdp.Minimize), whereToStayTable(), func(s int) *big.Rat {
		return numbers("37/3 6 4/3 8/3 8")[s]
	})
}

// boldPlayForEver pays 1 in each step after the gambler has won.
func boldPlayForEver() *Problem {
	d := gamble(ratio(2, 5))
	actions, next := d.actions, d.next
	d.actions = func(s int) []int {
		if s == 0 || s == fortune {
			return []int{0}
		}
		return actions(s)
	}
	d.cost = func(s, _ int) *big.Rat {
		if s == fortune {
			return one
		}
		return zero
	}
	d.next = func(s, stake int) []branch[int] {
		if s == 0 || s == fortune {
			return surely(s)
		}
		branches := next(s, stake)
		for i := range branches {
			branches[i].cost = nil
		}
		return branches
	}
	return known(Problem{
		Name:   "bold-play-for-ever",
		Source: boldSource,
		Answer: "the gain is the probability to win",

		Classification: mdp.Multichain,
	}, averageOf(mdp.Maximize), d, func(s int) *big.Rat { return boldly(ratio(2, 5), s) })
}
