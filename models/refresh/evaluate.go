package refresh

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/special"
	"github.com/mdpsolve/mdpsolve/queue"
)

// Evaluator finds the exact cost of a cyclic sequence of accesses while it
// streams by. Between two accesses of page i, d slots apart, it is out of date
// for an expected time of
//
//	E[Z] = d·E[X] − (1 − h_i^d)/μ_i,  h_i = E[e^{−μ_iX}]
//
// (Coffman, Liu and Weber, Lemma 3.1), and r_i is the sum of these over a cycle,
// divided by the mean duration of the cycle (their equation 3). The crawler is
// never idle. It takes 56 bytes a page.
type Evaluator struct {
	pages       Pages
	law         accessLaw
	slots       int64
	first, last []int64   // slots of the page's first and latest access, from 1; 0 for none
	accesses    []int64   // counts
	exponents   []float64 // ln(1/h_i)

	// Over the gaps d of the page, the sum of 1 − h^d or, where μE[X] < 1, of
	// ln(1/h^d) − (1 − h^d), which keeps its digits there.
	sums []doubledouble.Accumulator
}

// NewEvaluator returns an evaluator for pages and a law of access times, with
// E[X] in the pages' unit of time, or the error of [Pages.Validate].
func NewEvaluator(pages Pages, law queue.Law) (*Evaluator, error) {
	if err := pages.Validate(); err != nil {
		return nil, err
	}
	n := pages.Len()
	return &Evaluator{
		pages: pages, law: newAccessLaw(law),
		first: make([]int64, n), last: make([]int64, n), accesses: make([]int64, n),
		exponents: make([]float64, n), sums: make([]doubledouble.Accumulator, n),
	}, nil
}

// Access adds the next slot. It returns an error, and adds nothing, where there
// is no such page.
func (e *Evaluator) Access(page int) error {
	if page < 0 || page >= e.pages.Len() {
		return fmt.Errorf("refresh: page %d in slot %d is not valid: use pages 0 to %d", page, e.slots+1, e.pages.Len()-1)
	}
	e.slots++
	if e.first[page] == 0 {
		e.first[page] = e.slots
		e.exponents[page] = e.law.exponent(e.pages.ChangeRates[page])
	} else {
		e.sums[page].Add(e.gap(page, e.slots-e.last[page]))
	}
	e.last[page] = e.slots
	e.accesses[page]++
	return nil
}

// Idle adds a slot without an access, which takes as long as others.
func (e *Evaluator) Idle() { e.slots++ }

// gap returns the term of a gap of d slots.
func (e *Evaluator) gap(page int, d int64) float64 {
	v := float64(d) * e.exponents[page]
	if e.pages.ChangeRates[page]*e.law.mean >= 1 {
		return -math.Expm1(-v)
	}
	return special.ExpExcess(v)
}

// Evaluation is what a cycle of accesses costs.
type Evaluation struct {
	// Cost is Σ c_i·r_i, c_i being the weights.
	Cost float64

	// Bound is what no sequence with the same number of accesses of each page
	// in a cycle can beat (Coffman, Liu and Weber, Theorem 3.3). That of all
	// sequences is the cost of the rates that package rates finds for [Coffman].
	Bound float64

	// Randomized is the cost of drawing pages at random with the same
	// frequencies (Lemma 4.1).
	Randomized float64

	Slots        int64     // length of the cycle
	Accesses     []int64   // number of accesses of each page
	Obsolescence []float64 // r_i of each page, 1 where it changes and is never accessed
}

// Cycle returns the cost of repeating the slots that were added so far without
// end. More slots may be added after it. With no slots, nothing is accessed.
func (e *Evaluator) Cycle() *Evaluation {
	n := e.pages.Len()
	result := &Evaluation{Slots: e.slots, Accesses: append([]int64(nil), e.accesses...), Obsolescence: make([]float64, n)}
	cost, bound, randomized := doubledouble.Accumulator{}, doubledouble.Accumulator{}, doubledouble.Accumulator{}
	for i, mu := range e.pages.ChangeRates {
		weight, frequency := e.pages.Weight(i), 0.0
		if e.slots > 0 {
			frequency = float64(e.accesses[i]) / float64(e.slots)
		}
		result.Obsolescence[i] = e.obsolescence(i, mu)
		cost.Add(weight * result.Obsolescence[i])
		bound.Add(weight * LeastObsolescence(e.law.Law, mu, frequency))
		randomized.Add(weight * RandomizedObsolescence(e.law.Law, mu, frequency))
	}
	result.Cost, result.Bound, result.Randomized = cost.Sum(), bound.Sum(), randomized.Sum()
	return result
}

// obsolescence closes the cycle of a page: its last gap ends with its first
// access in the next cycle.
func (e *Evaluator) obsolescence(page int, mu float64) float64 {
	switch {
	case mu == 0:
		return 0
	case e.accesses[page] == 0:
		return 1
	}
	sum := e.sums[page]
	sum.Add(e.gap(page, e.first[page]+e.slots-e.last[page]))
	mean := sum.Sum() / float64(e.slots)
	y := mu * e.law.mean
	if y >= 1 {
		return 1 - mean/y
	}
	return (e.law.deficit(mu, e.exponents[page]) + mean) / y
}
