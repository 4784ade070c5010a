package mdpio

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// Under returns the model of a policy: the chain that it makes, a model without
// choices, of kind DTMC, or CTMC for a CTMC, which it is itself. With π(a|s) the
// probability of action a in state s, its numbers are
//
//	p(j|s)                = Σ_a π(a|s)·p(j|s,a)
//	reward of the action  = Σ_a π(a|s)·reward of a
//	reward of s → j       = Σ_a π(a|s)·p(j|s,a)·reward of s → j by a / p(j|s)
//
// with p(j|s,a) divided by its sum over j. Expected rewards are those of the
// policy. Where a state takes one action its numbers are those of the model;
// others are exact if the model is, and rounded once otherwise.
//
// The error is that of a policy that is none of the model, or of a probability
// that float64 cannot tell from 0.
func (m *Model) Under(p *Policy) (*Model, error) {
	if err := p.fits(m); err != nil {
		return nil, err
	}
	if m.Kind != MDP {
		return m, nil
	}
	n := m.NumStates()
	chain := &Model{
		Kind: DTMC, StateStart: make([]int32, 1, n+1), RowStart: make([]int32, 1, n+1),
		Initial: m.Initial, Labels: m.Labels, Variables: m.Variables, StateNames: m.StateNames,
		Rewards: make([]RewardModel, len(m.Rewards)),
	}
	if m.IsExact() {
		chain.Values.Exact = []*big.Rat{}
	}
	for i, r := range m.Rewards {
		chain.Rewards[i] = RewardModel{Name: r.Name, State: r.State}
	}
	for s := range n {
		first, last := p.Start[s], p.Start[s+1]
		name, err := "", error(nil)
		if last-first == 1 {
			k := m.StateStart[s] + p.Actions[first]
			chain.copyRow(m, s, k)
			if m.hasActionName(int(k)) {
				name = m.ActionNames[k]
			}
		} else {
			err = chain.mixRows(m, s, p.Actions[first:last], p.Probabilities[first:last])
		}
		if err != nil {
			return nil, err
		}
		if m.ActionNames != nil {
			chain.ActionNames = append(chain.ActionNames, name)
		}
		chain.StateStart = append(chain.StateStart, int32(s+1))
		chain.RowStart = append(chain.RowStart, int32(len(chain.Columns)))
	}
	for i := range chain.Rewards {
		r := &chain.Rewards[i]
		r.Action.complete(n)
		r.Transition.complete(len(chain.Columns))
	}
	return chain, nil
}

// copyRow gives state s the transitions and rewards of choice k.
func (m *Model) copyRow(from *Model, s int, k int32) {
	to := len(m.Columns)
	for e := from.RowStart[k]; e < from.RowStart[k+1]; e++ {
		m.Columns = append(m.Columns, from.Columns[e])
		m.Values.add(from.Values.value(int(e)))
	}
	for i := range from.Rewards {
		r, own := &from.Rewards[i], &m.Rewards[i]
		own.Action.put(s, r.Action.value(int(k)))
		for e := from.RowStart[k]; e < from.RowStart[k+1]; e++ {
			own.Transition.put(to+int(e-from.RowStart[k]), r.Transition.value(int(e)))
		}
	}
}

// mixed is what several actions make of the transitions from a state to another.
type mixed struct {
	probability *big.Rat
	rewards     []*big.Rat // by reward model, times the probability
}

// mixRows gives state s the mean of several actions.
func (m *Model) mixRows(from *Model, s int, actions []int32, shares []*big.Rat) error {
	to := make(map[int32]*mixed)
	earned := newRats(len(from.Rewards))
	for i, a := range actions {
		k := int(from.StateStart[s] + a)
		lo, hi := int(from.RowStart[k]), int(from.RowStart[k+1])
		sum := from.Values.sum(lo, hi)
		for r := range from.Rewards {
			earned[r].Add(earned[r], new(big.Rat).Mul(shares[i], from.Rewards[r].Action.rational(k)))
		}
		for e := lo; e < hi; e++ {
			j := to[from.Columns[e]]
			if j == nil {
				j = &mixed{new(big.Rat), newRats(len(from.Rewards))}
				to[from.Columns[e]] = j
			}
			p := new(big.Rat).Quo(from.Values.rational(e), sum)
			p.Mul(p, shares[i])
			j.probability.Add(j.probability, p)
			for r := range from.Rewards {
				j.rewards[r].Add(j.rewards[r], new(big.Rat).Mul(p, from.Rewards[r].Transition.rational(e)))
			}
		}
	}
	for r := range earned {
		v, err := from.rounded(s, earned[r])
		if err != nil {
			return err
		}
		m.Rewards[r].Action.put(s, v)
	}
	for _, j := range slices.Sorted(maps.Keys(to)) {
		v, err := from.rounded(s, to[j].probability)
		if err != nil {
			return err
		}
		for r, x := range to[j].rewards {
			reward, err := from.rounded(s, x.Quo(x, to[j].probability))
			if err != nil {
				return err
			}
			m.Rewards[r].Transition.put(len(m.Columns), reward)
		}
		m.Columns = append(m.Columns, j)
		m.Values.add(v)
	}
	return nil
}

// rounded returns a number of the chain of a policy, exact if the model is.
func (m *Model) rounded(s int, x *big.Rat) (value, error) {
	float, _ := x.Float64()
	if float == 0 && x.Sign() != 0 || isLong(x) {
		return value{}, fmt.Errorf("mdpio: state %d: a randomised policy makes the number %s found; numbers that float64 can tell from 0, of at most %d bits, are allowed",
			s, shortRat(x), maxBits)
	}
	if !m.IsExact() {
		x = nil
	}
	return value{float, x}, nil
}

func newRats(n int) []*big.Rat {
	x := make([]*big.Rat, n)
	for i := range x {
		x[i] = new(big.Rat)
	}
	return x
}
