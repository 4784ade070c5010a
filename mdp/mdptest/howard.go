package mdptest

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Problems of R.A. Howard, Dynamic Programming and Markov Processes, MIT Press,
// 1960.

func howard() []*Problem {
	return []*Problem{toymaker(), toymakerDiscounted(), toymakerForAWhile(), taxicab()}
}

// toymakerTable has the rewards per transition: to advertise or not in state 1
// (a toy in favour), to do research or not in state 2 (out of favour).
func toymakerTable() declaration[int, int] {
	return tabled(
		1,
		[]alternative{{"0.5 0.5", "9 3"}, {"0.8 0.2", "4 4"}},
		[]alternative{{"0.4 0.6", "3 -7"}, {"0.7 0.3", "1 -19"}},
	)
}

func toymaker() *Problem {
	return known(Problem{
		Name:   "toymaker",
		Source: "Howard 1960, chapter 4: the toymaker, who earns 2 a week in the long run",
		Answer: "to advertise and to do research: 7/9·4 − 2/9·5 = 2",
	}, averageOf(mdp.Maximize), toymakerTable(), func(int) *big.Rat { return whole(2) })
}

func toymakerDiscounted() *Problem {
	return known(Problem{
		Name:   "toymaker-discounted",
		Source: "Howard 1960, chapter 7: the toymaker with discount 0.9, values 22.2 and 12.3",
		Answer: "v1 = 4 + 0.9·(0.8·v1 + 0.2·v2), v2 = −5 + 0.9·(0.7·v1 + 0.3·v2)",
	}, discountedBy(ratio(9, 10), mdp.Maximize), toymakerTable(), func(s int) *big.Rat {
		return []*big.Rat{ratio(2020, 91), ratio(160, 13)}[s-1]
	})
}

func toymakerForAWhile() *Problem {
	return known(Problem{
		Name:   "toymaker-four-weeks",
		Source: "Howard 1960, chapter 3: value iteration for the toymaker",
		Answer: "6, −3; 8.2, −1.7; 10.22, 0.23; 12.222, 2.223 after one week and more",
	}, finiteOf(4, mdp.Maximize), toymakerTable(), func(s int) *big.Rat {
		return []*big.Rat{number("12.222"), number("2.223")}[s-1]
	})
}

func taxicab() *Problem {
	return known(Problem{
		Name:   "taxicab",
		Source: "Howard 1960, chapter 4: the taxicab, which earns 13.34 a trip by driving to the stand in each of three towns",
		Answer: "shares 8/119, 102/119 and 9/119 of the towns, which earn 11/4, 15 and 4 a trip",
	}, averageOf(mdp.Maximize), tabled(
		1,
		[]alternative{{"1/2 1/4 1/4", "10 4 8"}, {"1/16 3/4 3/16", "8 2 4"}, {"1/4 1/8 5/8", "4 6 4"}},
		[]alternative{{"1/2 0 1/2", "14 0 18"}, {"1/16 7/8 1/16", "8 16 8"}},
		[]alternative{{"1/4 1/4 1/2", "10 2 8"}, {"1/8 3/4 1/8", "6 4 2"}, {"3/4 1/16 3/16", "4 0 8"}},
	), func(int) *big.Rat { return ratio(1588, 119) })
}
