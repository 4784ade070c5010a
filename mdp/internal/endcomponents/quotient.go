package endcomponents

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Quotient is a model in which each end component of another is one state, with
// the choices of its members that may leave it.
type Quotient struct {
	Of            *rows.Rows
	Rows          *rows.Rows // the same as Of if there is nothing to merge
	RelativeError float64    // relative error of probabilities, from adding up merged ones
	Ends          *Components
	Number        []int32   // the state of the quotient that each state is in
	Members       [][]int32 // of the states of the quotient
	Choice        []int32   // the choice of Of for each choice of the quotient, or Stopping
}

// Stopping is the choice to stay in an end component for ever.
const Stopping = -1

// NewQuotient merges the end components of a model.
//
// If stop is not nil, it holds the cost of stopping in each end component: one more
// choice, which leads to a state after all others.
func NewQuotient(of *rows.Rows, ends *Components, stop []float64) *Quotient {
	if ends.Count == 0 && stop == nil {
		return Unmerged(of, ends)
	}
	q := &Quotient{Of: of, Ends: ends}
	q.number()
	if len(q.Members) == of.NumStates() && stop == nil {
		return Unmerged(of, ends)
	}
	q.Rows = rows.New(len(q.Members)+1, of.NumChoices()+1, len(of.Columns)+1)
	for _, members := range q.Members {
		for _, s := range members {
			for k := of.StateStart[s]; k < of.StateStart[s+1]; k++ {
				if !ends.Stays[k] {
					q.merge(k)
				}
			}
		}
		if component := ends.Of[members[0]]; component != Outside && stop != nil {
			q.only(int32(len(q.Members)), stop[component], Stopping)
		} else if int(q.Rows.StateStart[q.Rows.NumStates()]) == len(q.Choice) {
			k := of.StateStart[members[0]] // nothing leaves: the state of the quotient stays
			q.only(q.Number[members[0]], of.Costs[k], k)
		}
		q.Rows.EndState()
	}
	if stop != nil {
		q.only(int32(len(q.Members)), 0, Stopping)
		q.Rows.EndState()
	}
	return q
}

// Unmerged returns the quotient in which every state stands for itself. It lists no Members.
func Unmerged(of *rows.Rows, ends *Components) *Quotient {
	q := &Quotient{Of: of, Rows: of, Ends: ends, Number: make([]int32, of.NumStates()), Choice: make([]int32, of.NumChoices())}
	for s := range q.Number {
		q.Number[s] = int32(s)
	}
	for k := range q.Choice {
		q.Choice[k] = int32(k)
	}
	return q
}

// Predecessors returns the predecessors of Rows.
func (q *Quotient) Predecessors() *Predecessors {
	if q.Rows == q.Of && q.Ends.before != nil {
		return q.Ends.before
	}
	return NewPredecessors(q.Rows)
}

// merge appends a choice, and adds up its transitions to the same state of the quotient.
func (q *Quotient) merge(k int32) {
	r, of := q.Rows, q.Of
	for e := of.RowStart[k]; e < of.RowStart[k+1]; e++ {
		r.Add(q.Number[of.Columns[e]], of.Probabilities[e])
	}
	if len(q.Members) < of.NumStates() && r.Merge() && q.RelativeError == 0 {
		q.RelativeError = float64(of.Longest()) * rounding.Unit
	}
	q.Choice = append(q.Choice, k)
	r.EndChoice(of.Costs[k])
}

// only appends a choice that leads to one state with probability 1.
func (q *Quotient) only(to int32, cost float64, choice int32) {
	q.Choice = append(q.Choice, choice)
	q.Rows.Add(to, 1)
	q.Rows.EndChoice(cost)
}

// number numbers the states of the quotient by their least members.
func (q *Quotient) number() {
	q.Number = make([]int32, q.Of.NumStates())
	known := slices.Repeat([]int32{-1}, q.Ends.Count)
	count := int32(0)
	for s, c := range q.Ends.Of {
		if c != Outside && known[c] >= 0 {
			q.Number[s] = known[c]
			continue
		}
		q.Number[s] = count
		if c != Outside {
			known[c] = count
		}
		count++
	}
	q.Members = graph.Members(q.Number, int(count))
}

// Unfold returns the policy of the model for a policy of the quotient. The policy leaves a
// component by the choice that the quotient makes there; from the other states of the
// component it goes to the state that has this choice. In a component where the policy
// stops, actions are arbitrary.
func (q *Quotient) Unfold(policy []int32) []int32 {
	if q.Rows == q.Of {
		return policy
	}
	n := q.Of.NumStates()
	before := NewPredecessors(q.Of)
	actions, reached := make([]int32, n), slices.Repeat([]bool{true}, n)
	for i, members := range q.Members {
		if len(members) > 1 {
			for _, s := range members {
				reached[s] = false
			}
		}
		if k := q.Choice[q.Rows.StateStart[i]+policy[i]]; k != Stopping {
			s := before.owner[k]
			actions[s], reached[s] = k-q.Of.StateStart[s], true
		}
	}
	before.Towards(reached, q.Ends.Stays, actions)
	return actions
}
