package mdp

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Table is a finite Markov decision process stored row by row: for each state
// its actions, for each action its cost and its transition row in compressed
// form (int32 columns, float64 probabilities). It is immutable and safe for
// concurrent use. Make one row by row with a [TableBuilder], from arrays with
// [NewTable], or with [Problem.Compile], which also keeps your own states and
// actions.
//
// Table implements [Model], [PolicyBackuper], [Explicit] and [Timed].
type Table struct {
	rows   *rows.Rows
	rate   float64
	excess float64 // the largest distance from 1 of the sum of a row that was not divided by it
	ends   *ends   // nil in a temporary table, which does not keep them
}

// ends are the maximal end components of a table, found once. Tables with the same transitions
// share them.
type ends struct {
	once  sync.Once
	found *endcomponents.Components
}

// endComponents returns the maximal end components.
func (t *Table) endComponents() *endcomponents.Components {
	if t.ends == nil {
		return endcomponents.Find(t.rows, nil)
	}
	t.ends.once.Do(func() { t.ends.found = endcomponents.Find(t.rows, nil) })
	return t.ends.found
}

// TableArrays are the plain arrays that a [Table] consists of. A choice is an action
// of a state: state s has the choices StateStart[s] … StateStart[s+1]−1, and
// choice k has the entries RowStart[k] … RowStart[k+1]−1 of Columns and
// Probabilities.
type TableArrays struct {
	StateStart    []int32   // length n+1, from 0, increasing: every state has an action
	RowStart      []int32   // length m+1, from 0, increasing: every action a next state
	Columns       []int32   // next states, each at most once in a row
	Probabilities []float64 // > 0, or 0 for an entry that NewTable drops; each row sums to 1 within 1e-9
	Costs         []float64 // length m, finite
	Rate          float64   // steps per unit of time; 0 stands for 1 (see [Problem])

	// Rows is nil, or a table made of the same lists but for Costs. NewTable then does not check
	// the rows again.
	Rows *Table
}

// rowSumTolerance is the largest distance from 1 of the sum of a row: 1e-9, and a
// millionth of that for rounding. It forgives probabilities of nine decimals, but no
// modelling error. Rows are divided by their sum if it is further from 1 than
// rounding explains.
const rowSumTolerance = 1e-9 * (1 + 0x1p-20)

// NewTable checks the arrays and returns the table that consists of them. The table
// keeps the arrays, so do not change them afterwards. NewTable divides a row by its sum
// if that is off 1 by more than rounding explains but at most 1e-9, in a copy of the
// probabilities. It returns the fault of a row as a [*ModelError] whose state and action
// are numbers.
func NewTable(a TableArrays) (*Table, error) { return newTable(a, false) }

// newTable is NewTable; where it owns the arrays, it divides rows in place.
func newTable(a TableArrays, owns bool) (*Table, error) {
	if err := cmp.Or(checkStarts("StateStart", a.StateStart, len(a.Costs)), checkStarts("RowStart", a.RowStart, len(a.Columns))); err != nil {
		return nil, err
	}
	if len(a.RowStart) != len(a.Costs)+1 || len(a.Probabilities) != len(a.Columns) {
		return nil, fmt.Errorf("mdp: table of %d costs has %d row starts, and %d columns with %d probabilities; "+
			"there must be one row start more than costs, and as many columns as probabilities",
			len(a.Costs), len(a.RowStart), len(a.Columns), len(a.Probabilities))
	}
	n := int32(len(a.StateStart) - 1)
	if n == 0 {
		return nil, fmt.Errorf("mdp: %w: a table needs at least one state", ErrNoStart)
	}
	rate, err := stepRate(a.Rate)
	if err == nil && a.Rows.consistsOf(a) && !slices.ContainsFunc(a.Costs, func(c float64) bool { return !rounding.IsFinite(c) }) {
		return &Table{rows: a.Rows.rows.WithCosts(a.Costs), rate: rate, excess: a.Rows.excess, ends: a.Rows.ends}, nil
	}
	cuts := parallel.Cuts(int(n), checkedStates)
	checked := make([]checkedBlock, len(cuts)-1)
	seen := sync.Pool{New: func() any { return new([]int32) }}
	parallel.For(runtime.GOMAXPROCS(0), len(checked), func(b int) {
		own := seen.Get().(*[]int32)
		defer seen.Put(own)
		checked[b] = a.check(cuts[b], cuts[b+1], own)
	})
	var all checkedBlock
	for _, block := range checked {
		if block.fault != nil {
			return nil, block.fault
		}
		all.excess, all.hasZeros, all.hasDivisors = max(all.excess, block.excess), all.hasZeros || block.hasZeros, all.hasDivisors || block.hasDivisors
	}
	if err != nil {
		return nil, err
	}
	if all.hasDivisors {
		if !owns {
			a.Probabilities = slices.Clone(a.Probabilities)
		}
		a.divide()
	}
	if all.hasZeros || all.hasDivisors && slices.Contains(a.Probabilities, 0) {
		a.dropZeros()
	}
	return &Table{rows: &rows.Rows{
		StateStart: a.StateStart, RowStart: a.RowStart, Columns: a.Columns, Probabilities: a.Probabilities, Costs: a.Costs,
	}, rate: rate, excess: all.excess, ends: new(ends)}, nil
}

