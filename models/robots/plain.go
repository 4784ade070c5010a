package robots

import (
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// PairModel is the decision process on the post-decision pairs (q,r), without
// any table: (K+1)(N+1)−1 values W(q,r) carry the whole problem. With ν = λN+μ
// one step of its Bellman operator is
//
//	(T W)(q,r) = γ·1(q=0) + λr·1(q=K)
//	           + (μ/ν)·1(q>0)·min{W(q−1,r), W(q−1,min(r+1,N))}
//	           + (λr/ν)·min{W(min(q+1,K),r−1), W(min(q+1,K),r)}
//	           + (1 − (μ·1(q>0) + λr)/ν)·W(q,r)
//
// where the first minimum is W(0,1) at (1,0): the robot must be activated.
// This is the step of [EventModel] seen one moment later: with W the
// expectation of h over the next event, T W is the expectation of T h. The gain
// is the same, for a third of the values and no more iterations.
//
// The state of pair (q,r) has the index q(N+1)+r−1. An action fixes in advance
// both decisions that may come next, see [PairModel.Decisions].
//
// PairModel implements [mdp.Model], [mdp.Sweeper], [mdp.Explicit],
// [mdp.Blocked], [mdp.Timed] and [mdp.Inexact]; its methods are safe for concurrent use.
// Values are finite, and slices as [mdp.Model] wants them.
//
// Source: Talim, Liu, Nain and Coffman, section 3.1, equations (18)-(21) and
// (24), with h replaced by its expectation over the next event.
type PairModel struct {
	law    *law
	stride int // N+1, between the indexes of (q,r) and (q+1,r)
	blocks []int
}

// pairBlockStates is the size of a block: 128 KiB of values stay in a
// second-level cache, and outweigh by far the cost of handing a block out.
const pairBlockStates = 1 << 14

// NewPairModel returns the model of valid parameters. Else, and where there
// would be more than 2³¹−1 pairs, it returns an error.
func NewPairModel(p Parameters) (*PairModel, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := p.checkSize(1); err != nil {
		return nil, err
	}
	m := &PairModel{law: newLaw(p), stride: p.Robots + 1}
	m.blocks = rowBlocks(p.Buffer+1, pairBlockStates, m.start)
	return m, nil
}

// start returns the index of the first pair of queue length q.
func (m *PairModel) start(q int) int { return max(0, q*m.stride-1) }

// Index returns the index of p. It panics if p is not a pair of the model.
func (m *PairModel) Index(p Pair) int {
	limits := m.law.parameters
	if p.Queue < 0 || p.Queue > limits.Buffer || p.Active < 0 || p.Active > limits.Robots || p == (Pair{}) {
		panic(fmt.Sprintf("robots: %+v is not a pair of the model", p))
	}
	return p.Queue*m.stride + p.Active - 1
}

// Pair returns the pair with the given index. It panics if there is none.
func (m *PairModel) Pair(index int) Pair {
	if index < 0 || index >= m.NumStates() {
		panic(fmt.Sprintf("robots: index %d of a model with %d pairs", index, m.NumStates()))
	}
	return Pair{(index + 1) / m.stride, (index + 1) % m.stride}
}

// choices reports which of the two decisions at pair p make a difference: the
// one at a departure, which needs a page and an idle robot and is forced at
// (1,0); and the one at an arrival, which needs an active robot.
func (m *PairModel) choices(p Pair) (departure, arrival bool) {
	return p.Queue > 0 && p.Active < m.law.parameters.Robots && p != Pair{1, 0}, p.Active > 0
}

// Decisions returns what an action of the pair with the given index does when
// the next event is a departure, and when it is an arrival: 1 activates a robot
// (or reactivates the one that has just delivered), 0 does not. So they are the
// actions of the states (q,r,0) and (q,r,1) under the policy.
//
// Decisions that make no difference take up no action: where both make one, the
// actions are departure + 2·arrival, so 0, 1, 2, 3 stand for (0,0), (1,0),
// (0,1), (1,1); where one does, action 1 takes it; and where none does, there is
// one action. A decision without effect is returned as 0, the forced one at
// (1,0) as 1. Decisions panics if there is no such pair or action.
func (m *PairModel) Decisions(index, action int) (departure, arrival int) {
	if action < 0 || action >= m.NumActions(index) {
		panic(fmt.Sprintf("robots: action %d of %+v, which has %d", action, m.Pair(index), m.NumActions(index)))
	}
	p := m.Pair(index)
	if p == (Pair{1, 0}) {
		return 1, 0
	}
	if free, _ := m.choices(p); free {
		return action & 1, action >> 1
	}
	return 0, action
}

// NumStates returns (K+1)(N+1) − 1.
func (m *PairModel) NumStates() int { return m.start(m.law.parameters.Buffer + 1) }

// Rate returns the uniformization rate ν = λN + μ.
func (m *PairModel) Rate() float64 { return m.law.rate }

// RelativeError returns the relative error of rates and costs: bounds on the
// gain hold for any parameters that round to those of the model.
func (m *PairModel) RelativeError() float64 { return relativeError }

// Blocks returns cuts between queue lengths.
func (m *PairModel) Blocks() []int { return slices.Clone(m.blocks) }

// NumActions returns 1, 2 or 4, see [PairModel.Decisions].
func (m *PairModel) NumActions(s int) int {
	n := 1
	departure, arrival := m.choices(m.Pair(s))
	if departure {
		n *= 2
	}
	if arrival {
		n *= 2
	}
	return n
}

// AppendRow appends the transition row of action a in state s and returns it
// with its cost.
func (m *PairModel) AppendRow(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
	p, next := m.Pair(s), m.law.at(m.Pair(s).Queue)
	first := len(dst)
	add := func(to Pair, probability float64) {
		if probability == 0 {
			return
		}
		state := int32(m.Index(to))
		for i := range dst[first:] {
			if e := &dst[first+i]; e.State == state {
				e.Probability += probability
				return
			}
		}
		dst = append(dst, mdp.Entry{State: state, Probability: probability})
	}
	departure, arrival := m.Decisions(s, a)
	if p.Queue > 0 {
		add(m.law.parameters.after(State{p.Queue, p.Active, Departure}, departure), next.departure)
	}
	if p.Active > 0 {
		add(m.law.parameters.after(State{p.Queue, p.Active, Arrival}, arrival), next.arrival[p.Active])
	}
	add(p, next.fictitious[p.Active])
	return dst, next.cost[p.Active]
}

// step returns (T v)(q,r) and the first action that attains it decision by
// decision: 0 is preferred to 1 where the values after them are equal.
func (m *PairModel) step(v []float64, q, r int) (value float64, action int32) {
	index, next := q*m.stride+r-1, m.law.at(q)
	var departed, arrived float64
	arrivalAction := int32(1)
	if q > 0 {
		idle := index - m.stride // after a departure without activation
		switch {
		case r == m.law.parameters.Robots:
			departed = v[idle]
		case idle < 0: // (1,0)
			departed = v[idle+1]
		default:
			arrivalAction = 2
			departed = v[idle]
			if v[idle+1] < departed {
				departed, action = v[idle+1], 1
			}
		}
	}
	if r > 0 {
		active := index // after an arrival with reactivation
		if q < m.law.parameters.Buffer {
			active += m.stride
		}
		arrived = v[active-1]
		if v[active] < arrived {
			arrived = v[active]
			action += arrivalAction
		}
	}
	value = float64(next.departure*departed) + float64(next.arrival[r]*arrived) +
		float64(next.fictitious[r]*v[index]) + next.cost[r]
	return value, action
}

// Backup implements [mdp.Model]. Where two decisions are worth the same, it
// takes 0.
func (m *PairModel) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	for s := lo; s < hi; s++ {
		value, action := m.step(v, (s+1)/m.stride, (s+1)%m.stride)
		dst[s] = value
		if act != nil {
			act[s] = action
		}
	}
}

