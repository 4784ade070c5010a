package verify

import (
	"errors"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

const (
	// maxCorrections bounds the corrections of one policy.
	maxCorrections = 20
	// fineness is the relative residual at which there is nothing to correct.
	fineness = 0x1p-103
)

// refine finds values and gain of a policy.
func (a *approximation) refine(policy []int32) error {
	var err error
	if a.linear, err = a.factor(policy); err != nil {
		return err
	}
	return a.polish(policy)
}

// polish finds values and gain of a policy by iterative refinement: solutions in
// float64 for residuals in double-double (Higham 2002, chapter 12).
func (a *approximation) polish(policy []int32) error {
	n := len(policy)
	a.values, a.gain, a.missing = make([]doubledouble.Number, n), doubledouble.Number{}, make([]float64, n)
	var (
		before     []doubledouble.Number
		gainBefore doubledouble.Number
	)
	best := math.Inf(1)
	for range maxCorrections {
		largest, err := a.measure(policy)
		if err != nil {
			return err
		}
		if !(largest <= best/2) {
			if !(largest <= best) {
				a.values, a.gain = before, gainBefore
				_, err = a.measure(policy)
			}
			return err
		}
		if best = largest; largest <= fineness {
			return nil
		}
		before, gainBefore = slices.Clone(a.values), a.gain
		gain, correction, err := a.linear.solve(a.missing)
		if err != nil {
			return err
		}
		a.gain = a.gain.AddFloat(gain)
		for i, c := range correction {
			a.values[i] = a.values[i].AddFloat(c)
		}
	}
	_, err := a.measure(policy)
	return err
}

// polished returns the solution of the equations of a policy for another
// right-hand side, in double-double.
func (a *approximation) polished(l linear, policy []int32, right []float64) ([]doubledouble.Number, error) {
	shifted := *a.system
	shifted.constant = make([]ball, len(a.system.constant))
	for i, k := range policy {
		shifted.constant[k] = point(right[i])
	}
	other := *a
	other.system, other.linear = &shifted, l
	err := other.polish(policy)
	return other.values, err
}

// measure sets by how much the equations of a policy are missed, and returns the
// largest of that relative to the terms of the equation.
func (a *approximation) measure(policy []int32) (largest float64, err error) {
	if err := a.budget.spend(20 * len(a.system.columns) / len(a.system.node) * len(policy)); err != nil {
		return 0, err
	}
	for i, k := range policy {
		a.missing[i] = a.above(k).high
		if a.missing[i] != 0 {
			largest = max(largest, math.Abs(a.missing[i])/a.size(k))
		}
	}
	if math.IsNaN(largest) || math.IsInf(largest, 0) {
		return 0, errSingular
	}
	return largest, nil
}

// size returns the sum of the magnitudes of the terms of an equation.
func (a *approximation) size(k int32) float64 {
	s := a.system
	here := math.Abs(a.values[s.node[k]].Hi)
	size := math.Abs(s.constant[k].high) + math.Abs(a.gain.Hi)
	for e := s.rowStart[k]; e < s.rowStart[k+1]; e++ {
		size += a.rows.rates.high[s.entry[e]] * (math.Abs(a.values[s.columns[e]].Hi) + here)
	}
	return size + s.leave[k].high*here
}

// way is how the equations of policies of a system are solved.
type way int

// The ways, in the order in which they are tried. An elimination that takes
// little work is best; where it fills up, few iterations may do; where they do
// not, more work is put in both. Small systems begin with the third.
const (
	lightElimination way = iota
	fewIterations
	heavyElimination
	manyIterations
)

// smallSystem is how many nodes a small system has.
const smallSystem = 2000

// factor prepares the solution of the equations of a policy.
func (a *approximation) factor(policy []int32) (linear, error) {
	if a.way == fewIterations || a.way == manyIterations {
		return newKrylov(a.system, &a.rows.rates, policy, a.closed, &a.patience, a.budget), nil
	}
	heavy := a.way == heavyElimination
	e, err := eliminate(a.system, &a.rows.rates, policy, outside, heavy, a.budget)
	switch {
	case err != nil:
		return nil, err
	case a.closed != (e.root != outside):
		return nil, errSingular
	case a.closed:
		// Values are relative to that of the root, and the more often that is
		// visited the smaller they are where it matters.
		if node, visits := e.likeliest(); visits > enoughVisits {
			return eliminate(a.system, &a.rows.rates, policy, node, heavy, a.budget)
		}
	}
	return e, nil
}

// enoughVisits is how much more often than the root the node that is visited
// most may be.
const enoughVisits = 0x1p10

// harder goes on to the next way, if an error says that this one will not do.
func (a *approximation) harder(err error) bool {
	if !errors.Is(err, errFill) && !errors.Is(err, errSlow) {
		return false
	}
	a.way++
	if a.way == manyIterations {
		a.patience = maxIterations
	}
	return true
}

// evaluate finds values and gain of a policy, in the first way that does.
func (a *approximation) evaluate(policy []int32) error {
	for {
		if err := a.refine(policy); !a.harder(err) {
			return err
		}
	}
}

// solution returns the solution of the equations of a policy for another
// right-hand side, and what it was found with.
func (a *approximation) solution(policy []int32, right []float64) (linear, []float64, error) {
	for {
		l, err := a.factor(policy)
		if err == nil {
			var x []float64
			if _, x, err = l.solve(right); err == nil {
				return l, x, nil
			}
		}
		if !a.harder(err) {
			return nil, nil, err
		}
	}
}
