// This file makes tables of models, for package mdp.

package modelfile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"slices"
	"strconv"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// TableArrays returns the model as arrays for [mdp.NewTable], with the expected
// rewards of a reward model (see [Model.ExpectedRewards]) as costs. To maximise
// rewards, change the sign of the costs.
//
// A DTMC is an MDP of one action. The probabilities of a choice are its values
// divided by their exact sum, rounded once where the model is exact; where it is
// not, they are left for NewTable to divide.
//
// A model in continuous time is uniformized: with the exit rate of a choice not counting
// transitions to its own state, the uniformization rate Λ (Rate of the arrays) is the least
// power of two from the largest exit rate up, which makes every probability rate/Λ that leads
// elsewhere exact (Λ = 1 where no state is ever left), and the state keeps the
// rest. Its costs are per unit of time. See S.A. Lippman, Applying a new device in
// the optimization of exponential queuing systems, Operations Research 23 (1975),
// 687-710.
//
// Where float64 does not hold a cost or a probability with all its digits, because
// it is too large or too small (below 2⁻¹⁰²²), TableArrays returns an error that
// wraps [ErrRange] and names the states; [Model.Exact] takes such a model.
//
// A model with intervals is an error that wraps [ErrIntervals]: see [Model.Uncertain].
//
// StateStart, and in discrete time also RowStart, Columns and, unless the model is exact,
// Probabilities are shared with the model.
func (m *Model) TableArrays(reward string) (mdp.TableArrays, error) {
	return m.TableArraysAt(reward, nil)
}

// DiscountFactor returns the discount factor β of a step that goes with rewards in continuous
// time which are discounted at rate α > 0: those after time t count e^(−αt) times. The
// uniformized model has R steps per unit of time, a power of two above the sum of α and the
// largest exit rate, and β = 1−α/R. A rate that float64 cannot hold is an error.
func (m *Model) DiscountFactor(alpha *big.Rat) (*big.Rat, error) {
	rate, _, err := m.stepRate(alpha)
	if err != nil {
		return nil, err
	}
	beta := new(big.Rat).Quo(alpha, new(big.Rat).SetFloat64(rate))
	return beta.Sub(one, beta), nil
}

// TableArraysAt returns arrays whose value, discounted by [Model.DiscountFactor] in each step,
// is that of the rewards discounted at rate α in continuous time, where sojourn times are
// exponential: a step ends the process with probability α/R and is otherwise one of the model
// uniformized at R−α, so that the probabilities are rates over R−α and a step earns the R-th
// part of the reward per unit of time. See Puterman 1994, §11.5. Nil stands for no discounting.
func (m *Model) TableArraysAt(reward string, alpha *big.Rat) (mdp.TableArrays, error) {
	if m.IsUncertain() {
		return mdp.TableArrays{}, fmt.Errorf("modelfile: %w: use Model.Uncertain", ErrIntervals)
	}
	costs, err := m.TableCosts(reward)
	if err != nil {
		return mdp.TableArrays{}, err
	}
	arrays := mdp.TableArrays{StateStart: m.StateStart, Costs: costs}
	if m.Kind.IsContinuous() {
		return arrays, m.uniformize(&arrays, alpha)
	}
	arrays.RowStart, arrays.Columns = m.RowStart, m.Columns
	if m.rows != nil {
		arrays.Probabilities, arrays.Rows = m.Values.Float, m.rows
		return arrays, nil
	}
	arrays.Probabilities, err = m.probabilities()
	return arrays, err
}

// GraphTable returns a table with the states, the choices and the transitions of
// the model. The transitions of a choice are equally likely, and nothing has a cost. It
// suffices for [mdp.Analyze], which looks at no numbers, and also exists for a model of which
// [Model.Table] makes none. In continuous time each choice leads to its own state too.
func (m *Model) GraphTable() (*mdp.Table, error) {
	arrays := mdp.TableArrays{StateStart: m.StateStart, RowStart: []int32{0}, Costs: make([]float64, m.NumChoices())}
	for s, k := range m.choices() {
		columns := m.Columns[m.RowStart[k]:m.RowStart[k+1]]
		if m.Kind.IsContinuous() && !slices.Contains(columns, int32(s)) {
			columns = append([]int32{int32(s)}, columns...)
		}
		arrays.Columns = append(arrays.Columns, columns...)
		arrays.Probabilities = append(arrays.Probabilities, slices.Repeat([]float64{1 / float64(len(columns))}, len(columns))...)
		arrays.RowStart = append(arrays.RowStart, int32(len(arrays.Columns)))
	}
	return mdp.NewTable(arrays)
}