// Sweep implements [mdp.Sweeper].
func (m *PairModel) Sweep(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64) {
	p := pass{damping, shift, math.Inf(1), math.Inf(-1)}
	for lo < hi {
		q := (lo + 1) / m.stride
		end := min(hi, m.start(q+1))
		m.sweepRow(&p, dst, v, q, lo, end)
		lo = end
	}
	return p.least, p.greatest
}

// sweepRow does the part of a sweep that is states lo … hi−1, of queue length
// q. The pairs with no robot active or all of them lack a neighbour and are
// done one by one.
func (m *PairModel) sweepRow(p *pass, dst, v []float64, q, lo, hi int) {
	origin := q*m.stride - 1 // index of (q,0)
	if lo == origin {
		value, _ := m.step(v, q, 0)
		p.update(&dst[lo], v[lo], value)
		lo++
	}
	if last := origin + m.stride - 1; hi > last && lo <= last {
		value, _ := m.step(v, q, m.stride-1)
		p.update(&dst[last], v[last], value)
		hi = last
	}
	if lo >= hi {
		return
	}
	below, above := m.stride, m.stride // distances
	if q == 0 {
		below = 0 // departures have probability 0, any value serves
	}
	if q == m.law.parameters.Buffer {
		above = 0
	}
	p.pairs(dst[lo:hi], v[lo:hi], v[lo-below:hi-below+1], v[lo+above-1:hi+above],
		m.law.at(q).rows(lo-origin, hi-origin))
}
