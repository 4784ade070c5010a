package exact

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Model is a finite Markov decision process in rational numbers. It is
// immutable and safe for concurrent use.
//
// A choice is stored in integers: the probabilities of moving to other states are weights
// over the scale of the choice, the probability of staying is the rest, and costs are
// over one denominator for the whole model.
type Model struct {
	states [][]choice // by state and action
	unit   *big.Int   // the denominator of costs
	rate   *big.Rat   // steps per unit of time
}

// choice is an action of a state.
type choice struct {
	columns []int32    // the other states it may lead to, each once
	weights []*big.Int // of them, positive
	leave   *big.Int   // sum of the weights
	scale   *big.Int   // the denominator of the weights, positive
	cost    *big.Int   // over the unit of the model
}

// Arrays are a model as plain arrays, in the form of [mdp.TableArrays]: state s
// has the choices StateStart[s] … StateStart[s+1]−1, and choice k has the
// entries RowStart[k] … RowStart[k+1]−1 of Columns and Probabilities.
type Arrays struct {
	StateStart    []int32    // length n+1, from 0, increasing
	RowStart      []int32    // length m+1, from 0, increasing
	Columns       []int32    // next states, each at most once in a row
	Probabilities []*big.Rat // ≥ 0; each row, whose sum is 1 within 1e-9, is divided by it
	Costs         []*big.Rat // length m
	Rate          *big.Rat   // steps per unit of time (see [mdp.Timed]); nil stands for 1
}

// NewModel returns the model of arrays, which it copies. It checks the nearest float64
// numbers as [mdp.NewTable] does, and returns the fault of a row as a [*mdp.ModelError]
// whose state and action are numbers.
func NewModel(a Arrays) (*Model, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	m := &Model{states: make([][]choice, len(a.StateStart)-1), unit: big.NewInt(1), rate: new(big.Rat).Set(one)}
	if a.Rate != nil {
		m.rate.Set(a.Rate)
	}
	for _, x := range a.Costs {
		m.unit = commonMultiple(m.unit, x.Denom())
	}
	for s := range m.states {
		for k := a.StateStart[s]; k < a.StateStart[s+1]; k++ {
			lo, hi := a.RowStart[k], a.RowStart[k+1]
			c := newChoice(int32(s), a.Columns[lo:hi], a.Probabilities[lo:hi])
			c.cost = over(a.Costs[k], m.unit)
			m.states[s] = append(m.states[s], c)
		}
	}
	return m, nil
}

// check lets NewTable check the nearest numbers. Nil stands for infinities and NaN.
func (a *Arrays) check() error {
	table := mdp.TableArrays{
		StateStart: a.StateStart, RowStart: a.RowStart, Columns: slices.Clone(a.Columns),
		Probabilities: nearest(a.Probabilities), Costs: nearest(a.Costs),
	}
	if a.Rate != nil && a.Rate.Sign() <= 0 {
		return fmt.Errorf("exact: %w: %s steps per unit of time: use a positive number", mdp.ErrRate, a.Rate.RatString())
	}
	_, err := mdp.NewTable(table)
	return err
}

// nearest returns the nearest finite float64, and NaN for nil.
func nearest(x []*big.Rat) []float64 {
	y := slices.Repeat([]float64{math.NaN()}, len(x))
	for i := range x {
		if x[i] != nil {
			y[i], _ = x[i].Float64()
			y[i] = min(max(y[i], -math.MaxFloat64), math.MaxFloat64)
		}
	}
	return y
}

// newChoice returns a choice of state s, without its cost. It divides the probabilities by
// their sum.
func newChoice(s int32, columns []int32, probabilities []*big.Rat) choice {
	c := choice{leave: new(big.Int), scale: big.NewInt(1)}
	sum := new(big.Rat)
	for i, j := range columns {
		sum.Add(sum, probabilities[i])
		if j != s {
			c.scale = commonMultiple(c.scale, probabilities[i].Denom())
		}
	}
	for i, j := range columns {
		if p := probabilities[i]; j != s && p.Sign() != 0 {
			weight := over(p, c.scale)
			weight.Mul(weight, sum.Denom())
			c.columns, c.weights = append(c.columns, j), append(c.weights, weight)
			c.leave.Add(c.leave, weight)
		}
	}
	c.scale = new(big.Int).Mul(c.scale, sum.Num())
	return c
}

// over returns the numerator of x over a multiple of its denominator.
func over(x *big.Rat, multiple *big.Int) *big.Int {
	numerator := new(big.Int).Quo(multiple, x.Denom())
	return numerator.Mul(numerator, x.Num())
}

// commonMultiple returns the least common multiple of positive integers; it may return one
// of them itself.
func commonMultiple(x, y *big.Int) *big.Int {
	if x.Cmp(y) == 0 {
		return x
	}
	divisor := new(big.Int).GCD(nil, nil, x, y)
	return divisor.Mul(new(big.Int).Quo(x, divisor), y)
}

var one = big.NewRat(1, 1)

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

// Follow returns the model in which each state has only the action of a policy, which
// holds the index of an action for each state. Each criterion then evaluates the policy.
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
