package property

// What the graph of a model alone decides: where a value is exactly 0, or a probability
// exactly 1, whatever the probabilities of transitions are.

import (
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// Verdict answers the property, which has a threshold, in a state: by the graph of the
// model if the value is 0 or 1, or the threshold is, and otherwise as [Property.Verdict].
func (q *Question) Verdict(s int, lower, upper float64, exact *big.Rat) string {
	switch limit := q.query.limit; {
	case q.isZero == nil: // the graph tells nothing
	case q.isZero[s]:
		exact = zero
	case len(q.isOne) > 0 && q.isOne[s]:
		exact = one
	case limit.Sign() == 0, q.isOne != nil && limit.Cmp(one) == 0:
		exact = big.NewRat(1, 2) // as good as any other number above 0, and below 1
	}
	return q.query.verdict(within(lower, upper, exact))
}

// IsDecided reports whether the graph decides the threshold in all states, whatever the values are.
func (q *Question) IsDecided() bool {
	limit := q.query.limit
	return q.HasThreshold() && (q.isZero != nil && limit.Sign() == 0 || q.isOne != nil && limit.Cmp(one) == 0)
}

// Decides reports whether bounds, or exact values unless those are nil, decide the threshold in all
// states; false without a threshold.
func (q *Question) Decides(lower, upper []float64, exact []*big.Rat) bool {
	for s := range lower {
		var known *big.Rat
		if exact != nil {
			known = exact[s]
		}
		if !q.HasThreshold() || q.Verdict(s, lower[s], upper[s], known) == Undecided {
			return false
		}
	}
	return true
}

// decide finds where the value is 0, and where a probability is 1. It leaves both open if
// a reward is below 0, or an interval begins at 0.
func (q *Question) decide(sense mdp.Sense) error {
	var pays []bool
	var isPositive bool
	switch m := q.Model; {
	case m.Distance.Len() > 0 || m.IsUncertain() && slices.Contains(m.Values.Float, 0): // nature may choose what can be reached
		return nil
	case m.IsUncertain():
		pays, isPositive = paying(m, &m.Rewards[0])
	default:
		expected, err := m.ExpectedRewards(q.Reward)
		if err != nil {
			return err
		}
		pays, isPositive = positive(expected, m.NumChoices())
	}
	ends, endsPositive := positive(q.Terminal, q.Model.NumStates())
	if !isPositive || !endsPositive {
		return nil
	}
	var err error
	if q.query.operator == "R" {
		q.isZero, err = newStateGraph(q.Model).zeros(q.Criterion, sense == mdp.Maximize, pays, ends)
		return err
	}
	q.isZero, q.isOne, err = q.certain(sense, pays, ends, negated(ends))
	return err
}

// certain returns the states where a probability is 0, and where it is 1: there, that of the
// opposite is 0. It takes the choices that pay, and the states where what is earned at the end is
// above 0, and below 1.
func (q *Question) certain(sense mdp.Sense, pays, above, below []bool) (isZero, isOne []bool, err error) {
	w, greatest := newStateGraph(q.Model), sense == mdp.Maximize
	if isZero, err = w.zeros(q.Criterion, greatest, pays, above); err != nil {
		return nil, nil, err
	}
	if _, isAverage := q.Criterion.(mdp.LongRunAverage); isAverage {
		pays = negated(pays)
	}
	isOne, err = w.zeros(q.Criterion, !greatest, pays, below)
	return isZero, isOne, err
}

// positive marks the numbers above 0 of a list, in which none may be below; an empty list
// has n zeros.
func positive(list modelfile.Numbers, n int) (is []bool, ok bool) {
	is = make([]bool, n)
	for i := range list.Float {
		sign := signOf(list, i)
		if is[i] = sign > 0; sign < 0 {
			return nil, false
		}
	}
	return is, true
}

// signOf returns the sign of a number of a list.
func signOf(list modelfile.Numbers, i int) int {
	if list.Exact != nil {
		return list.Exact[i].Sign()
	}
	return big.NewFloat(list.Float[i]).Sign()
}

func negated(list []bool) []bool {
	opposite := make([]bool, len(list))
	for i, is := range list {
		opposite[i] = !is
	}
	return opposite
}

// stateGraph is a model as a graph.
type stateGraph struct {
	*modelfile.Model
	*graph.Choices
	owner []int32 // the state of each choice
}

func newStateGraph(m *modelfile.Model) *stateGraph {
	w := &stateGraph{Model: m, owner: make([]int32, m.NumChoices())}
	for s := range m.NumStates() {
		for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
			w.owner[k] = int32(s)
		}
	}
	w.Choices = graph.NewChoices(m.NumStates(), w.owner, w.next)
	return w
}