// TableCosts returns the costs of [Model.TableArrays] alone: expected rewards, by choice.
func (m *Model) TableCosts(reward string) ([]float64, error) {
	r, err := m.rewardOrNone(reward)
	if err != nil {
		return nil, err
	}
	if !m.IsExact() && !m.Kind.IsContinuous() && r.State.Len() == 0 && r.Transition.Len() == 0 && r.Action.Len() > 0 {
		if costs := slices.Clone(r.Action.Float); !slices.ContainsFunc(costs, func(x float64) bool { return !isNormal(value{float: x}) }) {
			return costs, nil
		}
	}
	costs := make([]float64, m.NumChoices())
	return costs, m.inBlocks(func(s, k int) error {
		x := m.expectedReward(r, s, k)
		if costs[k] = x.float; isNormal(x) {
			return nil
		}
		return fmt.Errorf("modelfile: state %d, choice %d: an expected reward of %s is %w: use 0 or a magnitude from %.4g to %.4g "+
			"(another unit of reward), or exact arithmetic",
			s, m.number(s, k), x.short(), ErrRange, leastNormal, math.MaxFloat64)
	})
}

// inBlocks calls a function for each choice and its state, on all processors. It returns the error
// of the first choice that has one.
func (m *Model) inBlocks(of func(s, k int) error) error {
	cuts := parallel.Cuts(m.NumStates(), choiceBlock)
	errs := make([]error, len(cuts)-1)
	parallel.For(runtime.GOMAXPROCS(0), len(errs), func(b int) {
		for s := cuts[b]; s < cuts[b+1] && errs[b] == nil; s++ {
			for k := m.StateStart[s]; k < m.StateStart[s+1] && errs[b] == nil; k++ {
				errs[b] = of(s, int(k))
			}
		}
	})
	return cmp.Or(errs...)
}

// leastNormal is the least positive float64 that has all its digits.
const leastNormal = 0x1p-1022

// isNormal reports whether float64 holds a number with all its digits.
func isNormal(x value) bool {
	if math.Abs(x.float) < leastNormal {
		return x.float == 0 && (x.exact == nil || x.exact.Sign() == 0)
	}
	return !math.IsInf(x.float, 0)
}

// short writes a number that may be beyond float64.
func (x value) short() string {
	if x.exact == nil {
		return strconv.FormatFloat(x.float, 'g', 6, 64)
	}
	return new(big.Float).SetRat(x.exact).Text('g', 6)
}

