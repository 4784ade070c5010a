package certificate

// This file holds the choices of a model, and the expressions in which they occur.

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// rows are the choices of a model, with its numbers.
type rows struct {
	*modelfile.Model
	stateOf                           []int32  // the state of each choice
	values, state, action, transition *numbers // of transitions; rewards
	continuous                        bool
	low, high                         []*big.Rat     // ends of intervals, by transition; nil without any
	free                              []*big.Rat     // what may be added within a distance, by choice; nil without any
	rounded                           *nearEnds      // the same in double-double; made when needed
	graph                             *graph.Choices // made when needed
	edges                             []float64      // by choice, where nature chooses in double-double; nil otherwise
	ends                              *endComponents // of all choices; made when needed
}

// newRows returns the rows of a model with rewards.
func newRows(m *modelfile.Model, rewards *modelfile.RewardModel) *rows {
	r := &rows{
		Model: m, stateOf: make([]int32, m.NumChoices()), continuous: m.Kind.IsContinuous(), values: fromModel(m.Values),
		state: fromModel(rewards.State), action: fromModel(rewards.Action), transition: fromModel(rewards.Transition),
	}
	for s := range int32(m.NumStates()) {
		for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
			r.stateOf[k] = s
		}
	}
	if m.IsUncertain() {
		r.findEnds()
		r.values = fromRationals(r.chosen(&choice{sign: 1})...)
	}
	return r
}

// next returns the states that choice k leads to, with its own if it may stay.
func (r *rows) next(k int32) []int32 { return r.Columns[r.RowStart[k]:r.RowStart[k+1]] }

// isMissing reports whether state s has no action a.
func (r *rows) isMissing(s int, a int32) bool { return a >= r.StateStart[s+1]-r.StateStart[s] }

// choicesOf returns a mask of the choices of a policy, and whether there is one for
// each state.
func (r *rows) choicesOf(policy []int32) (mask []bool, complete bool) {
	mask, complete = make([]bool, r.NumChoices()), policy != nil
	for s, a := range policy {
		if complete = complete && !r.isMissing(s, a); !r.isMissing(s, a) {
			mask[r.StateStart[s]+a] = true
		}
	}
	return mask, complete
}

// factors are the numbers by which an expression multiplies the change of values, and the level: β and
// 1−β for a discounted total, 1 and α for one discounted at a rate α in continuous time.
type factors struct {
	change, level         *big.Rat
	nearChange, nearLevel pair
}

func newFactors(change, level *big.Rat) *factors {
	return &factors{change, level, doubledouble.FromRat(change), doubledouble.FromRat(level)}
}

// expression is cost(k) + β·D_k value − (1−β)·level(s) for choices k of states s, times the
// unit of the choice, the sum of its values, by which probabilities would have to be
// divided:
//
//	unit·cost(k) = unit·(state(s) + action(k)) + Σ_e value(e)·transition(e)
//	unit·D_k x   = Σ_e value(e)·(x(columns[e]) − x(s))
//
// In continuous time the unit is 1, but actions earn at the rate of all transitions.
type expression struct {
	*rows
	value           *numbers
	costs, absolute bool     // costs are not all 0; they are the absolute ones
	level           *numbers // nil: 0
	factors         *factors // nil: 1 and 1
}

