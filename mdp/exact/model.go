package exact

import (
	"fmt"
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Model is a finite Markov decision process in rational numbers. It is
// immutable and safe for concurrent use.
//
// A choice is kept as integers over one scale: the probabilities of moving to
// other states are weights over the scale of the choice, that of staying is what
// they leave, and costs are over one denominator for the whole model.
type Model struct {
	states [][]choice // by state and action
	unit   *big.Int   // what costs are divided by
	rate   *big.Rat   // steps per unit of time
}

// choice is an action of a state.
type choice struct {
	columns []int32    // the other states it may lead to, each once
	weights []*big.Int // of them, positive
	leave   *big.Int   // sum of the weights
	scale   *big.Int   // what weights are divided by, positive
	cost    *big.Int   // over the unit of the model
}

// Arrays are a model as plain arrays, in the form of [mdp.TableArrays]: state s
// has the choices StateStart[s] … StateStart[s+1]−1, and choice k has the
// entries RowStart[k] … RowStart[k+1]−1 of Columns and Probabilities.
type Arrays struct {
	StateStart    []int32    // length n+1, from 0, increasing
	RowStart      []int32    // length m+1, from 0, increasing
	Columns       []int32    // next states, each at most once in a row
	Probabilities []*big.Rat // ≥ 0; each row is divided by its sum, which is 1 up to 1e-9
	Costs         []*big.Rat // length m
	Rate          *big.Rat   // steps per unit of time (see [mdp.Timed]); nil stands for 1
}

// NewModel returns the model of arrays, of which it keeps nothing. Faults of a
// row are returned as a [*mdp.ModelError] whose state and action are numbers.
func NewModel(a Arrays) (*Model, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	n := len(a.StateStart) - 1
	m := &Model{states: make([][]choice, n), unit: big.NewInt(1), rate: new(big.Rat).Set(one)}
	if a.Rate != nil {
		m.rate.Set(a.Rate)
	}
	rowOf := make([]int, n) // by state: the row that last named it, from 1
	for s := range n {
		for k := a.StateStart[s]; k < a.StateStart[s+1]; k++ {
			lo, hi := a.RowStart[k], a.RowStart[k+1]
			columns, probabilities := a.Columns[lo:hi], a.Probabilities[lo:hi]
			sum, fault := checkRow(columns, probabilities, int(k)+1, rowOf)
			if a.Costs[k] == nil {
				fault = mdp.ErrCost
			}
			if fault != nil {
				return nil, &mdp.ModelError{State: fmt.Sprint(s), Action: fmt.Sprint(k - a.StateStart[s]), Err: fault}
			}
			c := newChoice(int32(s), columns, probabilities)
			c.divideBy(sum)
			m.states[s] = append(m.states[s], c)
			m.unit = commonMultiple(m.unit, a.Costs[k].Denom())
		}
	}
	for s, choices := range m.states {
		for i := range choices {
			choices[i].cost = over(a.Costs[int(a.StateStart[s])+i], m.unit)
		}
	}
	return m, nil
}

// rowSumTolerance is that of [mdp.NewTable]: 1e-9, and what rounding may add.
const rowSumTolerance = 1e-9 * (1 + 0x1p-20)

// checkRow returns the sum of the probabilities of a row, or what is wrong with it.
// A nil number stands for what is no finite number.
func checkRow(columns []int32, probabilities []*big.Rat, row int, rowOf []int) (*big.Rat, error) {
	sum := new(big.Rat)
	for i, j := range columns {
		p := probabilities[i]
		switch {
		case j < 0 || int(j) >= len(rowOf):
			return nil, fmt.Errorf("%w: next state %d is not one of the states 0 … %d", mdp.ErrNotDistribution, j, len(rowOf)-1)
		case rowOf[j] == row:
			return nil, fmt.Errorf("%w: next state %d is named twice", mdp.ErrNotDistribution, j)
		case p == nil || p.Sign() < 0:
			return nil, fmt.Errorf("%w: the probability of next state %d is %v: use numbers from 0 to 1", mdp.ErrNotDistribution, j, p)
		}
		rowOf[j] = row
		sum.Add(sum, p)
	}
	if excess, _ := new(big.Rat).Sub(sum, one).Float64(); math.Abs(excess) > rowSumTolerance {
		total, _ := sum.Float64()
		return nil, fmt.Errorf("%w: probabilities sum to %v, not to 1", mdp.ErrNotDistribution, total)
	}
	return sum, nil
}

// newChoice returns a choice of state s, whose cost is still to be set.
func newChoice(s int32, columns []int32, probabilities []*big.Rat) choice {
	c := choice{leave: new(big.Int), scale: big.NewInt(1)}
	for i, j := range columns {
		if j != s {
			c.scale = commonMultiple(c.scale, probabilities[i].Denom())
		}
	}
	for i, j := range columns {
		if p := probabilities[i]; j != s && p.Sign() != 0 {
			weight := over(p, c.scale)
			c.columns, c.weights = append(c.columns, j), append(c.weights, weight)
			c.leave.Add(c.leave, weight)
		}
	}
	return c
}

// divideBy divides all probabilities.
func (c *choice) divideBy(sum *big.Rat) {
	if sum.Cmp(one) == 0 {
		return
	}
	for _, weight := range c.weights {
		weight.Mul(weight, sum.Denom())
	}
	c.leave.Mul(c.leave, sum.Denom())
	c.scale = new(big.Int).Mul(c.scale, sum.Num())
}

// over returns the numerator of x over a multiple of its denominator.
func over(x *big.Rat, multiple *big.Int) *big.Int {
	numerator := new(big.Int).Quo(multiple, x.Denom())
	return numerator.Mul(numerator, x.Num())
}

// commonMultiple returns the least common multiple of positive integers, one of
// them itself where it is that.
func commonMultiple(x, y *big.Int) *big.Int {
	if x.Cmp(y) == 0 {
		return x
	}
	divisor := new(big.Int).GCD(nil, nil, x, y)
	return divisor.Mul(new(big.Int).Quo(x, divisor), y)
}

var one = big.NewRat(1, 1)

func (a *Arrays) check() error {
	if err := checkStarts("StateStart", a.StateStart, len(a.Costs)); err != nil {
		return err
	}
	if err := checkStarts("RowStart", a.RowStart, len(a.Columns)); err != nil {
		return err
	}
	if len(a.RowStart) != len(a.Costs)+1 || len(a.Probabilities) != len(a.Columns) {
		return fmt.Errorf("exact: %d costs with %d row starts, and %d columns with %d probabilities: "+
			"use one row start more than costs, and as many columns as probabilities",
			len(a.Costs), len(a.RowStart), len(a.Columns), len(a.Probabilities))
	}
	if a.Rate != nil && a.Rate.Sign() <= 0 {
		return fmt.Errorf("exact: %w: %s steps per unit of time: use a positive number", mdp.ErrRate, a.Rate.RatString())
	}
	return nil
}

func checkStarts(name string, starts []int32, end int) error {
	if len(starts) < 2 || starts[0] != 0 || int(starts[len(starts)-1]) != end {
		return fmt.Errorf("exact: %s must lead from 0 to %d in at least one step", name, end)
	}
	for i := 1; i < len(starts); i++ {
		if starts[i] <= starts[i-1] {
			return fmt.Errorf("exact: %s does not increase at %d (%d after %d): every state has an action, every action a next state",
				name, i, starts[i], starts[i-1])
		}
	}
	return nil
}

// NumStates returns the number of states.
func (m *Model) NumStates() int { return len(m.states) }

// rows returns the graph of the model: the states that its choices may lead to, without
// probabilities and costs.
func (m *Model) rows() *rows.Rows {
	r := rows.New(len(m.states), 0, 0)
	for _, choices := range m.states {
		for _, c := range choices {
			r.Columns = append(r.Columns, c.columns...)
			r.RowStart = append(r.RowStart, int32(len(r.Columns)))
		}
		r.EndState()
	}
	return r
}

// Follow returns the model of a policy, the index of an action for each state:
// it has that action alone, so each criterion evaluates the policy.
func (m *Model) Follow(policy []int32) (*Model, error) {
	if len(policy) != len(m.states) {
		return nil, fmt.Errorf("exact: a policy of length %d is not valid: use one action for each of the %d states", len(policy), len(m.states))
	}
	followed := &Model{unit: m.unit, rate: m.rate}
	for s, a := range policy {
		if a < 0 || int(a) >= len(m.states[s]) {
			return nil, fmt.Errorf("exact: action %d of state %d is not valid: use 0 … %d", a, s, len(m.states[s])-1)
		}
		followed.states = append(followed.states, m.states[s][a:a+1])
	}
	return followed, nil
}