// next returns the states that a choice may lead to.
func (w *stateGraph) next(k int32) []int32 { return w.Columns[w.RowStart[k]:w.RowStart[k+1]] }

// zeros returns the states from which the least or the greatest value of a criterion is 0,
// given the choices, and the ends, that pay something.
func (w *stateGraph) zeros(criterion mdp.Criterion, greatest bool, pays, ends []bool) ([]bool, error) {
	all := negated(make([]bool, len(pays)))
	paid := make([]bool, len(ends)) // where something is paid, perhaps
	switch c := criterion.(type) {
	case mdp.LongRunAverage:
		if !greatest {
			stays, err := idle(w.Model, pays)
			return w.Surely(stays, all), err
		}
		component, err := components(w.Model)
		for k, s := range w.owner {
			leaves := func(j int32) bool { return component[j] != component[s] }
			paid[s] = paid[s] || err == nil && pays[k] && component[s] >= 0 && !slices.ContainsFunc(w.next(int32(k)), leaves)
		}
		return negated(w.maybe(paid, all)), err
	case mdp.TotalCost:
		if c.Target == nil {
			return w.zerosOfAllSteps(greatest, pays)
		}
		target := make([]bool, len(ends))
		for _, s := range c.Target {
			target[s] = true
		}
		allowed := make([]bool, len(pays))
		for k, s := range w.owner {
			allowed[k] = !target[s] && (greatest || !pays[k])
		}
		if !greatest {
			return w.Surely(target, allowed), nil
		}
		paid, err := idle(w.Model, negated(allowed)) // a run that never reaches the target has an infinite total
		for k, s := range w.owner {
			paid[s] = paid[s] || allowed[k] && pays[k]
		}
		return negated(w.maybe(paid, allowed)), err
	case mdp.FiniteHorizon:
		return w.zerosAfter(c.Steps, greatest, pays, ends), nil
	case mdp.TimeHorizon:
		if c.Time == 0 {
			return negated(ends), nil
		}
		for k, s := range w.owner {
			paid[s] = ends[s] || pays[k]
		}
		return negated(w.maybe(paid, all)), nil
	}
	return nil, nil
}

// zerosOfAllSteps is zeros for the total of all steps: the least one is 0 where a policy surely
// comes, at no cost, to where it may stay at no cost.
func (w *stateGraph) zerosOfAllSteps(greatest bool, pays []bool) ([]bool, error) {
	if !greatest {
		stays, err := idle(w.Model, pays)
		return w.Surely(stays, negated(pays)), err
	}
	paid := make([]bool, w.NumStates())
	for k, s := range w.owner {
		paid[s] = paid[s] || pays[k]
	}
	return negated(w.maybe(paid, negated(make([]bool, len(pays))))), nil
}

// zerosAfter is zeros for a number of steps.
func (w *stateGraph) zerosAfter(steps int, greatest bool, pays, ends []bool) []bool {
	zeros := negated(ends)
	kept, since, limit := zeros, 0, 1 // an earlier set, the steps since then, and after how many to keep another: Brent's way to find a cycle
	for ; steps > 0; steps-- {
		before := make([]bool, len(zeros))
		for s := range before {
			before[s] = greatest
		}
		for k, s := range w.owner {
			if is := !pays[k] && !slices.ContainsFunc(w.next(int32(k)), func(j int32) bool { return !zeros[j] }); is != greatest {
				before[s] = is
			}
		}
		zeros = before
		if since++; slices.Equal(zeros, kept) { // the sets repeat themselves
			steps = (steps-1)%since + 1
		}
		if since == limit {
			kept, since, limit = zeros, 0, 2*limit
		}
	}
	return zeros
}

// maybe returns the states from which allowed choices may lead to some states, with those.
func (w *stateGraph) maybe(states, allowed []bool) []bool {
	met := slices.Clone(states)
	w.Backwards(met, func(k int32) bool { return allowed[k] })
	return met
}
