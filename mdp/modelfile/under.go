// This file makes models of policies.

package modelfile

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// Under returns the model of a policy: the chain that it makes, a model without
// choices, of kind DTMC, or CTMC of a CTMDP; a DTMC, a CTMC and an SMDP keep their kind. With
// π(a|s) the probability of action a in state s, its numbers are
//
//	p(j|s)                = Σ_a π(a|s)·p(j|s,a)
//	reward of the action  = Σ_a π(a|s)·reward of a
//	reward of s → j       = Σ_a π(a|s)·p(j|s,a)·reward of s → j by a / p(j|s)
//
// with p(j|s,a) divided by its sum over j. In continuous time they are
//
//	rate(j|s)             = Σ_a π(a|s)·rate(j|s,a)
//	reward of the action  = Σ_a π(a|s)·exit rate of a·reward of a / Σ_j rate(j|s)
//	reward of s → j       = Σ_a π(a|s)·rate(j|s,a)·reward of s → j by a / rate(j|s)
//
// π(a|s) is then the share of the time in s that is spent with action a. In a semi-Markov process,
// this means that the share of action a in the decisions in s is proportional to π(a|s) divided by
// the mean sojourn time of a.
//
// Expected rewards are those of the policy. A state in which the policy takes one action has the
// numbers of the model; other numbers are exact if the model is, and rounded once otherwise.
//
// It fails for a policy that does not fit the model, or that changes from step to step, for a
// randomised one of a model with intervals, and where a probability is so small that float64
// cannot tell it from 0.
func (m *Model) Under(p mdp.Policy) (*Model, error) {
	if p.Steps != nil {
		return nil, fmt.Errorf("modelfile: %w: the policy changes from step to step, and so has no chain", mdp.ErrUnsupported)
	}
	more, p, err := m.With(p)
	if err != nil {
		return nil, err
	}
	if !m.Kind.HasChoices() {
		return m, nil
	}
	chain := more.rebuilt(map[Kind]Kind{MDP: DTMC, CTMDP: CTMC, SMDP: SMDP}[m.Kind])
	for s, a := range p.Actions {
		if f := cmp.Or(chain.copyChoice(more, more.StateStart[s]+a, nil), chain.endState()); f != nil {
			return nil, fmt.Errorf("modelfile: state %d: %s", s, f.What())
		}
	}
	return chain.finish(), nil
}

// With returns the model with one more choice for each state, and step, in which a policy takes
// several actions: what the policy does there, with numbers as in [Model.Under]. It also returns the
// policy in that model, which takes one action in each state. The new choices do not change the
// optimum, as no policy gains from being randomised.
func (m *Model) With(p mdp.Policy) (*Model, mdp.Policy, error) {
	if err := p.Validate(m); err != nil {
		return nil, p, err
	}
	if p.NumRandomized() == 0 {
		return m, p, nil
	}
	if m.IsUncertain() {
		return nil, p, fmt.Errorf("modelfile: %w, and the policy is randomised: use one that takes one action in each state", ErrIntervals)
	}
	steps := p.Steps
	if steps == nil {
		steps = []mdp.Policy{p}
	}
	more, taken := m.rebuilt(m.Kind), make([]mdp.Policy, len(steps))
	for s := range m.NumStates() {
		var fault *filepos.Error
		for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
			fault = cmp.Or(fault, more.copyChoice(m, k, nil))
		}
		next := int32(m.NumActions(s))
		for t, step := range steps {
			actions, shares := step.At(s)
			action := actions[0]
			if shares != nil {
				if err := more.mixChoices(m, s, actions, shares); err != nil {
					return nil, p, err
				}
				action = next
				next++
			}
			taken[t].Actions = append(taken[t].Actions, action)
		}
		if fault = cmp.Or(fault, more.endState()); fault != nil {
			return nil, p, fmt.Errorf("modelfile: state %d: %s", s, fault.What())
		}
	}
	if p.Steps == nil {
		return more.finish(), taken[0], nil
	}
	return more.finish(), mdp.Policy{Steps: taken}, nil
}