// consistsOf reports whether the rows of a table, which may be nil, are the lists of the arrays.
func (t *Table) consistsOf(a TableArrays) bool {
	return t != nil && isSame(t.rows.StateStart, a.StateStart) && isSame(t.rows.RowStart, a.RowStart) &&
		isSame(t.rows.Columns, a.Columns) && isSame(t.rows.Probabilities, a.Probabilities)
}

// isSame reports whether two lists are the same memory, and not empty.
func isSame[T any](x, y []T) bool { return len(x) == len(y) && len(x) > 0 && &x[0] == &y[0] }

// checkedStates is the number of states that NewTable checks together, on one processor.
const checkedStates = 1 << 12

// checkedBlock is what the check of some states finds.
type checkedBlock struct {
	fault       error   // the first one
	excess      float64 // the largest distance from 1 of the sum of a row that is not to be divided
	hasDivisors bool    // some rows are to be divided by their sums
	hasZeros    bool    // some probabilities are 0
}

// check checks states lo … hi−1. In seen, each state has one more than the last choice that named
// it; a choice is checked once. It is empty until some row is not in increasing order.
func (a *TableArrays) check(lo, hi int, seen *[]int32) (found checkedBlock) {
	n := int32(len(a.StateStart) - 1)
	for s := lo; s < hi; s++ {
		if a.StateStart[s] == a.StateStart[s+1] {
			found.fault = &ModelError{State: fmt.Sprint(s), Err: fmt.Errorf("%w: give at least one", ErrNoActions)}
			return found
		}
		for k := a.StateStart[s]; k < a.StateStart[s+1]; k++ {
			fault := checkCost(a.Costs[k])
			last := int32(-1)
			isIncreasing := true
			row := a.Columns[a.RowStart[k]:a.RowStart[k+1]]
			for _, j := range row {
				isIncreasing = isIncreasing && j > last
				last = j
			}
			if !isIncreasing || last >= n {
				if len(*seen) == 0 {
					*seen = make([]int32, n)
				}
				for _, j := range row {
					switch {
					case j < 0 || j >= n:
						fault = fmt.Errorf("%w: next state %d, of states 0 … %d", ErrNotDistribution, j, n-1)
					case (*seen)[j] == k+1:
						fault = fmt.Errorf("%w: next state %d is named twice", ErrNotDistribution, j)
					default:
						(*seen)[j] = k + 1
					}
				}
			}
			if fault == nil {
				p := a.Probabilities[a.RowStart[k]:a.RowStart[k+1]]
				excess, isUsual := usualExcess(p)
				if !isUsual {
					var sum float64
					excess, sum, fault = sumOf(p)
					found.hasDivisors = found.hasDivisors || sum != 1
					found.hasZeros = found.hasZeros || slices.Contains(p, 0)
				}
				found.excess = max(found.excess, excess)
			}
			if fault != nil {
				found.fault = &ModelError{State: fmt.Sprint(s), Action: fmt.Sprint(k - a.StateStart[s]), Err: fault}
				return found
			}
		}
	}
	return found
}

// divide divides rows by their sums, as sumOf says.
func (a *TableArrays) divide() {
	for k := range a.Costs {
		p := a.Probabilities[a.RowStart[k]:a.RowStart[k+1]]
		if _, sum, _ := sumOf(p); sum != 1 { // the rows have been checked
			for i := range p {
				p[i] /= sum
			}
		}
	}
}

// dropZeros removes the entries of probability 0 from the rows.
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

// rowsOf returns the rows of a model: those of its table if it is one or holds one,
// else a copy.
func rowsOf(model Explicit) (*rows.Rows, error) {
	if table, ok := tableOf(model); ok {
		return table.rows, nil
	}
	return rows.Of(model)
}

// tableOf returns the table that a model is or, for types of this package, embeds. A
// type outside this package that embeds a table may override its backups or rows.
func tableOf(model Model) (*Table, bool) {
	holder, ok := model.(interface{ table() *Table })
	if !ok {
		return nil, false
	}
	kind := reflect.TypeOf(model)
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	return holder.table(), kind.PkgPath() == reflect.TypeFor[Table]().PkgPath()
}

// table lets tableOf find the table inside a Compiled.
func (t *Table) table() *Table { return t }

