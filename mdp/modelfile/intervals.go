// This file holds models with intervals: their rows, and what package mdp solves of them.

package modelfile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// ErrIntervals is wrapped by the errors of methods that need values which are known, where
// a model has intervals ([Model.IsUncertain]).
var ErrIntervals = errors.New("the model has intervals")

// high returns the greatest value of transition e.
func (m *Model) high(e int) value {
	if m.IsUncertain() {
		return m.High.value(e)
	}
	return m.Values.value(e)
}

// isKnown reports whether the ends of the interval of transition e are equal.
func (m *Model) isKnown(e int) bool { return m.Values.value(e).compare(m.high(e)) == 0 }

// NumUncertain returns the number of transitions whose values are not known: those with an
// interval of positive width, and those of choices with a distance.
func (m *Model) NumUncertain() (count int) {
	for k := range m.NumChoices() {
		lo, hi := m.row(k)
		for e := lo; e < hi; e++ {
			if !m.isKnown(e) || !m.Distance.isZero(k) {
				count++
			}
		}
	}
	return count
}

// areKnown reports whether isKnown holds for transitions lo … hi−1.
func (m *Model) areKnown(lo, hi int) bool {
	for e := lo; e < hi && m.IsUncertain(); e++ {
		if !m.isKnown(e) {
			return false
		}
	}
	return true
}

// compare returns −1, 0 or +1 as x is less than, equal to or greater than y.
func (x value) compare(y value) int {
	if x.exact != nil && y.exact != nil {
		return x.exact.Cmp(y.exact)
	}
	return cmp.Compare(x.float, y.float)
}

// interval adds a transition to a state, which the caller has checked, with an interval.
func (b *builder) interval(column int32, low, high value) *filepos.Error {
	m := b.model
	switch {
	case low.float < 0 || low.compare(high) > 0:
		return filepos.Fault(fmt.Sprintf("an interval from %v to %v", low.float, high.float), "0 ≤ LOW ≤ HIGH")
	case len(m.Columns) >= math.MaxInt32-1:
		return tooMany("transitions")
	case high.float == 0:
		b.zeros++
	}
	m.beUncertain()
	m.Columns, m.Values.Float, m.High.Float = append(more(b, m.Columns), column), more(b, m.Values.Float), more(b, m.High.Float)
	m.Values.add(low)
	m.High.add(high)
	return nil
}

// knowReward leaves out a reward model with a reward that is only known to lie in an interval.
func (m *Model) knowReward(name string, low, high value) {
	if low.compare(high) != 0 && !slices.Contains(m.Unread, name) {
		m.Unread = append(m.Unread, name)
	}
}

// beUncertain makes the values intervals of width 0, unless they are intervals already.
func (m *Model) beUncertain() {
	if !m.IsUncertain() {
		m.High = Numbers{slices.Clone(m.Values.Float), slices.Clone(m.Values.Exact)}
	}
}

// distance sets the distance of the choice whose transitions are being added.
func (b *builder) distance(d value) *filepos.Error {
	switch m := b.model; {
	case d.float < 0:
		return badDistance(d.float)
	case d.float > 0:
		m.Distance.put(b.choice(), d)
	}
	return nil
}

func badDistance(d float64) *filepos.Error {
	return filepos.Fault(fmt.Sprintf("a distance of %v", d), "a number from 0 up")
}

// checkDistance says what is wrong with the distance of choice k, nil if nothing.
func (m *Model) checkDistance(k int) *filepos.Error {
	if m.Distance.Len() <= k || m.Distance.Float[k] == 0 {
		return nil
	}
	lo, hi := m.row(k)
	switch {
	case m.Distance.Float[k] < 0:
		return badDistance(m.Distance.Float[k])
	case m.Kind == CTMC:
		return filepos.Fault("a distance in a CTMC", "intervals")
	case m.Kind.IsContinuous():
		return filepos.Fault(fmt.Sprintf("a distance in a model of kind %v", m.Kind), "none")
	case !m.areKnown(lo, hi):
		return filepos.Fault("a distance beside intervals", "one or the other")
	case lo < hi && m.Values.sumToOne(lo, hi) && m.Values.excess(lo, hi)+m.Distance.Float[k]/2 < 0:
		return filepos.Fault("probabilities that sum to less than 1, by more than half their distance", "a sum of 1")
	}
	return nil
}

// finishRead is finish for a model from a file. If all intervals have width 0, the model becomes an
// ordinary one.
func (b *builder) finishRead() *Model {
	m := b.finish()
	if m.Distance.Len() == 0 && m.areKnown(0, len(m.Columns)) {
		m.ZeroWidth = m.IsUncertain() || b.intervals
		m.High = Numbers{}
	}
	m.Rewards = slices.DeleteFunc(m.Rewards, func(r RewardModel) bool { return slices.Contains(m.Unread, r.Name) })
	return m
}

