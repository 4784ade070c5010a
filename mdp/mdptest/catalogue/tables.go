package catalogue

import (
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// The senses of an objective.
const (
	least    = mdp.Minimize
	greatest = mdp.Maximize
)

// tables are processes that are small enough to be written down row by row.
func tables() []process {
	return []process{{
		// To advertise or not in state 1 (a toy in favour), to do research or not in
		// state 2 (out of favour), with rewards per transition.
		name:   "toymaker",
		source: "R.A. Howard, Dynamic Programming and Markov Processes, MIT Press 1960, chapters 3, 4 and 7",
		table: `
			1: 0.5 0.5 | 9 3
			1: 0.8 0.2 | 4 4
			2: 0.4 0.6 | 3 -7
			2: 0.7 0.3 | 1 -19`,
		questions: []question{
			{objective: averageOf(greatest), values: "2", because: "to advertise and to do research: 7/9·4 − 2/9·5 = 2"},
			{
				suffix: "-discounted", objective: discountedBy(ratio(9, 10), greatest), values: "2020/91 160/13",
				because: "v1 = 4 + 0.9·(0.8·v1 + 0.2·v2), v2 = −5 + 0.9·(0.7·v1 + 0.3·v2); 22.2 and 12.3 are printed",
			},
			{
				suffix: "-four-weeks", objective: finiteOf(4, greatest), values: "12.222 2.223",
				because: "6, −3; 8.2, −1.7; 10.22, 0.23; 12.222, 2.223 after one week and more",
			},
		},
	}, {
		name:   "taxicab",
		source: "Howard 1960, chapter 4: 13.34 a trip by driving to the stand in each of three towns",
		table: `
			1: 1/2 1/4 1/4    | 10 4 8
			1: 1/16 3/4 3/16  | 8 2 4
			1: 1/4 1/8 5/8    | 4 6 4
			2: 1/2 0 1/2      | 14 0 18
			2: 1/16 7/8 1/16  | 8 16 8
			3: 1/4 1/4 1/2    | 10 2 8
			3: 1/8 3/4 1/8    | 6 4 2
			3: 3/4 1/16 3/16  | 4 0 8`,
		questions: []question{{
			objective: averageOf(greatest), values: "1588/119",
			because: "shares 8/119, 102/119 and 9/119 of the towns, which earn 11/4, 15 and 4 a trip",
		}},
	}, {
		name:   "two-states",
		source: "M.L. Puterman, Markov Decision Processes, Wiley 1994, section 3.1, Figure 3.1.1",
		table: `
			1: 0.5 0.5 | 5
			1: 0 1     | 10
			2: 0 1     | -1`,
		questions: []question{
			{objective: averageOf(greatest), values: "-1", because: "every policy ends up in the second state, which earns −1 a step"},
			{
				suffix: "-discounted", objective: discountedBy(ratio(15, 16), greatest), values: "-80/17 -16",
				because: "v2 = −16; v1 = 5 + 15/32·(v1 + v2), as 10 + 15/16·v2 = −5 is less",
			},
		},
	}, {
		// Three classes of age; a forest may be left to wait, and burn down with
		// probability 0.1, or be cut.
		name: "forest",
		source: "I. Chadès, G. Chapron, M.-J. Cros, F. Garcia and R. Sabbadin, MDPtoolbox, Ecography 37 (2014), 916-920; " +
			"its example with three classes of age, rewards 4 and 2, fire 0.1",
		table: `
			0: 0.1 0.9 0 | 0
			0: 1 0 0     | 0
			1: 0.1 0 0.9 | 0
			1: 1 0 0     | 1
			2: 0.1 0 0.9 | 4
			2: 1 0 0     | 2`,
		questions: []question{
			{objective: averageOf(greatest), values: "3.24", because: "never cut: the oldest class, 0.9² of the time, earns 4"},
			{
				suffix: "-discounted", objective: discountedBy(ratio(9, 10), greatest), values: "26.244 29.484 33.484",
				because: "never cut: v2 = 4 + 0.09·v0 + 0.81·v2, v1 = 0.09·v0 + 0.81·v2, v0 = 0.09·v0 + 0.81·v1; pymdptoolbox prints them",
			},
		},
	}, {
		// States 1 (as new) to 5 (broken), and 6, the second day of the repair of what
		// broke.
		name:   "maintenance",
		source: "H.C. Tijms, A First Course in Stochastic Models, Wiley 2003, Example 6.1.1 and its numerical example: 0.4338 a day",
		table: `
			1: 0.9 0.1 0 0 0 0      | 0
			2: 0 0.8 0.1 0.05 0.05 0 | 0
			2: 1 0 0 0 0 0          | 7
			3: 0 0 0.7 0.1 0.2 0    | 0
			3: 1 0 0 0 0 0          | 7
			4: 0 0 0 0.5 0.5 0      | 0
			4: 1 0 0 0 0 0          | 5
			5: 0 0 0 0 0 1          | 10
			6: 1 0 0 0 0 0          | 0`,
		questions: []question{{objective: averageOf(least), values: "95/219", because: "repair in state 4 and no sooner"}},
	}, {
		name:   "blackwell",
		source: "after D. Blackwell, Discrete dynamic programming, Annals of Mathematical Statistics 33 (1962), 719-726",
		table: `
			1: 1/2 1/2 | 1
			1: 0 1     | 2
			2: 0 1     | 0`,
		target:    is(2),
		questions: []question{{objective: totalOf(greatest), values: "2 0", because: "2 at once, or 1 a step for two steps in the mean"}},
	}, {
		name:   "cycle-mean",
		source: "R.M. Karp, A characterization of the minimum cycle mean in a digraph, Discrete Mathematics 23 (1978), 309-311; the graph is made here",
		table: `
			0: 0 1 0 0 0 0 | 2
			0: 0 0 0 1 0 0 | 1
			1: 0 0 1 0 0 0 | 2
			1: 0 0 0 0 1 0 | 1
			2: 0 0 0 1 0 0 | 1
			2: 0 1 0 0 0 0 | 2
			3: 1 0 0 0 0 0 | 4
			3: 0 0 0 0 1 0 | 5
			4: 0 0 0 0 0 1 | 3
			5: 1 0 0 0 0 0 | 1
			5: 0 0 1 0 0 0 | 0`,
		class: "communicating", period: 2,
		questions: []question{{
			objective: averageOf(least), values: "3/2",
			because: "the cycle 1 → 4 → 5 → 2 → 1 costs 1 + 3 + 0 + 2 on 4 arcs, the others 7 on 4 and more",
		}},
	}, {
		name: "nearly-periodic", source: "derived here",
		table: `
			0: 0.000001 0.999999 0 | 1
			0: 0.000001 0 0.999999 | 1
			1: 0 0 1               | 2
			2: 1 0 0               | 4`,
		questions: []question{{
			objective: averageOf(least), values: "3499997/1499999",
			because: "round all three: cost (1·x + 2 + 4)/(x + 2) with x = 1/0.999999",
		}},
	}, {
		// Two pairs of states that are hardly ever left for each other.
		name: "nearly-decomposable", source: "derived here",
		table: `
			0: 1/2 1/2 0 0                              | 0
			1: 1/2 268435455/536870912 1/536870912 0    | 2
			1: 1/2 536870911/1073741824 1/1073741824 0  | 2
			2: 0 1/536870912 268435455/536870912 1/2    | 4
			3: 0 0 1/2 1/2                              | 8`,
		slow: true,
		questions: []question{{
			objective: averageOf(least), values: "8/3",
			because: "from state 1 up with 2⁻³⁰, from 2 down with 2⁻²⁹: shares 1/3, 1/3, 1/6, 1/6",
		}},
	}, {
		// A chain with the closed classes {0, 1} and {2}.
		name: "two-classes", source: "derived here",
		table: `
			0: 0 1 0 0       | 3
			1: 1/2 1/2 0 0   | 0
			2: 0 0 1 0       | 5
			3: 0 1/4 1/4 1/2 | 7`,
		class: "multichain",
		questions: []question{{
			objective: averageOf(least), values: "1 1 5 3",
			because: "on {0, 1} a third of the time in 0, at 3; 5 in 2; as likely the one as the other from 3",
		}},
	}, {
		name: "where-to-stay", source: "derived here",
		table: `
			0: 0 1 0 0 0     | 10
			0: 0 0 1/2 0 1/2 | 10
			1: 0 1 0 0 0     | 3
			1: 1 0 0 0 0     | 3
			2: 0 0 0 1 0     | 0
			3: 0 0 1 0 0     | 2
			4: 0 0 0 0 1     | 4`,
		class: "multichain", period: 2,
		questions: []question{
			{
				objective: averageOf(least), values: "5/2 5/2 1 1 4",
				because: "1 in the states that take turns, 4 in the last; the lot between them, 5/2, is better than 3 for ever",
			},
			{
				suffix: "-discounted", objective: discountedBy(ratio(1, 2), least), values: "37/3 6 4/3 8/3 8",
				because: "discount 1/2: v1 = 3/(1 − 1/2); v2 = v3/2, v3 = 2 + v2/2; v4 = 8; v0 = 10 + min(v1, (v2 + v4)/2)/2",
			},
		},
	}, {
		// The state is how much of heads, tails, heads was last seen.
		name:   "pattern",
		source: feller + "chapter XIII: patterns in coin tossing",
		table: `
			0: 1/2 1/2 0 0 | 1
			1: 0 1/2 1/2 0 | 1
			2: 1/2 0 0 1/2 | 1
			3: 0 0 0 1     | 0`,
		target:    is(3),
		questions: []question{{objective: totalOf(least), values: "10 8 6 0", because: "2³ + 2 = 10 tosses, as the last head begins the pattern anew"}},
	}, {
		// To stay costs nothing, but does not lead to the target.
		name: "idle-loop",
		source: "after D.P. Bertsekas and J.N. Tsitsiklis, An analysis of stochastic shortest path problems, " +
			"Mathematics of Operations Research 16 (1991), 580-595, who show that cycles without cost make the optimality equation ambiguous",
		table: `
			0: 1 0 0     | 0
			0: 0 1 0     | 0
			0: 0 0 1     | 5
			1: 1 0 0     | 0
			1: 0 1/2 1/2 | 2
			2: 0 0 1     | 0`,
		target: is(2), class: "multichain",
		questions: []question{{objective: totalOf(least), values: "4 4 0", because: "go to state 1 and on from there: 2 a step for two steps in the mean"}},
	}, {
		// State 2 is never left.
		name: "pit", source: "derived here",
		table: `
			0: 0 3/4 1/8 1/8 | 1
			0: 0 0 0 1       | 9
			1: 0 0 1/2 1/2   | 1
			2: 0 0 1 0       | 1
			3: 0 0 0 1       | 0`,
		target: is(3), class: "multichain",
		questions: []question{{
			objective: totalOf(least), values: "9 ∞ ∞ 0",
			because: "from states 1 and 2 the target is not reached for sure; from 0 it is for 9",
		}},
	}, {
		// Rewards that may never end.
		name: "endless", source: "derived here",
		table: `
			0: 1/2 1/2 0 0 | 1
			0: 0 0 1 0     | 2
			1: 1 0 0 0     | 0
			2: 0 0 3/4 1/4 | 1
			2: 0 0 0 1     | 3
			3: 0 0 0 1     | 0`,
		target: is(3), class: "multichain",
		questions: []question{{
			objective: totalOf(greatest), values: "∞ ∞ 4 0",
			because: "from states 0 and 1 the target need not be reached; from 2 it takes 4 steps of 1 in the mean",
		}},
	}}
}

// is tells some states from all others.
func is(states ...int) func(s int) bool {
	return func(s int) bool { return slices.Contains(states, s) }
}

// whenEmpty is the policy to order where nothing is left, and nowhere else.
func whenEmpty(order int) func(stock int) int { return from(1, order, 0) }

// inventories are reviewed each period.
func inventories() []process {
	// order allows any order that there is room for; demand is 0, 1 or 2.
	order := func(room int, demand []*big.Rat, cost func(stock, order int) int, outcome func(have, asked int) (left, cost int)) func(stock int) []choice {
		return func(stock int) []choice {
			var choices []choice
			for order := range room + 1 - stock {
				c := choose(whole(cost(stock, order)))
				for asked, p := range demand {
					left, cost := outcome(stock+order, asked)
					c.next = append(c.next, branch{left, p, whole(cost)})
				}
				choices = append(choices, c)
			}
			return choices
		}
	}
	return []process{{
		// An order of u costs 4 + 2u and comes at once, holding costs 1 each; what is
		// sold earns 8 and what is asked for in vain is lost.
		name:   "inventory",
		source: "M.L. Puterman, Markov Decision Processes, Wiley 1994, section 3.2, the inventory with room for 3",
		start:  []int{0, 1, 2, 3},
		choices: order(3, numbers("1/4 1/2 1/4"), func(stock, order int) int {
			if order == 0 {
				return -stock
			}
			return -(stock + order + 4 + 2*order)
		}, func(have, asked int) (left, cost int) {
			sold := min(asked, have)
			return have - sold, 8 * sold
		}),
		class: "communicating", // state 0 can be stayed in, and stayed out of
		questions: []question{
			{objective: averageOf(greatest), policy: whenEmpty(3), because: "order 3 when nothing is left; derived here"},
			{
				suffix: "-discounted", objective: discountedBy(ratio(7, 8), greatest), policy: whenEmpty(2),
				because: "order 2 when nothing is left; derived here",
			},
			{
				suffix: "-three-months", objective: finiteOf(3, greatest), values: "67/16 129/16 194/16 227/16",
				because: "backward induction, worked out in section 4.6: 0, 5, 6, 5, then 2, 25/4, 10, 21/2, then these",
			},
		},
	}, {
		// What is ordered costs 1 each, and what is left over or missing costs its
		// square. Demand that is not met is lost.
		name:   "small-inventory-three-periods",
		source: "D.P. Bertsekas, Dynamic Programming and Optimal Control I, Athena Scientific, chapter 1, the example of inventory control",
		start:  []int{0, 1, 2},
		choices: order(2, numbers("0.1 0.7 0.2"), func(_, order int) int { return order }, func(have, asked int) (left, cost int) {
			return max(have-asked, 0), (have - asked) * (have - asked)
		}),
		questions: []question{{
			objective: finiteOf(3, least), values: "3.7 2.7 2.818",
			because: "these are printed; backward induction: 1.3, 0.3, 1.1, then 2.5, 1.5, 1.68, then these",
		}},
	}}
}
