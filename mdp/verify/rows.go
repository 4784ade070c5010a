package verify

// This file holds the choices of a model, and the expressions in which they occur.

import (
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// rows are the choices of a model, with its numbers.
type rows struct {
	*mdpio.Model
	stateOf                   []int32 // the state of each choice
	values                    numbers // of transitions
	state, action, transition numbers // rewards
	earns                     bool    // transitions have rewards

	// Made when needed: the graph from states to the choices that may lead there,
	// and the end components of all choices.
	entering *graph
	ends     *endComponents
}

// newRows returns the rows of a model with the rewards of the name.
func newRows(m *mdpio.Model, reward string) (*rows, error) {
	r := &rows{Model: m, stateOf: make([]int32, m.NumChoices()), values: fromModel(m.Values)}
	for s := range int32(m.NumStates()) {
		for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
			r.stateOf[k] = s
		}
	}
	if reward == "" && len(m.Rewards) == 0 {
		return r, nil
	}
	rewards, err := m.Reward(reward)
	if err != nil {
		return nil, err
	}
	r.state, r.action, r.transition = fromModel(rewards.State), fromModel(rewards.Action), fromModel(rewards.Transition)
	r.earns = rewards.Transition.Len() > 0
	return r, nil
}

// next returns the states that choice k leads to, with its own if it may stay.
func (r *rows) next(k int32) []int32 { return r.Columns[r.RowStart[k]:r.RowStart[k+1]] }

func (r *rows) isContinuous() bool { return r.Kind == mdpio.CTMC }

// isMissing reports whether state s has no action a.
func (r *rows) isMissing(s int, a int32) bool { return a >= r.StateStart[s+1]-r.StateStart[s] }

// hasPolicy reports whether a policy is one: it is not nil, and every state has
// its action.
func (r *rows) hasPolicy(policy []int32) bool {
	for s, a := range policy {
		if r.isMissing(s, a) {
			return false
		}
	}
	return policy != nil
}

// all returns a mask that allows every choice.
func (r *rows) all() []bool {
	mask := make([]bool, r.NumChoices())
	for k := range mask {
		mask[k] = true
	}
	return mask
}

// choicesOf returns a mask of the choices of a policy; states without the action
// have none.
func (r *rows) choicesOf(policy []int32) []bool {
	mask := make([]bool, r.NumChoices())
	for s, a := range policy {
		if !r.isMissing(s, a) {
			mask[r.StateStart[s]+a] = true
		}
	}
	return mask
}

// expression is what choices k of states s are made to satisfy something with:
//
//	cost(k) + β·D_k value − level(s)
//
// It is computed times the unit of the choice, the sum of its values, by which
// probabilities would have to be divided (1 in continuous time):
//
//	unit·cost(k) = unit·(state(s) + action(k)) + Σ_e value(e)·transition(e)
//	unit·D_k x   = Σ_e value(e)·(x(columns[e]) − x(s))
//
// In continuous time an action earns its reward at the rate of all transitions.
type expression struct {
	*rows
	value    *numbers
	costs    bool     // false: all 0
	absolute bool     // costs are the absolute ones
	level    *numbers // nil: 0
	factor   *numbers // β, then 1−β, by which level is multiplied; nil: 1 and 1
}

// near returns the expression in double-double times the unit, which comes beside
// it, and a bound on what rounding has done.
func (x *expression) near(k int32) (result, unit doubledouble.Number, off float64) {
	s := x.stateOf[k]
	here := x.value.near(s)
	back, size := here.Neg(), math.Abs(here.Hi)
	var cost, drift sum
	one := doubledouble.FromFloat(1)
	for e := x.RowStart[k]; e < x.RowStart[k+1]; e++ {
		v := x.values.near(e)
		unit = unit.Add(v)
		if there := x.value.near(x.Columns[e]); there != here {
			drift.add(v, there.Add(back), size+math.Abs(there.Hi))
		}
		if x.earns {
			reward := x.transition.near(e)
			cost.add(v, reward, math.Abs(reward.Hi))
		}
	}
	terms := int(x.RowStart[k+1]-x.RowStart[k]) + 4
	action, state := x.action.near(k), x.state.near(s)
	cost.add(unit, action, math.Abs(action.Hi))
	if x.isContinuous() {
		unit = one
	}
	cost.add(unit, state, math.Abs(state.Hi))
	switch {
	case !x.costs:
		cost = sum{}
	case x.absolute && cost.Hi < 0:
		cost.Number = cost.Neg() // off by no more
	}
	if x.factor != nil {
		cost.add(x.factor.near(0), drift.Number, 0)
		cost.size += drift.size
	} else {
		cost.add(one, drift.Number, drift.size)
	}
	if x.level != nil {
		level := x.level.near(s)
		if x.factor != nil {
			level = level.Mul(x.factor.near(1))
		}
		cost.add(unit, level.Neg(), math.Abs(level.Hi))
	}
	return cost.Number, unit, cost.error(terms)
}

// exactly returns the expression times the unit, and the unit. All that occurs in
// it is finite.
func (x *expression) exactly(k int32) (result, unit *big.Rat) {
	s := x.stateOf[k]
	here := x.value.at(s).rational()
	result, unit = new(big.Rat), new(big.Rat)
	drift, term := new(big.Rat), new(big.Rat)
	for e := x.RowStart[k]; e < x.RowStart[k+1]; e++ {
		v := x.values.at(e).rational()
		unit.Add(unit, v)
		drift.Add(drift, term.Mul(v, term.Sub(x.value.at(x.Columns[e]).rational(), here)))
		if x.earns {
			result.Add(result, term.Mul(v, x.transition.at(e).rational()))
		}
	}
	result.Add(result, term.Mul(unit, x.action.at(k).rational()))
	if x.isContinuous() {
		unit.SetInt64(1)
	}
	result.Add(result, term.Mul(unit, x.state.at(s).rational()))
	switch {
	case !x.costs:
		result.SetInt64(0)
	case x.absolute:
		result.Abs(result)
	}
	factor, rest := bound{exact: big.NewRat(1, 1)}, bound{exact: big.NewRat(1, 1)}
	if x.factor != nil {
		factor, rest = x.factor.at(0), x.factor.at(1)
	}
	result.Add(result, drift.Mul(drift, factor.rational()))
	if x.level != nil {
		level := term.Mul(x.level.at(s).rational(), rest.rational())
		result.Sub(result, level.Mul(level, unit))
	}
	return result, unit
}

// sign returns the sign of the expression, and whether it is known: it is not
// where something infinite occurs in it.
func (x *expression) sign(k int32) (sign int, known bool) {
	s := x.stateOf[k]
	infinite := x.value.at(s).isInfinite()
	result, _, off := x.near(k)
	switch {
	case infinite:
		return 0, false
	case result.Hi > off:
		return 1, true
	case result.Hi < -off:
		return -1, true
	case off == 0 && result.Hi == 0:
		return 0, true
	}
	infinite = x.level != nil && x.level.at(s).isInfinite()
	for _, j := range x.next(k) {
		infinite = infinite || x.value.at(j).isInfinite()
	}
	if infinite {
		return 0, false
	}
	exact, _ := x.exactly(k)
	return exact.Sign(), true
}