func checkStarts(name string, starts []int32, end int) error {
	if len(starts) == 0 || starts[0] != 0 || int(starts[len(starts)-1]) != end {
		return fmt.Errorf("mdp: %s must lead from 0 to %d", name, end)
	}
	for i := 1; i < len(starts); i++ {
		if starts[i] < starts[i-1] {
			return fmt.Errorf("mdp: %s decreases at %d: %d after %d", name, i, starts[i], starts[i-1])
		}
	}
	return nil
}

// stepRate checks a declared number of steps per unit of time; 0 stands for 1.
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

// sumOf checks that p is a distribution, within rowSumTolerance. divisor is the sum of p
// if p is to be divided by it; otherwise divisor is 1, and excess the distance of the sum
// from 1. It sums with twice the digits, so that the error does not grow with the length
// of the row.
func sumOf(p []float64) (excess, divisor float64, err error) {
	var sum doubledouble.Number
	for _, x := range p {
		if err := checkProbability(x); err != nil {
			return 0, 1, err
		}
		sum = sum.AddFloat(x)
	}
	excess = math.Abs(sum.AddFloat(-1).Float())
	switch {
	case sum.Float() == 0:
		return 0, 1, fmt.Errorf("%w: no next state has a positive probability: add one", ErrNotDistribution)
	case !(excess <= rowSumTolerance):
		return 0, 1, fmt.Errorf("%w: probabilities sum to %v, not to 1 within 1e-9: divide each by their sum", ErrNotDistribution, sum.Float())
	case excess <= float64(len(p)+1)*rounding.Unit:
		return excess, 1, nil
	}
	return 0, sum.Float(), nil
}

// usualExcess is sumOf in less time, for positive numbers whose sum is 1 as far as rounding explains. It
// rounds each number down to a multiple of 2⁻⁶², and sums these exactly, as integers. The remainders, which
// only numbers below 2⁻¹⁰ have, it sums in float64.
func usualExcess(p []float64) (excess float64, isUsual bool) {
	const unit = 1 << 62
	if len(p) == 1 {
		return 0, p[0] == 1
	}
	whole, below, sum := int64(0), 0.0, 0.0
	for _, x := range p {
		if !(x > 0) {
			return 0, false
		}
		scaled := x * unit
		part := int64(scaled)
		whole += part
		below += scaled - float64(part)
		sum += x
	}
	excess = math.Abs(float64(whole-unit)+below) / unit
	return excess, sum < 1.5 && excess <= float64(len(p)+1)*rounding.Unit // a sum below 2 does not overflow whole
}

// NumStates returns the number of states.
func (t *Table) NumStates() int { return t.rows.NumStates() }

// NumActions returns the number of actions of state s, at least 1.
func (t *Table) NumActions(s int) int { return t.rows.NumActions(s) }

// NumChoices returns the number of actions of all states together.
func (t *Table) NumChoices() int { return t.rows.NumChoices() }

// NumTransitions returns the number of stored transitions.
func (t *Table) NumTransitions() int { return len(t.rows.Columns) }

// Rate returns the steps per unit of time: the uniformization rate of a
// continuous-time model, 1 otherwise.
func (t *Table) Rate() float64 { return t.rate }

// AppendRow appends to dst the transition row of action a in state s, and returns it
// with the cost of the action. It panics if the state has no such action.
func (t *Table) AppendRow(dst []Entry, s, a int) ([]Entry, float64) {
	t.checkAction(s, a)
	return t.rows.AppendRow(dst, s, a)
}

// Backup implements [Model].
func (t *Table) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	if lo >= hi {
		return
	}
	t.checkLengths(dst, act, v, lo, hi)
	t.rows.Backup(dst, act, v, lo, hi)
}

// BackupPolicy implements [PolicyBackuper]. It panics if act names an action that
// its state does not have.
func (t *Table) BackupPolicy(dst []float64, act []int32, v []float64, lo, hi int) {
	if lo >= hi {
		return
	}
	t.checkLengths(dst, act, v, lo, hi)
	start := t.rows.StateStart[lo : hi+1]
	for i, a := range act[lo:hi] {
		if a < 0 || a >= start[i+1]-start[i] {
			t.checkAction(lo+i, int(a))
		}
	}
	t.rows.BackupPolicy(dst, act, v, lo, hi)
}

// checkAction panics unless state s has the action a.
func (t *Table) checkAction(s, a int) {
	if a < 0 || a >= t.NumActions(s) {
		panic(fmt.Sprintf("mdp: action %d of state %d, which has %d", a, s, t.NumActions(s)))
	}
}

// checkLengths panics unless the slices are long enough for a sweep over the states
// lo … hi−1.
func (t *Table) checkLengths(dst []float64, act []int32, v []float64, lo, hi int) {
	n := t.NumStates()
	if lo < 0 || hi > n || len(dst) < hi || len(v) < n || act != nil && len(act) < hi {
		panic(fmt.Sprintf("mdp: backup of the states %d … %d of %d, of %d values into %d, with %d actions",
			lo, hi-1, n, len(v), len(dst), len(act)))
	}
}
