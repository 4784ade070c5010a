package mdptest

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Small problems in discrete time from books, papers and programs.

func textbook() []*Problem {
	return []*Problem{
		twoStates(), twoStatesDiscounted(), smallExample(), smallExampleDiscounted(),
		forest(), forestDiscounted(), maintenance(), blackwell(),
	}
}

// twoStatesTable has a choice in the first state only.
func twoStatesTable() declaration[int, int] {
	return tabled(
		1,
		[]alternative{{"0.5 0.5", "5"}, {"0 1", "10"}},
		[]alternative{{"0 1", "-1"}},
	)
}

func twoStates() *Problem {
	return known(Problem{
		Name:   "two-states",
		Source: "M.L. Puterman, Markov Decision Processes, Wiley 1994, section 3.1, Figure 3.1.1",
		Answer: "every policy ends up in the second state, which earns −1 a step",
	}, averageOf(mdp.Maximize), twoStatesTable(), func(int) *big.Rat { return whole(-1) })
}

func twoStatesDiscounted() *Problem {
	return known(Problem{
		Name:   "two-states-discounted",
		Source: "M.L. Puterman, Markov Decision Processes, Wiley 1994, section 3.1, Figure 3.1.1; discount 15/16",
		Answer: "v2 = −16; v1 = 5 + 15/32·(v1 + v2), as 10 + 15/16·v2 = −5 is less",
	}, discountedBy(ratio(15, 16), mdp.Maximize), twoStatesTable(), func(s int) *big.Rat {
		return []*big.Rat{ratio(-80, 17), whole(-16)}[s-1]
	})
}

// smallTable is mdptoolbox.example.small.
func smallTable() declaration[int, int] {
	return tabled(
		0,
		[]alternative{{"0.5 0.5", "5"}, {"0 1", "10"}},
		[]alternative{{"0.8 0.2", "-1"}, {"0.1 0.9", "2"}},
	)
}

const smallSource = "the example “small” of the Python package pymdptoolbox (S. Cordwell)"

func smallExample() *Problem {
	return known(Problem{
		Name:   "small",
		Source: smallSource,
		Answer: "the second action in state 0 and the first in state 1: 4/9·10 − 5/9",
	}, averageOf(mdp.Maximize), smallTable(), func(int) *big.Rat { return ratio(35, 9) })
}

func smallExampleDiscounted() *Problem {
	return known(Problem{
		Name:   "small-discounted",
		Source: smallSource + ", discount 0.9; its documentation prints 42.4419 and 36.0465 for policy iteration",
		Answer: "v0 = 10 + 0.9·v1, v1 = −1 + 0.9·(0.8·v0 + 0.2·v1)",
	}, discountedBy(ratio(9, 10), mdp.Maximize), smallTable(), func(s int) *big.Rat {
		return []*big.Rat{ratio(1825, 43), ratio(1550, 43)}[s]
	})
}

// forestTable has three classes of age; a forest may be left to wait, and burn
// down with probability 0.1, or be cut.
func forestTable() declaration[int, int] {
	return tabled(
		0,
		[]alternative{{"0.1 0.9 0", "0"}, {"1 0 0", "0"}},
		[]alternative{{"0.1 0 0.9", "0"}, {"1 0 0", "1"}},
		[]alternative{{"0.1 0 0.9", "4"}, {"1 0 0", "2"}},
	)
}

const forestSource = "forest management: I. Chadès, G. Chapron, M.-J. Cros, F. Garcia and R. Sabbadin, " +
	"MDPtoolbox, Ecography 37 (2014), 916-920; its example with three classes of age, rewards 4 and 2, fire 0.1"

func forest() *Problem {
	return known(Problem{
		Name:   "forest",
		Source: forestSource,
		Answer: "never cut: the oldest class, 0.9² of the time, earns 4",
	}, averageOf(mdp.Maximize), forestTable(), func(int) *big.Rat { return number("3.24") })
}

func forestDiscounted() *Problem {
	return known(Problem{
		Name:   "forest-discounted",
		Source: forestSource + "; discount 0.9, for which the documentation of pymdptoolbox prints 26.244, 29.484 and 33.484",
		Answer: "never cut: v2 = 4 + 0.09·v0 + 0.81·v2, v1 = 0.09·v0 + 0.81·v2, v0 = 0.09·v0 + 0.81·v1",
	}, discountedBy(ratio(9, 10), mdp.Maximize), forestTable(), func(s int) *big.Rat {
		return numbers("26.244 29.484 33.484")[s]
	})
}

// maintenance: states 1 (as new) to 5 (broken), and 6, the second day of the
// repair of what broke.
func maintenance() *Problem {
	return known(Problem{
		Name: "maintenance",
		Source: "H.C. Tijms, A First Course in Stochastic Models, Wiley 2003, Example 6.1.1 and its numerical example: " +
			"0.4338 a day",
		Answer: "repair in state 4 and no sooner: 95/219",
	}, averageOf(mdp.Minimize), tabled(
		1,
		[]alternative{{"0.9 0.1 0 0 0 0", "0"}},
		[]alternative{{"0 0.8 0.1 0.05 0.05 0", "0"}, {"1 0 0 0 0 0", "7"}},
		[]alternative{{"0 0 0.7 0.1 0.2 0", "0"}, {"1 0 0 0 0 0", "7"}},
		[]alternative{{"0 0 0 0.5 0.5 0", "0"}, {"1 0 0 0 0 0", "5"}},
		[]alternative{{"0 0 0 0 0 1", "10"}},
		[]alternative{{"1 0 0 0 0 0", "0"}},
	), func(int) *big.Rat { return ratio(95, 219) })
}

// blackwell is optimal in two ways in total, and in one for every discount.
func blackwell() *Problem {
	d := tabled(
		1,
		[]alternative{{"1/2 1/2", "1"}, {"0 1", "2"}},
		[]alternative{{"0 1", "0"}},
	)
	return known(Problem{
		Name:   "blackwell",
		Source: "after D. Blackwell, Discrete dynamic programming, Annals of Mathematical Statistics 33 (1962), 719-726",
		Answer: "2 at once, or 1 a step for two steps in the mean",
	}, totalOf(mdp.Maximize), absorbed(d, func(s int) bool { return s == 2 }), func(s int) *big.Rat { return whole(2 * (2 - s)) })
}
