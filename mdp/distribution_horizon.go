package mdp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
)

// The distribution of what the steps of a finite horizon pay together, by sums that go forward in time.

// Move is a transition of one step, and the whole number that it pays, from 0 to 2⁵³.
type Move struct {
	To          int32
	Pay         int
	Probability float64
}

// law is the distribution of a sum T of payments.
type law struct {
	at            []float64 // Pr(T = b) for b = 0 … most
	lo, hi        int       // T ≥ lo; T < hi or T > most
	above, excess float64   // Pr(T > most), E[(T − most)⁺]
	passes        bool      // T can be above most

	// relativeError bounds the relative error of each number, apart from underflow below 1e-290.
	relativeError float64
}

// mass is the probability of the paths that lead to one state, by what they have paid.
type mass struct {
	at            []float64
	lo, hi        int // at is 0 outside lo … hi−1
	above, excess float64
	passes        bool // above and excess are not 0, but for underflow
	adds          int  // bounds how many numbers were added to an entry
}

// HorizonDistribution returns the distribution of what a number of steps pay together, for
// X = 0, 1, …, most. The start is a distribution over the states 0 … states−1. moves appends the
// transitions of a step, counted from 0, from a state under the policy. Their probabilities are positive
// and sum to 1; each may be off by three roundings.
//
// With m(s, b) the probability to be in state s after some steps that have paid b, the next step
// gives m'(j, b) = Σ p·m(s, b−pay), over all moves to j. Nothing is subtracted, so that relative
// errors stay small. Two numbers are kept for each b and each state that can be reached
// in the same number of steps. Errors are [ErrTooLarge] for more than 2²⁸ numbers, one for a move that is
// not valid, and that of ctx.
func HorizonDistribution(ctx context.Context, states int, start []Entry, steps, most int, moves func(to []Move, step, s int) []Move) (*Distribution, error) {
	if err := checkStart(start, states); err != nil {
		return nil, err
	}
	if steps < 0 || most < 0 {
		return nil, fmt.Errorf("mdp: HorizonDistribution: %d steps and totals up to %d are not valid: use numbers from 0 up", steps, most)
	}
	if most >= mostNumbers {
		return nil, fmt.Errorf("mdp: %w: totals up to %d, of at most %d", ErrTooLarge, most, mostNumbers)
	}
	now, next := make([]mass, states), make([]mass, states)
	var from, to []int32
	var free [][]float64
	kept := 0
	open := func(j int32) (*mass, error) {
		p := &next[j]
		if p.at != nil {
			return p, nil
		}
		to = append(to, j)
		if last := len(free) - 1; last >= 0 {
			p.at, free = free[last], free[:last]
		} else if kept += most + 1; kept > mostNumbers {
			return nil, fmt.Errorf("mdp: %w: totals up to %d take more than %d numbers", ErrTooLarge, most, mostNumbers)
		} else {
			p.at = make([]float64, most+1)
		}
		p.lo, p.hi = most+1, 0
		return p, nil
	}
	for _, e := range start {
		p, err := open(e.State)
		if err != nil {
			return nil, err
		}
		p.at[0], p.lo, p.hi = p.at[0]+e.Probability, 0, 1
	}
	now, next, from, to = next, now, to, nil
	roundings, row := len(start), []Move(nil)
	for step := range steps {
		for _, s := range from {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			row = moves(row[:0], step, int(s))
			for _, m := range row {
				if m.To < 0 || int(m.To) >= states || m.Pay < 0 || int64(m.Pay) > 1<<53 || checkProbability(m.Probability) != nil {
					return nil, fmt.Errorf("mdp: HorizonDistribution: step %d from state %d has the move %+v: use states 0 … %d, pay from 0 to 2⁵³ and a probability", step, s, m, states-1)
				}
				p, err := open(m.To)
				if err != nil {
					return nil, err
				}
				p.add(&now[s], m, most)
			}
		}
		adds := 0
		for _, j := range to {
			adds = max(adds, next[j].adds)
		}
		roundings += adds + 10 // for a probability, three products and two sums of totals above most
		for _, s := range from {
			p := &now[s]
			clear(p.at[min(p.lo, p.hi):p.hi])
			free = append(free, p.at)
			*p = mass{}
		}
		now, next, from, to = next, now, to, from[:0]
	}
	l := &law{at: make([]float64, most+1), lo: most + 1, relativeError: float64(roundings+len(from)+4) * rounding.Unit * (1 + 1e-6)}
	for _, s := range from {
		p := &now[s]
		for b := p.lo; b < p.hi; b++ {
			l.at[b] += p.at[b]
		}
		l.lo, l.hi, l.passes = min(l.lo, p.lo), max(l.hi, p.hi), l.passes || p.passes
		l.above, l.excess = l.above+p.above, l.excess+p.excess
	}
	return l.distribution(), nil
}

// add adds the paths of a move from a state with the mass q.
func (p *mass) add(q *mass, m Move, most int) {
	p.adds++
	var above, excess doubledouble.Accumulator // of totals that pass most now
	fits := max(q.lo, min(q.hi, most+1-m.Pay))
	for b := fits; b < q.hi; b++ {
		above.Add(q.at[b])
		excess.Add(q.at[b] * float64(b+m.Pay-most))
	}
	p.passes = p.passes || q.passes || fits < q.hi
	p.above += m.Probability * (q.above + above.Sum())
	p.excess += m.Probability * ((q.excess + float64(q.above*float64(m.Pay))) + excess.Sum())
	if fits <= q.lo {
		return
	}
	dst := p.at[q.lo+m.Pay : fits+m.Pay]
	for i, x := range q.at[q.lo:fits] {
		dst[i] += float64(m.Probability * x)
	}
	p.lo, p.hi = min(p.lo, q.lo+m.Pay), max(p.hi, fits+m.Pay)
}

// distribution returns the law as a [Distribution].
func (l *law) distribution() *Distribution {
	n := len(l.at)
	d := &Distribution{X: make([]float64, n), AtMost: make([]Bounds, n), Above: make([]Bounds, n), Excess: make([]Bounds, n), whole: true}
	around := func(x doubledouble.Accumulator, most float64) Bounds {
		const lost = 1e-290
		sum, off := x.Sum(), l.relativeError+4*rounding.Unit
		return Bounds{max(0, sum*(1-off)-lost), min(most, sum*(1+off)+lost)}
	}
	one := Bounds{1, 1}
	var sum doubledouble.Accumulator
	for b, x := range l.at {
		sum.Add(x)
		if d.X[b] = float64(b); b >= l.lo { // else T > b
			d.AtMost[b] = around(sum, 1)
		}
	}
	sum = doubledouble.Accumulator{High: l.above}
	mean := doubledouble.Accumulator{High: l.excess} // E[(T − b)⁺] = E[(T − b−1)⁺] + Pr(T > b)
	for b := range slices.Backward(l.at) {
		if b < n-1 {
			sum.Add(l.at[b+1])
			mean.Merge(sum)
		}
		if !l.passes && b+1 >= l.hi { // T ≤ b
			d.AtMost[b] = one
			continue
		}
		if d.Above[b], d.Excess[b] = around(sum, 1), around(mean, math.Inf(1)); b < l.lo {
			d.Above[b] = one
		}
	}
	d.Mean = d.Excess[0] // T ≥ 0
	return d
}
