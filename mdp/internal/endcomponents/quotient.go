package mdp

import "slices"

// quotient is a table in which each end component is one state, with the choices
// of its members that may leave it.
type quotient struct {
	of      *Table
	table   *Table
	inexact float64 // what merging transitions does to probabilities
	choices *choices
	ends    *endComponents
	number  []int32   // the state of the quotient that each state is in
	members [][]int32 // of the states of the quotient
	choice  []int32   // of the table, by choice of the quotient; stopping where it stands for none
}

// stopping is the choice to stay in an end component for ever.
const stopping = -1

// newQuotient merges the end components of a table. Where there is nothing to
// merge it is the table itself.
//
// With stop, the costs of stopping in each end component, that is one more
// choice there, which leads to a state after all others.
func newQuotient(of *Table, c *choices, ends *endComponents, stop []float64) *quotient {
	q := &quotient{of: of, choices: c, ends: ends}
	q.gather()
	if len(q.members) == of.NumStates() && stop == nil {
		q.table, q.choice = of, make([]int32, of.NumChoices())
		for k := range q.choice {
			q.choice[k] = int32(k)
		}
		return q
	}
	a := TableArrays{StateStart: []int32{0}, RowStart: []int32{0}}
	seen := make([]int32, len(q.members)) // one more than the entry of the row that led there
	for _, members := range q.members {
		for _, s := range members {
			for k := of.stateStart[s]; k < of.stateStart[s+1]; k++ {
				if ends.stays[k] {
					continue
				}
				q.choice = append(q.choice, k)
				a.Costs = append(a.Costs, of.costs[k])
				first := int32(len(a.Columns))
				for e := of.rowStart[k]; e < of.rowStart[k+1]; e++ {
					j := q.number[of.columns[e]]
					if at := seen[j] - 1; at >= first {
						a.Probabilities[at] += of.probabilities[e]
						q.inexact = float64(of.longestRow) * unitRoundoff
						continue
					}
					a.Columns = append(a.Columns, j)
					a.Probabilities = append(a.Probabilities, of.probabilities[e])
					seen[j] = int32(len(a.Columns))
				}
				a.RowStart = append(a.RowStart, int32(len(a.Columns)))
			}
		}
		if component := ends.component[members[0]]; component != outside && stop != nil {
			q.only(&a, int32(len(q.members)), stop[component], stopping)
		} else if int(a.StateStart[len(a.StateStart)-1]) == len(q.choice) {
			k := of.stateStart[members[0]]
			q.only(&a, q.number[members[0]], of.costs[k], k)
		}
		a.StateStart = append(a.StateStart, int32(len(q.choice)))
	}
	if end := int32(len(q.members)); stop != nil {
		q.only(&a, end, 0, stopping)
		a.StateStart = append(a.StateStart, int32(len(q.choice)))
	}
	q.table = newTable(a, of.rate)
	return q
}

// only appends a choice that leads to one state for sure.
func (q *quotient) only(a *TableArrays, to int32, cost float64, choice int32) {
	q.choice = append(q.choice, choice)
	a.Costs = append(a.Costs, cost)
	a.Columns, a.Probabilities = append(a.Columns, to), append(a.Probabilities, 1)
	a.RowStart = append(a.RowStart, int32(len(a.Columns)))
}

// gather numbers the states of the quotient by their least members.
func (q *quotient) gather() {
	n := q.of.NumStates()
	q.number = make([]int32, n)
	known := slices.Repeat([]int32{-1}, q.ends.count)
	count := int32(0)
	for s := range n {
		c := q.ends.component[s]
		if c != outside && known[c] >= 0 {
			q.number[s] = known[c]
			continue
		}
		q.number[s] = count
		if c != outside {
			known[c] = count
		}
		count++
	}
	q.members = grouped(q.number, int(count))
}

// grouped lists the indices of each group, ascending; those of negative group
// are in none.
func grouped(group []int32, count int) [][]int32 {
	size, total := make([]int, count), 0
	for _, g := range group {
		if g >= 0 {
			size[g]++
			total++
		}
	}
	all, at := make([]int32, total), 0
	groups := make([][]int32, count)
	for g := range groups {
		groups[g] = all[at : at : at+size[g]]
		at += size[g]
	}
	for i, g := range group {
		if g >= 0 {
			groups[g] = append(groups[g], int32(i))
		}
	}
	return groups
}

// unfold returns the policy of the table that a policy of the quotient stands
// for: a component is left by the choice that the quotient makes in it, to which
// its other members lead. What members of one do that is stopped in is left open.
func (q *quotient) unfold(policy []int32) []int32 {
	if q.table == q.of {
		return policy
	}
	n := q.of.NumStates()
	actions, reached := make([]int32, n), slices.Repeat([]bool{true}, n)
	for i, members := range q.members {
		if len(members) > 1 {
			for _, s := range members {
				reached[s] = false
			}
		}
		if k := q.choice[q.table.stateStart[i]+policy[i]]; k != stopping {
			s := q.of.ownerOf(k)
			actions[s], reached[s] = k-q.of.stateStart[s], true
		}
	}
	q.choices.predecessors().towards(q.choices, reached, q.ends.stays, actions)
	return actions
}

// ownerOf returns the state that a choice belongs to.
func (t *Table) ownerOf(choice int32) int32 {
	s, found := slices.BinarySearch(t.stateStart, choice)
	if !found {
		s--
	}
	return int32(s)
}
