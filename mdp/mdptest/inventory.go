package mdptest

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Inventories that are reviewed each period.

func inventories() []*Problem {
	return []*Problem{inventoryForAWhile(), inventory(), inventoryDiscounted(), smallInventory()}
}

const inventorySource = "M.L. Puterman, Markov Decision Processes, Wiley 1994, section 3.2, the inventory with room for 3"

// inventoryDeclaration: room for 3, an order of u costs 4 + 2u and comes at once,
// holding costs 1 each, demand is 0, 1 or 2 with probabilities 1/4, 1/2, 1/4,
// what is sold earns 8 and what is asked for in vain is lost.
func inventoryDeclaration() declaration[int, int] {
	const room = 3
	demand := numbers("1/4 1/2 1/4")
	return declaration[int, int]{
		start:   []int{0, 1, 2, 3},
		actions: func(stock int) []int { return counted(room + 1 - stock) },
		cost: func(stock, order int) *big.Rat {
			cost := stock + order
			if order > 0 {
				cost += 4 + 2*order
			}
			return whole(-cost)
		},
		next: func(stock, order int) []branch[int] {
			var branches []branch[int]
			for asked, p := range demand {
				sold := min(asked, stock+order)
				branches = append(branches, branch[int]{to: stock + order - sold, weight: p, cost: whole(8 * sold)})
			}
			return branches
		},
	}
}

func inventoryForAWhile() *Problem {
	return known(Problem{
		Name:   "inventory-three-months",
		Source: inventorySource + "; three months, worked out in section 4.6",
		Answer: "backward induction: 0, 5, 6, 5, then 2, 25/4, 10, 21/2, then these",

		Classification: mdp.Communicating, // state 0 can be stayed in, and stayed out of
	}, finiteOf(3, mdp.Maximize), inventoryDeclaration(), func(stock int) *big.Rat {
		return numbers("67/16 129/16 194/16 227/16")[stock]
	})
}

// whenEmpty is the policy to order where nothing is left, and nowhere else.
func whenEmpty(order int) func(stock int) int {
	return func(stock int) int {
		if stock == 0 {
			return order
		}
		return 0
	}
}

func inventory() *Problem {
	return attained(Problem{
		Name:   "inventory",
		Source: inventorySource + "; the average is derived here",
		Answer: "order 3 when nothing is left",

		Classification: mdp.Communicating,
	}, averageOf(mdp.Maximize), inventoryDeclaration(), whenEmpty(3))
}

func inventoryDiscounted() *Problem {
	return attained(Problem{
		Name:   "inventory-discounted",
		Source: inventorySource + "; discount 7/8, derived here",
		Answer: "order 2 when nothing is left",

		Classification: mdp.Communicating,
	}, discountedBy(ratio(7, 8), mdp.Maximize), inventoryDeclaration(), whenEmpty(2))
}

// smallInventory has room for 2; demand is 0, 1 or 2 with probabilities 0.1, 0.7
// and 0.2; what is ordered costs 1 each, and what is left over or missing costs
// its square. Demand that is not met is lost.
func smallInventory() *Problem {
	const room = 2
	d := declaration[int, int]{
		start:   []int{0, 1, 2},
		actions: func(stock int) []int { return counted(room + 1 - stock) },
		cost:    func(_, order int) *big.Rat { return whole(order) },
		next: func(stock, order int) []branch[int] {
			var branches []branch[int]
			for asked, p := range numbers("0.1 0.7 0.2") {
				left := stock + order - asked
				branches = append(branches, branch[int]{to: max(left, 0), weight: p, cost: whole(left * left)})
			}
			return branches
		},
	}
	return known(Problem{
		Name:   "small-inventory-three-periods",
		Source: "D.P. Bertsekas, Dynamic Programming and Optimal Control I, Athena Scientific, chapter 1, the example of inventory control: 3.7, 2.7 and 2.818",
		Answer: "backward induction: 1.3, 0.3, 1.1, then 2.5, 1.5, 1.68, then these",
	}, finiteOf(3, mdp.Minimize), d, func(stock int) *big.Rat { return numbers("3.7 2.7 2.818")[stock] })
}
