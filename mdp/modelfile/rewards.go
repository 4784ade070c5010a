// This file computes exit rates and expected rewards.

package modelfile

import (
	"fmt"
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// ExitRates returns the sum of the rates of each choice (in a CTMC, that is each state) of a
// model in continuous time, transitions to its own state included, rounded once; where they
// are intervals, of their lower ends. It panics for other kinds.
func (m *Model) ExitRates() Numbers {
	if !m.Kind.IsContinuous() {
		panic("modelfile: exit rates of a " + m.Kind.String())
	}
	exit := Numbers{Float: make([]float64, m.NumChoices())}
	if m.IsExact() {
		exit.Exact = make([]*big.Rat, m.NumChoices())
	}
	for k := range exit.Float {
		lo, hi := m.row(k)
		if m.IsExact() {
			exit.Exact[k] = m.Values.sum(lo, hi)
			exit.Float[k], _ = exit.Exact[k].Float64()
		} else {
			exit.Float[k] = floatSum(m.Values.Float[lo:hi]).Float()
		}
	}
	return exit
}

// uneven returns a state whose choices have different exit rates, −1 for none.
func (m *Model) uneven() int {
	exit := m.ExitRates()
	for s, k := range m.choices() {
		if exit.value(k).compare(exit.value(int(m.StateStart[s]))) != 0 {
			return s
		}
	}
	return -1
}

// ExpectedRewards returns, by choice, the expected reward of a reward model
// (named as for [Model.Reward]; all 0 where the model has none and the name is
// empty): for choice k of state s
//
//	discrete time:   State[s] + Action[k] + Σ_e p_e·Transition[e], per step, p_e = Values[e]/Σ Values
//	continuous time: State[s] + Σ_e Values[e]·(Action[k] + Transition[e]), per unit of time
//
// over the transitions e of k. What is meant are the exact numbers of the model
// where it has them, and its float64 numbers as they stand otherwise. Each result
// is rounded once, up to 2⁻⁶⁰ of it, also where terms cancel. One that is beyond
// float64 is infinite, and one below it 0.
func (m *Model) ExpectedRewards(name string) (Numbers, error) {
	if m.IsUncertain() {
		return Numbers{}, fmt.Errorf("modelfile: %w: no expected rewards", ErrIntervals)
	}
	r, err := m.rewardOrNone(name)
	if err != nil {
		return Numbers{}, err
	}
	expected := Numbers{Float: make([]float64, m.NumChoices())}
	if m.IsExact() {
		expected.Exact = make([]*big.Rat, m.NumChoices())
	}
	for s, k := range m.choices() {
		x := m.expectedReward(r, s, k)
		if expected.Float[k] = x.float; m.IsExact() {
			expected.Exact[k] = x.exact
		}
	}
	return expected, nil
}

// rewardOrNone returns the reward model of a name, one without rewards where the
// name is empty and the model has none.
func (m *Model) rewardOrNone(name string) (*RewardModel, error) {
	if name == "" && len(m.Rewards) == 0 {
		return &RewardModel{}, nil
	}
	return m.Reward(name)
}

// expectedReward returns the expected reward of choice k of state s. It is exact in
// an exact model, and in another where twice the digits of float64 are too few.
func (m *Model) expectedReward(r *RewardModel, s, k int) value {
	if x := r.State.value(s); r.Action.Len() == 0 && r.Transition.Len() == 0 && (x.exact != nil || !m.IsExact()) {
		return x
	}
	if !m.IsExact() {
		if float, ok := m.floatReward(r, s, k); ok {
			return value{float: float}
		}
	}
	exact := m.exactReward(r, s, k)
	float, _ := exact.Float64()
	return value{float, exact}
}

// floatReward computes an expected reward with twice the digits. ok is false where
// it may have lost them, because terms cancel or because of their magnitude.
func (m *Model) floatReward(r *RewardModel, s, k int) (reward float64, ok bool) {
	lo, hi := m.row(k)
	action := doubledouble.FromFloat(r.Action.value(k).float)
	spread := !r.Transition.isConstant(lo, hi)
	var rates doubledouble.Number
	if spread || m.Kind.IsContinuous() {
		rates = floatSum(m.Values.Float[lo:hi])
	}
	if !spread && lo < hi { // without a product
		action = action.AddFloat(r.Transition.value(lo).float)
	}
	lost := false // a product that is below float64
	if m.Kind.IsContinuous() && action.Hi != 0 {
		action = action.Mul(rates)
		lost = action.Hi == 0
	}
	sum, magnitude := action.AddFloat(r.State.value(s).float), math.Abs(action.Hi)+math.Abs(r.State.value(s).float)
	var earned doubledouble.Number
	for e := lo; e < hi && spread; e++ {
		term := doubledouble.TwoProduct(m.Values.Float[e], r.Transition.Float[e])
		earned = earned.Add(term)
		magnitude += math.Abs(term.Hi)
		lost = lost || term.Hi == 0 && r.Transition.Float[e] != 0
	}
	if !m.Kind.IsContinuous() && spread {
		quotient := earned.Hi / rates.Hi
		earned = doubledouble.FromFloat(quotient).AddFloat(earned.Sub(rates.MulFloat(quotient)).Hi / rates.Hi)
	}
	reward = sum.Add(earned).Float()
	enough := math.Abs(reward) >= max(0x1p-30*magnitude, 0x1p-900) && !math.IsInf(magnitude, 1)
	return reward, enough || magnitude == 0 && !lost
}

func (m *Model) exactReward(r *RewardModel, s, k int) *big.Rat {
	lo, hi := m.row(k)
	sum, term := new(big.Rat), new(big.Rat)
	for e := lo; e < hi && r.Transition.Len() > 0; e++ {
		sum.Add(sum, term.Mul(m.Values.rational(e), r.Transition.rational(e)))
	}
	action := new(big.Rat).Set(r.Action.rational(k))
	switch {
	case m.Kind.IsContinuous() && action.Sign() != 0:
		action.Mul(action, m.Values.sum(lo, hi))
	case !m.Kind.IsContinuous() && sum.Sign() != 0:
		sum.Quo(sum, m.Values.sum(lo, hi))
	}
	return sum.Add(sum.Add(sum, action), r.State.rational(s))
}

// isConstant reports whether numbers lo … hi−1 are all the same.
func (n *Numbers) isConstant(lo, hi int) bool {
	for i := lo + 1; i < hi && len(n.Float) > 0; i++ {
		if n.Float[i] != n.Float[lo] || len(n.Exact) > 0 && n.Exact[i].Cmp(n.Exact[lo]) != 0 {
			return false
		}
	}
	return true
}

// FoldTransitionRewards replaces the transition rewards of every reward model by
// their expectation, as a reward of the choice: for formats that have no place
// for them, and without effect on any expected value. It leaves a model with intervals as
// it is.
func (m *Model) FoldTransitionRewards() {
	if m.IsUncertain() {
		return
	}
	for i := range m.Rewards {
		r := &m.Rewards[i]
		if r.Transition.Len() == 0 {
			continue
		}
		folded := Numbers{}
		for k := range m.NumChoices() {
			folded.put(k, m.foldedReward(r, k))
		}
		folded.complete(m.NumChoices())
		r.Action, r.Transition = folded, Numbers{}
	}
}

// foldedReward returns the action reward of choice k with the expected
// transition reward in it.
func (m *Model) foldedReward(r *RewardModel, k int) value {
	lo, hi := m.row(k)
	if lo == hi {
		return r.Action.value(k)
	}
	x := m.exactReward(&RewardModel{Action: r.Action, Transition: r.Transition}, 0, k)
	if m.Kind.IsContinuous() {
		x.Quo(x, m.Values.sum(lo, hi))
	}
	float, _ := x.Float64()
	if !m.IsExact() {
		x = nil
	}
	return value{float, x}
}