// checkIntervals says what keeps a row from being a distribution, nil if nothing.
func (m *Model) checkIntervals(lo, hi int) *filepos.Error {
	text := func(n *Numbers) string { return strconv.FormatFloat(floatSum(n.Float[lo:hi]).Float(), 'g', -1, 64) }
	switch {
	case m.Values.excess(lo, hi) > SumTolerance:
		return filepos.Fault("lower ends that sum to "+text(&m.Values), "a sum of at most 1, within 1e-9")
	case m.High.excess(lo, hi) < -SumTolerance:
		return filepos.Fault("upper ends that sum to "+text(&m.High), "a sum of at least 1, within 1e-9")
	}
	return nil
}

// Rounded returns the model with its float64 numbers alone. Answers about models with
// intervals are about these.
func (m *Model) Rounded() *Model {
	rounded := *m
	rounded.Values.Exact, rounded.High.Exact, rounded.Distance.Exact = nil, nil, nil
	rounded.Rewards = slices.Clone(m.Rewards)
	for i := range rounded.Rewards {
		for _, list := range []rewardList{stateRewards, actionRewards, transitionRewards} {
			list(&rounded.Rewards[i]).Exact = nil
		}
	}
	return &rounded
}

// Uncertain returns the model for mdp.Solve, with the rewards of a reward model
// (named as for [Model.ExpectedRewards]) as costs: those of transitions remain theirs. The
// numbers are the float64 ones.
//
// A CTMC is uniformized: its rate is a power of two, at least twice the largest sum of upper
// ends of a state, and the state keeps what its transitions leave, at least 1/2.
func (m *Model) Uncertain(reward string) (*mdp.Uncertain, error) {
	r, err := m.rewardOrNone(reward)
	if err != nil {
		return nil, err
	}
	var b mdp.TableBuilder
	rate, isRounded := 1.0, false
	sum := func(x, y float64) float64 {
		s := doubledouble.TwoSum(x, y)
		isRounded = isRounded || s.Lo != 0
		return s.Hi
	}
	if m.Kind == CTMC {
		rate = 0
		for s := range m.NumStates() {
			var sum doubledouble.Number
			for e := m.RowStart[s]; e < m.RowStart[s+1]; e++ {
				sum = sum.AddFloat(m.high(int(e)).float)
			}
			rate = max(rate, 2*powerOfTwo(sum))
		}
		if math.IsInf(rate, 1) {
			return nil, fmt.Errorf("modelfile: a sum of rates is %w: use another unit of time", ErrRange)
		}
		rate = cmp.Or(rate, 1)
		b.Rate = rate
	}
	for s, k := range m.choices() {
		if k == int(m.StateStart[s]) {
			b.AddState()
		}
		cost, earned := r.State.value(s).float, r.Action.value(k).float
		if m.Kind != CTMC {
			cost, earned = sum(cost, earned), 0
		}
		b.AddAction(cost)
		b.AddDistance(m.Distance.value(k).float)
		lo, hi := m.row(k)
		for e := lo; e < hi; e++ {
			j, pay := m.Columns[e], rate*sum(earned, r.Transition.value(e).float)
			if m.Kind != CTMC || int(j) != s || pay != 0 {
				b.AddInterval(int(j), m.Values.Float[e]/rate, m.high(e).float/rate, pay)
			}
		}
		if m.Kind == CTMC {
			const least = 0.5
			b.AddInterval(s, least, 1, 0)
		}
	}
	u, err := b.BuildUncertain()
	if err != nil || !isRounded {
		return u, err
	}
	const unit = 0x1p-53
	return u.Rounded(unit), nil
}

// Fixed returns the ordinary model in which transitions have the given values: exact ones, from 0
// up. Transitions of value 0 are left out.
func (m *Model) Fixed(values []*big.Rat) (*Model, error) {
	b := m.rebuilt(m.Kind)
	for s, k := range m.choices() {
		fault := b.copyChoice(m, int32(k), func(e int) value {
			v := rounded(values[e])
			if !m.IsExact() {
				v.exact = nil
			}
			return v
		})
		if k == int(m.StateStart[s+1])-1 {
			fault = cmp.Or(fault, b.endState())
		}
		if fault != nil {
			return nil, fmt.Errorf("modelfile: state %d, choice %d: %s", s, m.number(s, k), fault.What())
		}
	}
	return b.finish(), nil
}
