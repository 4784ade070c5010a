package mdp

import (
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// Table is a finite Markov decision process stored row by row: for each state
// its actions, for each action its cost and its transition row in compressed
// form (int32 columns, float64 probabilities). It is immutable and safe for
// concurrent use. Make one row by row with a [TableBuilder], from arrays with
// [NewTable], or with [Problem.Compile], which also keeps the map between states
// and their numbers.
//
// Table implements [Model], [PolicyBackuper], [Explicit], [Blocked] and [Timed].
type Table struct {
	stateStart    []int32 // first choice of each state, and the number of choices
	rowStart      []int32 // first entry of each choice, and the number of entries
	columns       []int32
	probabilities []float64
	costs         []float64 // by choice
	rate          float64
	longestRow    int
	excess        float64 // how far the sum of a row that was not divided by it may be from 1
	blocks        []int
}

// TableArrays are the plain arrays behind a [Table]. A choice is an action of
// a state: state s has the choices StateStart[s] … StateStart[s+1]−1, and
// choice k has the entries RowStart[k] … RowStart[k+1]−1 of Columns and
// Probabilities.
type TableArrays struct {
	StateStart    []int32   // length n+1, from 0, increasing
	RowStart      []int32   // length m+1, from 0, increasing
	Columns       []int32   // next states, each at most once in a row
	Probabilities []float64 // > 0, or 0 for an entry to be dropped; each row sums to 1
	Costs         []float64 // length m, finite
	Rate          float64   // steps per unit of time; 0 stands for 1 (see [Problem])
}

// TableBytes returns the memory that a [Table] of so many states, choices and
// transitions takes: 12 bytes for a transition, 12 for a choice and 4 for a
// state. Solving takes some vectors of 8 bytes for a state on top, and as much
// again as the table where it is to be divided or its graph analysed.
func TableBytes(states, choices, transitions int) int64 {
	return 4*int64(states+1) + 12*int64(choices) + 4 + 12*int64(transitions)
}

// rowSumTolerance is how far the probabilities of a row may be from 1 in sum:
// 1e-9, and what rounding decimals that are as far may add. It forgives decimal
// input of nine digits and more, no modelling error. Rows are divided by their
// sum where it is further from 1 than rounding explains.
const rowSumTolerance = 1e-9 * (1 + 0x1p-20)

// NewTable checks the arrays and returns the table that consists of them; it
// keeps them, so the caller may not change them any more. Faults are returned
// as a [*ModelError] whose state and action are numbers.
func NewTable(a TableArrays) (*Table, error) {
	if err := checkStarts("StateStart", a.StateStart, len(a.Costs)); err != nil {
		return nil, err
	}
	if err := checkStarts("RowStart", a.RowStart, len(a.Columns)); err != nil {
		return nil, err
	}
	if len(a.RowStart) != len(a.Costs)+1 || len(a.Probabilities) != len(a.Columns) {
		return nil, fmt.Errorf("mdp: table of %d costs has %d row starts, and %d columns with %d probabilities; "+
			"there must be one row start more than costs, and as many columns as probabilities",
			len(a.Costs), len(a.RowStart), len(a.Columns), len(a.Probabilities))
	}
	n := int32(len(a.StateStart) - 1)
	seen := make([]int32, n) // one more than the last choice that named the state
	most := 0.0              // what normalize returns
	for s := range n {
		for k := a.StateStart[s]; k < a.StateStart[s+1]; k++ {
			fault := checkCost(a.Costs[k])
			row := a.Columns[a.RowStart[k]:a.RowStart[k+1]]
			for _, j := range row {
				switch {
				case j < 0 || j >= n:
					fault = fmt.Errorf("%w: next state %d, of states 0 … %d", ErrNotDistribution, j, n-1)
				case seen[j] == k+1:
					fault = fmt.Errorf("%w: next state %d is named twice", ErrNotDistribution, j)
				default:
					seen[j] = k + 1
				}
			}
			if fault == nil {
				var excess float64
				excess, fault = normalize(a.Probabilities[a.RowStart[k]:a.RowStart[k+1]])
				most = max(most, excess)
			}
			if fault != nil {
				return nil, &ModelError{State: fmt.Sprint(s), Action: fmt.Sprint(k - a.StateStart[s]), Err: fault}
			}
		}
	}
	rate, err := stepRate(a.Rate)
	if err != nil {
		return nil, err
	}
	if slices.Contains(a.Probabilities, 0) {
		a.dropZeros()
	}
	table := newTable(a, rate)
	table.excess = most
	return table, nil
}

// dropZeros takes the entries of probability 0 out of the rows.
func (a *TableArrays) dropZeros() {
	starts := slices.Clone(a.RowStart)
	kept := int32(0)
	for k := range a.Costs {
		for e := a.RowStart[k]; e < a.RowStart[k+1]; e++ {
			if a.Probabilities[e] > 0 {
				a.Columns[kept], a.Probabilities[kept] = a.Columns[e], a.Probabilities[e]
				kept++
			}
		}
		starts[k+1] = kept
	}
	a.RowStart, a.Columns, a.Probabilities = starts, a.Columns[:kept], a.Probabilities[:kept]
}

// newTable returns the table of arrays that are known to be right.
func newTable(a TableArrays, rate float64) *Table {
	longest := int32(0)
	for k := range a.Costs {
		longest = max(longest, a.RowStart[k+1]-a.RowStart[k])
	}
	return &Table{
		stateStart:    a.StateStart,
		rowStart:      a.RowStart,
		columns:       a.Columns,
		probabilities: a.Probabilities,
		costs:         a.Costs,
		rate:          rate,
		longestRow:    int(longest),
		blocks:        parallel.Cuts(len(a.StateStart)-1, blockStates),
	}
}

// asTable returns the table that a model is or consists of, or one of its rows.
func asTable(model Explicit) (*Table, error) {
	if table, ok := tableOf(model); ok {
		return table, nil
	}
	a := TableArrays{StateStart: []int32{0}, RowStart: []int32{0}}
	var row []Entry
	for s := range model.NumStates() {
		for action := range model.NumActions(s) {
			var cost float64
			row, cost = model.AppendRow(row[:0], s, action)
			for _, e := range row {
				if e.Probability > 0 {
					a.Columns, a.Probabilities = append(a.Columns, e.State), append(a.Probabilities, e.Probability)
				}
			}
			if len(a.Columns) > maxCount {
				return nil, fmt.Errorf("mdp: %w: more than %d transitions", ErrTooLarge, maxCount)
			}
			a.Costs = append(a.Costs, cost)
			a.RowStart = append(a.RowStart, int32(len(a.Columns)))
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	return newTable(a, rateOf(model)), nil
}

func checkStarts(name string, starts []int32, end int) error {
	if len(starts) < 2 || starts[0] != 0 || int(starts[len(starts)-1]) != end {
		return fmt.Errorf("mdp: %s must lead from 0 to %d in at least one step", name, end)
	}
	for i := 1; i < len(starts); i++ {
		if starts[i] <= starts[i-1] {
			return fmt.Errorf("mdp: %s does not increase at %d (%d after %d): every state has an action, every action a next state",
				name, i, starts[i], starts[i-1])
		}
	}
	return nil
}

// stepRate returns the steps per unit of time that a declared number stands for.
func stepRate(rate float64) (float64, error) {
	if rate == 0 {
		return 1, nil
	}
	if !(rate > 0) || math.IsInf(rate, 1) {
		return 0, fmt.Errorf("mdp: %w: Rate %v is not valid: use a positive number of steps per unit of time, or 0 for 1", ErrRate, rate)
	}
	return rate, nil
}

func checkCost(c float64) error {
	if math.IsNaN(c) || math.IsInf(c, 0) {
		return fmt.Errorf("%w: %v", ErrCost, c)
	}
	return nil
}

func checkProbability(p float64) error {
	if !(p >= 0) || math.IsInf(p, 1) {
		return fmt.Errorf("%w: probability %v is not in [0, 1]", ErrNotDistribution, p)
	}
	return nil
}

// normalize checks that p is a distribution, up to rowSumTolerance, and divides
// it by its sum where that is not 1 to rounding. Where it does not divide it
// returns how far the sum is from 1. The sum is computed with twice the digits, so
// that its error does not grow with the length of the row.
func normalize(p []float64) (excess float64, err error) {
	var sum doubledouble.Number
	for _, x := range p {
		if err := checkProbability(x); err != nil {
			return 0, err
		}
		sum = sum.AddFloat(x)
	}
	excess = math.Abs(sum.AddFloat(-1).Float())
	switch {
	case !(excess <= rowSumTolerance):
		return 0, fmt.Errorf("%w: probabilities sum to %v, not to 1", ErrNotDistribution, sum.Float())
	case excess <= float64(len(p)+1)*unitRoundoff:
		return excess, nil
	}
	for i := range p {
		p[i] /= sum.Float()
	}
	return 0, nil
}

// NumStates returns the number of states.
func (t *Table) NumStates() int { return len(t.stateStart) - 1 }

// NumActions returns the number of actions of state s.
func (t *Table) NumActions(s int) int { return int(t.stateStart[s+1] - t.stateStart[s]) }

// NumChoices returns the number of actions of all states together.
func (t *Table) NumChoices() int { return len(t.costs) }

// NumTransitions returns the number of stored transitions.
func (t *Table) NumTransitions() int { return len(t.columns) }

// Rate returns the steps per unit of time: the uniformization rate of a
// continuous-time model, 1 otherwise.
func (t *Table) Rate() float64 { return t.rate }

// Blocks returns the cuts of the states into the blocks of a parallel sweep.
func (t *Table) Blocks() []int { return slices.Clone(t.blocks) }

// AppendRow appends the transition row of action a in state s and returns it
// with its cost.
func (t *Table) AppendRow(dst []Entry, s, a int) ([]Entry, float64) {
	k := t.choice(s, a)
	for e := t.rowStart[k]; e < t.rowStart[k+1]; e++ {
		dst = append(dst, Entry{State: t.columns[e], Probability: t.probabilities[e]})
	}
	return dst, t.costs[k]
}

// choice returns the number of action a of state s among all choices.
func (t *Table) choice(s, a int) int {
	if a < 0 || a >= t.NumActions(s) {
		panic(fmt.Sprintf("mdp: action %d of state %d, which has %d", a, s, t.NumActions(s)))
	}
	return int(t.stateStart[s]) + a
}
