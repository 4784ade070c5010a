package verify

import (
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// rows are the choices of a model as a generator: choice k of state s leads to
// the states columns[e] ≠ s at the rates rates[e], start[k] ≤ e < start[k+1],
// and ends everything at the rate killing. Values h of a policy satisfy
//
//	0 = cost(k) + Σ_e rate(e)·(h(columns[e]) − h(s)) − killing·h(s).
//
// The probability of staying does not occur: it is what the others leave.
type rows struct {
	stateStart []int32 // state s has the choices stateStart[s] … stateStart[s+1]−1
	state      []int32 // the state of each choice
	start      []int32
	columns    []int32
	returns    []bool // by choice: it may lead to its own state
	rates      numbers
	costs      numbers
	killing    numbers // one number
}

// newRows returns the rows of a model with the costs of its choices. The
// probabilities of a choice are divided by their sum, where they are not exact and
// it is not 1 up to rounding as mdp.NewTable does.
func newRows(m *mdpio.Model, costs numbers) *rows {
	r := &rows{
		stateStart: m.StateStart,
		state:      make([]int32, m.NumChoices()),
		start:      make([]int32, 1, m.NumChoices()+1),
		columns:    make([]int32, 0, m.NumTransitions()),
		returns:    make([]bool, m.NumChoices()),
		costs:      costs,
		killing:    numbers{high: []float64{0}},
	}
	rates, exact := make([]float64, 0, m.NumTransitions()), []*big.Rat(nil)
	for s := range int32(m.NumStates()) {
		for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
			r.state[k] = s
			divisor, sum := 1.0, big.NewRat(1, 1)
			switch {
			case m.Kind == mdpio.CTMC:
			case m.IsExact():
				sum = new(big.Rat)
				for _, p := range m.Values.Exact[m.RowStart[k]:m.RowStart[k+1]] {
					sum.Add(sum, p)
				}
			default:
				divisor = divisorOf(m.Values.Float[m.RowStart[k]:m.RowStart[k+1]])
			}
			for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
				if m.Columns[e] == s {
					r.returns[k] = true
					continue
				}
				r.columns = append(r.columns, m.Columns[e])
				rates = append(rates, m.Values.Float[e]/divisor)
				if m.IsExact() {
					exact = append(exact, new(big.Rat).Quo(m.Values.Exact[e], sum))
				}
			}
			r.start = append(r.start, int32(len(r.columns)))
		}
	}
	r.rates = numbers{high: rates}
	if m.IsExact() {
		r.rates = fromRationals(exact)
	}
	return r
}

// fromRationals returns a list of rationals.
func fromRationals(exact []*big.Rat) numbers {
	n := exactNumbers(len(exact))
	for i, x := range exact {
		n.set(i, x)
	}
	return n
}

// divisorOf returns what the probabilities of a choice are divided by: their
// sum, where it is further from 1 than rounding explains.
func divisorOf(p []float64) float64 {
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	if math.Abs(sum-1) > float64(len(p)+1)*0x1p-53 {
		return sum
	}
	return 1
}

// numStates returns the number of states.
func (r *rows) numStates() int { return len(r.stateStart) - 1 }

// next returns the states that choice k leads to, other than its own.
func (r *rows) next(k int32) []int32 { return r.columns[r.start[k]:r.start[k+1]] }

// all returns a mask that allows every choice.
func (r *rows) all() []bool { return slices.Repeat([]bool{true}, len(r.state)) }
