package exact

import (
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
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
	b := newBuilder(len(a.StateStart)-1, a.Rate)
	for s := range len(a.StateStart) - 1 {
		for k := a.StateStart[s]; k < a.StateStart[s+1]; k++ {
			lo, hi := a.RowStart[k], a.RowStart[k+1]
			fault := b.add(s, a.Columns[lo:hi], a.Probabilities[lo:hi], a.Costs[k])
			if fault == nil {
				fault = b.divideBySum(s)
			}
			if fault != nil {
				return nil, modelError(s, k-a.StateStart[s], fault)
			}
		}
	}
	return b.model(), nil
}

var one = big.NewRat(1, 1)

func modelError(s int, action int32, fault error) error {
	return &mdp.ModelError{State: fmt.Sprint(s), Action: fmt.Sprint(action), Err: fault}
}

func (a *Arrays) check() error {
	if err := checkStarts("StateStart", a.StateStart, len(a.Costs)); err != nil {
		return err
	}
	if err := checkStarts("RowStart", a.RowStart, len(a.Columns)); err != nil {
		return err
	}
	if len(a.RowStart) != len(a.Costs)+1 || len(a.Probabilities) != len(a.Columns) {
		return fmt.Errorf("exact: %d costs with %d row starts, and %d columns with %d probabilities found; "+
			"one row start more than costs, and as many columns as probabilities, are allowed",
			len(a.Costs), len(a.RowStart), len(a.Columns), len(a.Probabilities))
	}
	if a.Rate != nil && a.Rate.Sign() <= 0 {
		return fmt.Errorf("exact: %w: %s steps per unit of time found; a positive number is allowed", mdp.ErrRate, a.Rate.RatString())
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

// FromExplicit returns the model whose numbers are those of another as they
// stand: a float64 is the binary fraction that it is, and the probability of
// staying is what the other transitions leave. That is the model whose bounds
// [mdp.Solve] reports, whatever the rounded probabilities of a row sum to, which
// may be off 1 by 1e-9. Faults of a row are returned as a [*mdp.ModelError].
func FromExplicit(model mdp.Explicit) (*Model, error) {
	n := model.NumStates()
	rate := new(big.Rat).Set(one)
	if timed, ok := model.(mdp.Timed); ok && (rate.SetFloat64(timed.Rate()) == nil || rate.Sign() <= 0) {
		return nil, fmt.Errorf("exact: %w: %v steps per unit of time found; a positive number is allowed", mdp.ErrRate, timed.Rate())
	}
	b := newBuilder(n, rate)
	var (
		row     []mdp.Entry
		columns []int32
	)
	for s := range n {
		for action := range model.NumActions(s) {
			var cost float64
			row, cost = model.AppendRow(row[:0], s, action)
			columns = columns[:0]
			probabilities := make([]*big.Rat, len(row))
			for i, e := range row {
				columns = append(columns, e.State)
				probabilities[i] = new(big.Rat).SetFloat64(e.Probability)
			}
			fault := b.add(s, columns, probabilities, new(big.Rat).SetFloat64(cost))
			if fault == nil {
				fault = b.checkSum()
			}
			if fault != nil {
				return nil, modelError(s, int32(action), fault)
			}
		}
		if model.NumActions(s) == 0 {
			return nil, &mdp.ModelError{State: fmt.Sprint(s), Err: mdp.ErrNoActions}
		}
	}
	return b.model(), nil
}

// NumStates returns the number of states.
func (m *Model) NumStates() int { return len(m.states) }

// NumActions returns the number of actions of state s.
func (m *Model) NumActions(s int) int { return len(m.states[s]) }