// near returns the expression times the unit, in double-double, the unit, and a bound
// on the rounding error.
func (x *expression) near(k int32) (result, unit pair, off float64) {
	s := x.stateOf[k]
	here := x.value.near(s)
	back, size := here.Neg(), math.Abs(here.Hi)
	var cost, drift doubledouble.Sum
	earns := x.transition.isSet()
	for e := x.RowStart[k]; e < x.RowStart[k+1]; e++ {
		v := x.values.near(e)
		unit = unit.Add(v)
		if v == (pair{}) {
			if x.values.at(e).rational().Sign() == 0 {
				continue // the next state may have an infinite value
			}
			drift.Size = math.Inf(1) // the value may be so large that it matters
		}
		if there := x.value.near(x.Columns[e]); there != here || x.value.exact != nil && x.Columns[e] != s { // exact numbers may differ all the same
			drift.AddProduct(v, there.Add(back), size+math.Abs(there.Hi))
		}
		if earns {
			reward := x.transition.near(e)
			cost.AddProduct(v, reward, math.Abs(reward.Hi))
		}
	}
	action, state := x.action.near(k), x.state.near(s)
	cost.AddProduct(unit, action, math.Abs(action.Hi))
	one := pair{Hi: 1}
	if x.continuous {
		unit = one
	}
	cost.AddProduct(unit, state, math.Abs(state.Hi))
	if !x.costs {
		cost = doubledouble.Sum{}
	} else if x.absolute {
		cost.Number = cost.Abs() // off by no more
	}
	factor, rest := one, one
	if x.factors != nil {
		factor, rest = x.factors.nearChange, x.factors.nearLevel
	}
	cost.AddProduct(factor, drift.Number, 0)
	cost.Size += drift.Size
	if x.level != nil {
		level := x.level.near(s).Mul(rest)
		cost.AddProduct(unit, level.Neg(), math.Abs(level.Hi))
	}
	return cost.Number, unit, cost.Error(int(x.RowStart[k+1]-x.RowStart[k]) + 4)
}

// exactly returns the expression times the unit, and the unit. All numbers in the
// expression must be finite.
func (x *expression) exactly(k int32) (result, unit *big.Rat) {
	s := x.stateOf[k]
	result, unit = new(big.Rat), new(big.Rat)
	drift, term, here := new(big.Rat), new(big.Rat), x.value.at(s).rational()
	for e := x.RowStart[k]; e < x.RowStart[k+1]; e++ {
		v := x.values.at(e).rational()
		if v.Sign() == 0 {
			continue
		}
		unit.Add(unit, v)
		drift.Add(drift, term.Mul(v, term.Sub(x.value.at(x.Columns[e]).rational(), here)))
		result.Add(result, term.Mul(v, x.transition.at(e).rational()))
	}
	result.Add(result, term.Mul(unit, x.action.at(k).rational()))
	if x.continuous {
		unit.SetInt64(1)
	}
	result.Add(result, term.Mul(unit, x.state.at(s).rational()))
	if !x.costs {
		result.SetInt64(0)
	} else if x.absolute {
		result.Abs(result)
	}
	level := new(big.Rat)
	if x.level != nil {
		level.Mul(unit, x.level.at(s).rational())
	}
	if x.factors != nil {
		drift.Mul(drift, x.factors.change)
		level.Mul(level, x.factors.level)
	}
	return result.Sub(result.Add(result, drift), level), unit
}

// isExact reports whether some numbers are rationals, which may not be 0 though they round to 0.
func (x *expression) isExact() bool {
	return slices.ContainsFunc([]*numbers{x.value, x.level, x.values, x.transition, x.action, x.state}, func(list *numbers) bool {
		return list != nil && len(list.exact) > 0
	})
}

// sign returns the sign of the expression, and whether it is known: it is not
// known if an infinite number occurs in the expression.
func (x *expression) sign(k int32) (sign int, known bool) {
	s := x.stateOf[k]
	if x.value.at(s).isInfinite() || x.level != nil && x.level.at(s).isInfinite() {
		return 0, false
	}
	if result, _, off := x.near(k); math.Abs(result.Hi) > off || off == 0 && !x.isExact() {
		return cmp.Compare(result.Hi, 0), true
	}
	for e, j := range x.next(k) {
		if x.value.at(j).isInfinite() && x.values.at(x.RowStart[k]+int32(e)).rational().Sign() != 0 {
			return 0, false
		}
	}
	exact, _ := x.exactly(k)
	return exact.Sign(), true
}
