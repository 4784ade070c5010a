// This file turns mean sojourn times, and rewards per unit of time, into rates and rewards of
// jumps, and back.

package modelfile

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/filepos"
)

// over turns the probabilities of the present choice into rates: each is divided by their sum and by
// the mean sojourn time.
func (b *builder) over(duration value) *filepos.Error {
	m, lo := b.model, int(b.model.RowStart[b.choice()])
	hi := len(m.Columns)
	if !m.areKnown(lo, hi) || lo == hi {
		return nil // a fault of the choice, which comes later
	}
	if b.divide {
		m.Values.normalize(lo, hi)
	}
	if fault := m.Values.checkSum(lo, hi, b.divide); fault != nil {
		return fault
	}
	b.needFractions()
	for e, rate := range m.Values.shares(lo, hi, duration) {
		tooLong := rate.exact != nil && isLong(rate.exact)
		if p := m.Values.Float[lo+e]; tooLong || p > 0 && (rate.float == 0 || math.IsInf(rate.float, 1)) {
			return filepos.Fault(fmt.Sprintf("probability %v with duration %v", p, duration.float), "a quotient that float64 can hold")
		}
		m.Values.set(lo+e, rate)
		m.High.set(lo+e, rate)
	}
	return nil
}

// shares returns numbers lo … hi−1, each divided by their sum and by a divisor.
func (n *Numbers) shares(lo, hi int, divisor value) []value {
	shares := make([]value, hi-lo)
	if n.Exact != nil {
		all := new(big.Rat).Mul(n.sum(lo, hi), divisor.exact)
		for i := range shares {
			shares[i] = rounded(new(big.Rat).Quo(n.Exact[lo+i], all))
		}
		return shares
	}
	all := floatSum(n.Float[lo:hi]).MulFloat(divisor.float)
	for i := range shares {
		shares[i].float = doubledouble.FromFloat(n.Float[lo+i]).Quo(all).Float()
	}
	return shares
}

// earnAtRates adds rewards per unit of time, by reward model, to the action rewards of the present
// choice. A jump comes after 1/rate on average, where rate is the sum of the choice's rates, so it
// earns reward/rate more.
func (b *builder) earnAtRates(rewards []value) *filepos.Error {
	m, k := b.model, b.choice()
	lo, hi := int(m.RowStart[k]), len(m.Columns)
	if !slices.ContainsFunc(rewards, func(v value) bool { return v.float != 0 }) {
		return nil
	}
	if m.High.Len() > lo {
		return filepos.Fault(`"reward_rates" beside rates that are intervals`, `"rewards" of the state, which are per unit of time, too`)
	}
	b.needFractions()
	exact, float := m.Values.sum(lo, hi), floatSum(m.Values.Float[lo:hi])
	for r, v := range rewards {
		if v.float == 0 {
			continue
		}
		if float.Hi == 0 {
			return filepos.Fault(`"reward_rates" of an action that never ends`, "a transition, which may lead to its own state")
		}
		list := &m.Rewards[r].Action
		before := value{}
		if list.Len() > k {
			before = list.value(k)
		}
		after := value{float: doubledouble.FromFloat(v.float).Quo(float).AddFloat(before.float).Float()}
		if v.exact != nil {
			sum := new(big.Rat).Quo(v.exact, exact)
			if before.exact != nil {
				sum.Add(sum, before.exact)
			}
			after = rounded(sum)
		}
		if math.IsInf(after.float, 0) {
			return filepos.Fault("a reward beyond float64", "another unit of time or of reward")
		}
		if list.Len() > k {
			list.set(k, after)
		} else {
			b.reward(list, k, after)
		}
	}
	return nil
}

// needFractions notes that numbers are quotients of those in the file.
func (b *builder) needFractions() {
	if b.numbers.digits != nil {
		b.numbers.digits.Fractions = true
	}
}

// sojourn returns the mean sojourn time of choice k and the probabilities of its transitions.
func (m *Model) sojourn(k int) (duration, probabilities Numbers) {
	lo, hi := m.row(k)
	for _, p := range m.Values.shares(lo, hi, value{1, one}) {
		probabilities.add(p)
	}
	if m.IsExact() {
		duration.add(rounded(new(big.Rat).Inv(m.Values.sum(lo, hi))))
	} else {
		duration.add(value{float: doubledouble.FromFloat(1).Quo(floatSum(m.Values.Float[lo:hi])).Float()})
	}
	return duration, probabilities
}
