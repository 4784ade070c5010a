package certificate

import "math/big"

// bestTotal returns the best totals over all policies. Where costs are minimised
// they have no lower bound from where, without losing the target, one may come
// to a class of states with a negative gain: as often as one likes.
func (x *exactModel) bestTotal(target []bool, maximize bool) (values []oracleValue, policy []int32) {
	values, policy = x.best(maximize, x.total(target))
	if maximize {
		return values, policy
	}
	n := len(x.rows)
	kept := make([][]int32, n) // the actions that keep the target in reach
	for s := range n {
		for a, row := range x.rows[s] {
			keeps := values[s].Rat != nil && !target[s]
			for j, rate := range row {
				keeps = keeps && (rate.Sign() == 0 || values[j].Rat != nil)
			}
			if keeps {
				kept[s] = append(kept[s], int32(a))
			}
		}
	}
	endless := x.negativeClasses(kept)
	for again := true; again; {
		again = false
		for s := range n {
			for _, a := range kept[s] {
				for j, rate := range x.rows[s][a] {
					if rate.Sign() > 0 && endless[j] && !endless[s] {
						endless[s], again = true, true
					}
				}
			}
		}
	}
	for s := range n {
		if endless[s] {
			values[s], policy = oracleValue{sign: -1}, nil
		}
	}
	return values, policy
}

// negativeClasses returns the states of closed classes of policies with some
// actions whose gain is negative.
func (x *exactModel) negativeClasses(actions [][]int32) []bool {
	n := len(x.rows)
	within := &exactModel{rows: make([][][]*big.Rat, n), costs: make([][]*big.Rat, n)}
	for s := range n {
		for _, a := range actions[s] {
			within.rows[s] = append(within.rows[s], x.rows[s][a])
			within.costs[s] = append(within.costs[s], x.costs[s][a])
		}
		if len(actions[s]) == 0 { // an end that costs nothing
			within.rows[s], within.costs[s] = [][]*big.Rat{zeros(n)}, zeros(1)
		}
	}
	negative := make([]bool, n)
	within.best(false, func(policy []int32) []oracleValue {
		gains := within.average(policy)
		reach := within.reachability(policy, nil)
		for s := range n {
			recurrent := true
			for j := range n {
				recurrent = recurrent && (!reach[s][j] || reach[j][s])
			}
			negative[s] = negative[s] || recurrent && gains[s].Sign() < 0
		}
		return gains
	})
	return negative
}