// rebuilt returns a builder of a model with the states of m, to which choices are to be
// added.
func (m *Model) rebuilt(kind Kind) *builder {
	b := newBuilder(nil, Options{Exact: m.IsExact()})
	bare := b.model
	bare.Kind, bare.Initial, bare.Labels, bare.Variables, bare.StateNames = kind, m.Initial, m.Labels, m.Variables, m.StateNames
	bare.Unread, bare.ZeroWidth = m.Unread, m.ZeroWidth
	for _, r := range m.Rewards {
		bare.Rewards = append(bare.Rewards, RewardModel{Name: r.Name, State: r.State})
	}
	return b
}

// copyChoice adds choice k of a model, with the values of its transitions or others.
func (b *builder) copyChoice(from *Model, k int32, others func(e int) value) (fault *filepos.Error) {
	choice := b.choice()
	lo, hi := from.row(int(k))
	for e := lo; e < hi; e++ {
		to := len(b.model.Columns)
		switch {
		case others != nil:
			fault = cmp.Or(fault, b.transition(from.Columns[e], others(e)))
		case from.IsUncertain():
			fault = cmp.Or(fault, b.interval(from.Columns[e], from.Values.value(e), from.High.value(e)))
		default:
			fault = cmp.Or(fault, b.transition(from.Columns[e], from.Values.value(e)))
		}
		for i := range from.Rewards {
			b.model.Rewards[i].Transition.put(to, from.Rewards[i].Transition.value(e))
		}
	}
	if others == nil {
		fault = cmp.Or(fault, b.distance(from.Distance.value(int(k))))
	}
	for i := range from.Rewards {
		b.model.Rewards[i].Action.put(choice, from.Rewards[i].Action.value(int(k)))
	}
	if from.hasActionName(int(k)) {
		fault = cmp.Or(fault, b.nameAction([]byte(from.ActionNames[k])))
	}
	return cmp.Or(fault, b.endChoice())
}

// mixed is what several actions make of the transitions from a state to another.
type mixed struct {
	probability *big.Rat
	rewards     []*big.Rat // by reward model, times the probability
}

// mixChoices adds the mean of actions of state s, each with its probability.
func (b *builder) mixChoices(from *Model, s int, actions []int32, shares []*big.Rat) error {
	m := b.model
	to, choice := make(map[int32]*mixed), b.choice()
	earned, exit := newRats(len(from.Rewards)), new(big.Rat)
	for i, a := range actions {
		k := int(from.StateStart[s] + a)
		lo, hi := from.row(k)
		sum, jumps := from.Values.sum(lo, hi), shares[i]
		if from.Kind.IsContinuous() {
			jumps = new(big.Rat).Mul(shares[i], sum)
			sum = one
		}
		exit.Add(exit, jumps)
		for r := range from.Rewards {
			earned[r].Add(earned[r], new(big.Rat).Mul(jumps, from.Rewards[r].Action.rational(k)))
		}
		for e := lo; e < hi; e++ {
			j := to[from.Columns[e]]
			if j == nil {
				j = &mixed{new(big.Rat), newRats(len(from.Rewards))}
				to[from.Columns[e]] = j
			}
			w := new(big.Rat).Quo(from.Values.rational(e), sum)
			w.Mul(w, shares[i])
			j.probability.Add(j.probability, w)
			for r := range from.Rewards {
				j.rewards[r].Add(j.rewards[r], new(big.Rat).Mul(w, from.Rewards[r].Transition.rational(e)))
			}
		}
	}
	for r := range earned {
		if from.Kind.IsContinuous() && exit.Sign() > 0 {
			earned[r].Quo(earned[r], exit)
		}
		v, err := from.rounded(s, earned[r])
		if err != nil {
			return err
		}
		m.Rewards[r].Action.put(choice, v)
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
	if fault := b.endChoice(); fault != nil {
		return fmt.Errorf("modelfile: state %d: %s", s, fault.What())
	}
	return nil
}

// rounded returns a number of the chain of a policy, exact if the model is.
func (m *Model) rounded(s int, x *big.Rat) (value, error) {
	float, _ := x.Float64()
	if float == 0 && x.Sign() != 0 || isLong(x) {
		return value{}, fmt.Errorf("modelfile: state %d: a randomised policy makes the number %s: use probabilities that make numbers of at most %d bits which float64 can tell from 0",
			s, number.Short(x), maxBits)
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
