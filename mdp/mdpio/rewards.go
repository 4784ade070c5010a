package mdpio

import (
	"fmt"
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// ExitRates returns the sum of the rates of each state of a CTMC, transitions to
// the state itself included, rounded once. It panics for other kinds.
func (m *Model) ExitRates() Numbers {
	if m.Kind != CTMC {
		panic("mdpio: exit rates of a " + m.Kind.String())
	}
	exit := Numbers{Float: make([]float64, m.NumStates())}
	if m.IsExact() {
		exit.Exact = make([]*big.Rat, m.NumStates())
	}
	for s := range m.NumStates() {
		lo, hi := m.RowStart[s], m.RowStart[s+1]
		if m.IsExact() {
			exit.Exact[s] = exactSum(m.Values.Exact[lo:hi])
			exit.Float[s], _ = exit.Exact[s].Float64()
		} else {
			exit.Float[s] = sumRates(m.Values.Float[lo:hi]).Float()
		}
	}
	return exit
}

// ExpectedRewards returns, by choice, the expected reward of a reward model
// (named as for [Model.Reward]; all 0 where the model has none and the name is
// empty): for choice k of state s
//
//	DTMC, MDP: State[s] + Action[k] + Σ_e Values[e]·Transition[e], per step
//	CTMC:      State[s] + Σ_e Values[e]·(Action[k] + Transition[e]), per unit of time
//
// over the transitions e of k. Floating-point results are computed with twice
// the digits and rounded once; equal transition rewards of one choice count as
// a reward of the choice, without a product.
func (m *Model) ExpectedRewards(name string) (Numbers, error) {
	expected := Numbers{Float: make([]float64, m.NumChoices())}
	if m.IsExact() {
		expected.Exact = make([]*big.Rat, m.NumChoices())
	}
	r := &RewardModel{}
	if name != "" || len(m.Rewards) > 0 {
		var err error
		if r, err = m.Reward(name); err != nil {
			return Numbers{}, err
		}
	}
	for s := range m.NumStates() {
		for k := int(m.StateStart[s]); k < int(m.StateStart[s+1]); k++ {
			if m.IsExact() {
				expected.Exact[k] = m.exactReward(r, s, k)
				expected.Float[k], _ = expected.Exact[k].Float64()
			} else {
				expected.Float[k] = m.floatReward(r, s, k)
			}
		}
	}
	return expected, nil
}

func (m *Model) floatReward(r *RewardModel, s, k int) float64 {
	lo, hi := int(m.RowStart[k]), int(m.RowStart[k+1])
	action := doubledouble.FromFloat(r.Action.value(k).float)
	spread := !r.Transition.isConstant(lo, hi)
	if !spread && lo < hi {
		action = action.AddFloat(r.Transition.value(lo).float)
	}
	sum := doubledouble.FromFloat(r.State.value(s).float)
	if m.Kind != CTMC {
		sum = sum.Add(action)
	} else if action.Hi != 0 {
		sum = sum.Add(action.Mul(sumRates(m.Values.Float[lo:hi])))
	}
	for e := lo; e < hi && spread; e++ {
		sum = sum.Add(doubledouble.TwoProduct(m.Values.Float[e], r.Transition.Float[e]))
	}
	return sum.Float()
}

func (m *Model) exactReward(r *RewardModel, s, k int) *big.Rat {
	lo, hi := int(m.RowStart[k]), int(m.RowStart[k+1])
	action := new(big.Rat).Set(r.Action.rational(k))
	if m.Kind == CTMC {
		action.Mul(action, exactSum(m.Values.Exact[lo:hi]))
	}
	sum := action.Add(action, r.State.rational(s))
	term := new(big.Rat)
	for e := lo; e < hi && r.Transition.Len() > 0; e++ {
		sum.Add(sum, term.Mul(m.Values.Exact[e], r.Transition.Exact[e]))
	}
	return sum
}

// rational returns number i of an exact list.
func (n *Numbers) rational(i int) *big.Rat {
	if len(n.Exact) == 0 {
		return zero
	}
	return n.Exact[i]
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
// for them, and without effect on any expected value.
func (m *Model) FoldTransitionRewards() {
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
	lo, hi := int(m.RowStart[k]), int(m.RowStart[k+1])
	earned := &RewardModel{Action: r.Action, Transition: r.Transition}
	if m.IsExact() {
		exact := m.exactReward(earned, 0, k)
		if m.Kind == CTMC && lo < hi {
			exact.Quo(exact, exactSum(m.Values.Exact[lo:hi]))
		}
		float, _ := exact.Float64()
		return value{float, exact}
	}
	if r.Transition.isConstant(lo, hi) {
		float := r.Action.value(k).float
		if lo < hi {
			float += r.Transition.Float[lo]
		}
		return value{float: float}
	}
	float := m.floatReward(earned, 0, k)
	if m.Kind == CTMC {
		float /= sumRates(m.Values.Float[lo:hi]).Float()
	}
	return value{float: float}
}

// TableArrays returns the model as arrays for [mdp.NewTable], with the expected
// rewards of a reward model (see [Model.ExpectedRewards]) as costs. To maximise
// rewards, change the sign of the costs.
//
// A DTMC is an MDP of one action. A CTMC is uniformized: with the exit rate of a
// state not counting transitions to itself, the uniformization rate Λ (Rate of
// the arrays) is the least power of two from the largest exit rate up, which
// makes every probability rate/Λ that leads elsewhere exact (Λ = 1 where no
// state is ever left), and the state keeps the rest. Its costs are per unit of
// time. See S.A. Lippman, Applying a new device in the optimization of
// exponential queuing systems, Operations Research 23 (1975), 687-710.
//
// StateStart, and in discrete time also RowStart and Columns, are shared with
// the model; probabilities are copied, as NewTable may divide them by their sum.
func (m *Model) TableArrays(reward string) (mdp.TableArrays, error) {
	costs, err := m.ExpectedRewards(reward)
	if err != nil {
		return mdp.TableArrays{}, err
	}
	arrays := mdp.TableArrays{StateStart: m.StateStart, Costs: costs.Float}
	if m.Kind == CTMC {
		return arrays, m.uniformize(&arrays)
	}
	arrays.RowStart, arrays.Columns = m.RowStart, m.Columns
	arrays.Probabilities = append([]float64(nil), m.Values.Float...)
	return arrays, nil
}

// Table returns the model as a table whose costs are the expected rewards of a
// reward model: NewTable of [Model.TableArrays].
func (m *Model) Table(reward string) (*mdp.Table, error) {
	arrays, err := m.TableArrays(reward)
	if err != nil {
		return nil, err
	}
	return mdp.NewTable(arrays)
}

// uniformize sets rate, rows and probabilities of the arrays of a CTMC.
func (m *Model) uniformize(arrays *mdp.TableArrays) error {
	n := m.NumStates()
	if len(m.Columns) > math.MaxInt32-n {
		return fmt.Errorf("mdpio: %w: %d transitions and %d states found; at most %d together are allowed",
			mdp.ErrTooLarge, len(m.Columns), n, math.MaxInt32)
	}
	rate := 0.0
	for s := range n {
		rate = max(rate, powerOfTwo(m.leaving(s)))
	}
	if rate == 0 {
		rate = 1
	}
	arrays.Rate = rate
	arrays.RowStart = make([]int32, 1, n+1)
	arrays.Columns = make([]int32, 0, len(m.Columns)+n)
	arrays.Probabilities = make([]float64, 0, len(m.Columns)+n)
	add := func(j int32, p float64) {
		arrays.Columns = append(arrays.Columns, j)
		arrays.Probabilities = append(arrays.Probabilities, p)
	}
	for s := range int32(n) {
		leaving := m.leaving(int(s))
		// Division by a power of two is exact, so that only this is rounded.
		stay := doubledouble.FromFloat(1).Sub(doubledouble.Number{Hi: leaving.Hi / rate, Lo: leaving.Lo / rate}).Float()
		placed := stay <= 0
		for e := m.RowStart[s]; e < m.RowStart[s+1]; e++ {
			j := m.Columns[e]
			if !placed && j >= s { // where columns increase, so they do with this one
				add(s, stay)
				placed = true
			}
			if j != s {
				add(j, m.Values.Float[e]/rate)
			}
		}
		if !placed {
			add(s, stay)
		}
		arrays.RowStart = append(arrays.RowStart, int32(len(arrays.Columns)))
	}
	return nil
}

// leaving returns the rate at which state s is left for others.
func (m *Model) leaving(s int) doubledouble.Number {
	var sum doubledouble.Number
	for e := m.RowStart[s]; e < m.RowStart[s+1]; e++ {
		if int(m.Columns[e]) != s {
			sum = sum.AddFloat(m.Values.Float[e])
		}
	}
	return sum
}

// powerOfTwo returns the least power of two from x up, 0 for 0.
func powerOfTwo(x doubledouble.Number) float64 {
	if x.Hi == 0 {
		return 0
	}
	fraction, exponent := math.Frexp(x.Hi)
	if fraction == 0.5 && x.Lo <= 0 {
		exponent--
	}
	return math.Ldexp(1, exponent)
}