// probabilities returns the probabilities of a discrete-time model.
func (m *Model) probabilities() ([]float64, error) {
	p := m.Values.Float
	if m.IsExact() {
		p = slices.Clone(p)
	}
	return p, m.inBlocks(func(s, k int) error {
		lo, hi := m.row(k)
		if m.IsExact() && hi-lo == 1 {
			p[lo] = 1
		} else if m.IsExact() {
			if sum := m.Values.sum(lo, hi); sum.Cmp(one) != 0 {
				for e := lo; e < hi; e++ {
					p[e], _ = new(big.Rat).Quo(m.Values.Exact[e], sum).Float64()
				}
			}
		}
		if least := slices.Min(p[lo:hi]); least < leastNormal {
			return fmt.Errorf("modelfile: state %d, choice %d: a probability of %.4g is %w: use one from %.4g up, or exact arithmetic",
				s, m.number(s, k), least, ErrRange, leastNormal)
		}
		return nil
	})
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

// uniformize sets rate, rows and probabilities of the arrays of a model in continuous time.
func (m *Model) uniformize(arrays *mdp.TableArrays, discounting *big.Rat) error {
	if len(m.Columns) > math.MaxInt32-m.NumChoices() {
		return fmt.Errorf("modelfile: %w: %d transitions and %d choices are more than %d together",
			mdp.ErrTooLarge, len(m.Columns), m.NumChoices(), math.MaxInt32)
	}
	rate, fastest, err := m.stepRate(discounting)
	if err != nil {
		return err
	}
	steps := rate // without those that discounting ends
	if discounting != nil {
		steps, _ = new(big.Rat).Sub(new(big.Rat).SetFloat64(rate), discounting).Float64()
	}
	arrays.Rate = rate
	arrays.RowStart = make([]int32, 1, m.NumChoices()+1)
	arrays.Columns = make([]int32, 0, len(m.Columns)+m.NumChoices())
	arrays.Probabilities = make([]float64, 0, len(m.Columns)+m.NumChoices())
	add := func(j int32, p float64) {
		arrays.Columns = append(arrays.Columns, j)
		arrays.Probabilities = append(arrays.Probabilities, p)
	}
	for state, k := range m.choices() {
		s := int32(state)
		leaving := m.leaving(state, k)
		// Without discounting, division by a power of two is exact, so that only this is rounded.
		stay := doubledouble.FromFloat(1).Sub(doubledouble.Number{Hi: leaving.Hi / steps, Lo: leaving.Lo / steps}).Float()
		placed := stay <= 0
		for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
			j := m.Columns[e]
			if !placed && j >= s { // where columns increase, so they do with this one
				add(s, stay)
				placed = true
			}
			if j == s {
				continue
			}
			if p := m.Values.Float[e] / steps; p >= leastNormal && m.Values.Float[e] >= leastNormal {
				add(j, p)
				continue
			}
			return fmt.Errorf("modelfile: the rate %.4g from state %d to state %d, divided by the rates of state %d, is %w: "+
				"use rates with quotients from %.4g up, or exact arithmetic",
				m.Values.Float[e], s, j, fastest, ErrRange, leastNormal)
		}
		if !placed {
			add(s, stay)
		}
		arrays.RowStart = append(arrays.RowStart, int32(len(arrays.Columns)))
	}
	return nil
}

// stepRate returns the number of steps per unit of time of the uniformized model, and the
// state that is left at the largest rate.
func (m *Model) stepRate(discounting *big.Rat) (rate float64, fastest int, err error) {
	var largest doubledouble.Number
	for s, k := range m.choices() {
		if x := m.leaving(s, k); x.Cmp(largest) > 0 || math.IsNaN(x.Hi) {
			largest, fastest = x, s
		}
	}
	if rate = powerOfTwo(largest); discounting != nil {
		alpha, _ := discounting.Float64()
		rate = 2 * powerOfTwo(largest.AddFloat(alpha))
	}
	switch {
	case math.IsInf(rate, 1) && discounting != nil:
		return 0, 0, errors.New("modelfile: the rate of discounting and those of the model are beyond float64 together: use another unit of time")
	case math.IsInf(rate, 1):
		return 0, 0, fmt.Errorf("modelfile: the rate at which state %d is left is %w: use another unit of time, or exact arithmetic",
			fastest, ErrRange)
	case rate == 0:
		rate = 1
	}
	return rate, fastest, nil
}

// leaving returns the rate at which choice k leaves state s for others.
func (m *Model) leaving(s, k int) doubledouble.Number {
	var sum doubledouble.Number
	for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
		if int(m.Columns[e]) != s {
			sum = sum.AddFloat(m.Values.Float[e])
		}
	}
	return sum
}

// powerOfTwo returns the least power of two from x up, 0 for 0, +Inf where that is
// beyond float64.
func powerOfTwo(x doubledouble.Number) float64 {
	switch {
	case x.Hi == 0:
		return 0
	case !(x.Hi <= 0x1p1023): // also NaN, where a sum has overflowed
		return math.Inf(1)
	}
	fraction, exponent := math.Frexp(x.Hi)
	if fraction == 0.5 && x.Lo <= 0 {
		exponent--
	}
	return math.Ldexp(1, exponent)
}
