package mdp

import (
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/uncertain"
)

// Transitions with intervals, as a TableBuilder takes them.

// intervals is what a builder keeps beside rows once there is an interval or a distance.
type intervals struct {
	high, pay []float64 // by transition
	distances []bool    // by choice: whether it has an L1 distance
}

func (i *intervals) add(high, pay float64) {
	i.high, i.pay = append(i.high, high), append(i.pay, pay)
}

// AddInterval adds a transition of the current action to the state with the number next,
// whose probability is only known to lie in [low, high]; cost is paid in each step that takes
// the transition. Call [TableBuilder.BuildUncertain] at the end. An action may have transitions
// with known probabilities and with intervals, and several to the same state, which remain apart.
// Nature may choose any probabilities in the intervals that sum to 1.
//
// Where Rate is set, an event whose rate lies in [l, h] is an interval from l/Rate to
// h/Rate, and staying has the interval [0, 1]. For a lump cost r give Rate·r.
func (b *TableBuilder) AddInterval(next int, low, high, cost float64) {
	if !b.follows(b.hasAction, "AddInterval", "AddAction") {
		return
	}
	fault := checkCost(cost)
	if !(low >= 0 && low <= high) {
		fault = fmt.Errorf("%w: interval from %v to %v: use 0 ≤ low ≤ high", ErrNotDistribution, low, high)
	}
	if fault != nil {
		b.fail(fault)
		return
	}
	b.beUncertain()
	at := len(b.rows.Probabilities)
	if b.addTransition(next, high, cost); b.fault == nil && high > 0 {
		b.rows.Probabilities[at] = max(low, 0) // not −0
	}
}

// zero is a transition of probability 0.
type zero struct {
	next int
	cost float64
}

// beUncertain begins to keep intervals, if there were none.
func (b *TableBuilder) beUncertain() {
	if b.intervals != nil {
		return
	}
	b.intervals = &intervals{}
	for _, part := range append(slices.Clone(b.parts), b.rows) {
		b.intervals.high = append(b.intervals.high, part.Probabilities...)
		b.intervals.distances = append(b.intervals.distances, make([]bool, part.NumChoices())...)
	}
	b.intervals.pay = make([]float64, len(b.intervals.high))
}

// AddDistance says that the probabilities p of the current action are only known to be within an
// L1 distance of those that its transitions have, p̂, which sum to 1 within 1e-9:
//
//	Σ_e |p_e − p̂_e| ≤ distance,   or more exactly   Σ_e max(p_e − p̂_e, 0) ≤ distance/2.
//
// A state to which no transition leads gets no probability; a transition of probability 0 may get
// some. Transitions from [TableBuilder.AddInterval] must then have low = high. The p whose divergence
// of Kullback and Leibler, Σ_e p_e·ln(p_e/p̂_e), is at most κ lie within the distance √(2κ)
// (Pinsker's inequality).
func (b *TableBuilder) AddDistance(distance float64) {
	if !b.follows(b.hasAction, "AddDistance", "AddAction") {
		return
	}
	if !(distance >= 0) || math.IsInf(distance, 1) {
		b.fail(fmt.Errorf("%w: distance %v: use a number from 0 up", ErrNotDistribution, distance))
		return
	}
	b.beUncertain()
	b.distance = distance
}

// spread ends the transitions of an action. If its probabilities have an L1 distance, each
// transition becomes two, with probabilities q_e, which it keeps, and u_e, which is added:
//
//	p_e = q_e + u_e,   low_e ≤ q_e ≤ p̂_e,   u_e ≥ 0,   Σ_e u_e ≤ distance/2.
//
// As Σ_e p_e = 1, a transition keeps at least low_e = p̂_e − distance/2, or 0. So where low_e is above
// 0, nature cannot avoid the next state.
func (b *TableBuilder) spread() {
	free := min(b.distance/2, 1) // 0 for the least distance above 0, too
	b.intervals.distances = append(b.intervals.distances, free > 0)
	if free == 0 {
		return
	}
	for _, z := range b.zeros {
		b.rows.Add(int32(z.next), 0)
		b.intervals.add(0, z.cost)
	}
	first, end := int(b.rows.RowStart[b.rows.NumChoices()]), len(b.rows.Columns)
	var sum doubledouble.Number
	for e := first; e < end && b.fault == nil; e++ {
		p := b.intervals.high[b.stored+e]
		sum = sum.AddFloat(p)
		if b.rows.Probabilities[e] < p {
			b.fail(fmt.Errorf("%w: an interval in an action with a distance: use one or the other", ErrNotDistribution))
			return
		}
		b.rows.Probabilities[e] = max(0, p-free-2*rowSumTolerance)
		b.AddInterval(int(b.rows.Columns[e]), 0, free, b.intervals.pay[b.stored+e])
	}
	if off := sum.AddFloat(-1).Float(); b.fault == nil && (!(math.Abs(off) <= rowSumTolerance) || off+free < 0) {
		b.fail(fmt.Errorf("%w: probabilities with a distance sum to %v: use a sum of 1", ErrNotDistribution, sum.Float()))
	}
}

// BuildUncertain returns the uncertain model of all that was added, and empties the builder
// except for its Rate. Errors are those of Build, and [ErrNotDistribution] if the lower
// ends of an action's intervals sum to more than 1, or the upper ends to less than 1. As for a
// [Table], a sum may be off by 1e-9. If it is off by more than rounding, the ends are divided
// by the sum.
func (b *TableBuilder) BuildUncertain() (*Uncertain, error) {
	b.endState()
	r, more, err := b.take()
	if err != nil {
		return nil, err
	}
	u := &uncertain.Rows{Rows: r, High: r.Probabilities}
	if more != nil {
		u.High = more.high
		if slices.Contains(more.distances, true) {
			u.Distances = more.distances
		}
		if slices.ContainsFunc(more.pay, func(w float64) bool { return w != 0 }) {
			u.Pay = more.pay
		}
	}
	n := u.NumStates()
	if n == 0 {
		return nil, fmt.Errorf("mdp: %w: an uncertain model needs at least one state", ErrNoStart)
	}
	areCertain := true
	for s := range n {
		first, end := u.Choices(s)
		if first == end {
			return nil, &ModelError{State: fmt.Sprint(s), Err: fmt.Errorf("%w: give at least one", ErrNoActions)}
		}
		for k := first; k < end; k++ {
			fault := checkCost(u.Costs[k])
			if j := slices.Max(append([]int32{0}, u.Next(k)...)); int(j) >= n {
				fault = fmt.Errorf("%w: next state %d, of states 0 … %d", ErrNotDistribution, j, n-1)
			}
			isCertain := false
			if fault == nil && !u.HasDistance(k) {
				isCertain, fault = checkIntervals(u.Probabilities[u.RowStart[k]:u.RowStart[k+1]], u.High[u.RowStart[k]:u.RowStart[k+1]])
			}
			areCertain = areCertain && isCertain
			if fault != nil {
				return nil, &ModelError{State: fmt.Sprint(s), Action: fmt.Sprint(k - first), Err: fault}
			}
		}
	}
	rate, err := stepRate(b.Rate)
	if err != nil {
		return nil, err
	}
	model := &Uncertain{rows: u, rate: rate}
	if !areCertain {
		model.relativeError = uncertain.RelativeError
	}
	return model, nil
}

// checkIntervals checks that the intervals of a row hold a distribution. If the sum of their lower
// (upper) ends is above (below) 1 by more than rounding, it divides these ends by their sum. isCertain says that
// they are the numbers of one distribution, which sum to 1 without rounding.
func checkIntervals(low, high []float64) (isCertain bool, err error) {
	var least, most doubledouble.Number
	for i := range low {
		least, most = least.AddFloat(low[i]), most.AddFloat(high[i])
	}
	over, under := least.AddFloat(-1).Float(), -most.AddFloat(-1).Float()
	switch roundoff := 2 * rounding.Unit; { // below the error of the probabilities that nature chooses
	case !(over <= rowSumTolerance):
		return false, fmt.Errorf("%w: the lower ends of the intervals sum to %v, more than 1", ErrNotDistribution, least.Float())
	case !(under <= rowSumTolerance) || math.IsInf(most.Float(), 0):
		return false, fmt.Errorf("%w: the upper ends of the intervals sum to %v: let them reach 1, and be finite", ErrNotDistribution, most.Float())
	case over > roundoff: // the lower ends are the only distribution
		divide(low, least.Float())
		copy(high, low)
	case under > roundoff:
		divide(high, most.Float())
		copy(low, high)
	}
	return over == 0 && under == 0, nil
}

func divide(p []float64, sum float64) {
	for i := range p {
		p[i] /= sum
	}
}
