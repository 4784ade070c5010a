// This file makes models in rational arithmetic, for package exact.

package modelfile

import (
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// Exact returns the model in rational arithmetic, with the expected rewards of a
// reward model (see [Model.ExpectedRewards]) as costs: with the numbers of the
// file where [Options.Exact] asked for them, and with the float64 numbers of the
// model as they stand otherwise. The probabilities of a choice are its values
// divided by their sum. A model in continuous time is uniformized as for [Model.TableArrays].
func (m *Model) Exact(reward string) (*exact.Model, error) { return m.ExactAt(reward, nil) }

// ExactAt is [Model.Exact] for rewards discounted at rate α in continuous time, as in
// [Model.TableArraysAt]; nil for none.
func (m *Model) ExactAt(reward string, alpha *big.Rat) (*exact.Model, error) {
	if m.IsUncertain() {
		return nil, fmt.Errorf("modelfile: %w: no exact solution", ErrIntervals)
	}
	r, err := m.rewardOrNone(reward)
	if err != nil {
		return nil, err
	}
	arrays := exact.Arrays{StateStart: m.StateStart, Costs: make([]*big.Rat, m.NumChoices())}
	for s, k := range m.choices() {
		arrays.Costs[k] = m.exactReward(r, s, k)
	}
	if m.Kind.IsContinuous() {
		if err := m.uniformizeExactly(&arrays, alpha); err != nil {
			return nil, err
		}
	} else {
		arrays.RowStart, arrays.Columns, arrays.Probabilities = m.RowStart, m.Columns, m.Values.Rationals()
	}
	return exact.NewModel(arrays)
}

// Rationals returns all numbers exactly: Exact, or those of Float. None may be changed.
func (n *Numbers) Rationals() []*big.Rat {
	if n.Exact != nil {
		return n.Exact
	}
	exact := make([]*big.Rat, n.Len())
	for i := range exact {
		exact[i] = n.rational(i)
	}
	return exact
}

// uniformizeExactly sets rate, rows and probabilities of the arrays of a model in continuous
// time.
func (m *Model) uniformizeExactly(arrays *exact.Arrays, discounting *big.Rat) error {
	rates, leaving := m.Values.Rationals(), make([]*big.Rat, m.NumChoices())
	arrays.Rate = new(big.Rat)
	for s, k := range m.choices() {
		leaving[k] = new(big.Rat)
		for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
			if int(m.Columns[e]) != s {
				leaving[k].Add(leaving[k], rates[e])
			}
		}
		if leaving[k].Cmp(arrays.Rate) > 0 {
			arrays.Rate.Set(leaving[k])
		}
	}
	arrays.Rate = powerOfTwoFrom(arrays.Rate)
	steps := arrays.Rate
	if discounting != nil {
		rate, _, err := m.stepRate(discounting)
		if err != nil {
			return err
		}
		arrays.Rate.SetFloat64(rate)
		steps = new(big.Rat).Sub(arrays.Rate, discounting)
	}
	arrays.RowStart = []int32{0}
	for state, k := range m.choices() {
		s, stay := int32(state), new(big.Rat).Quo(leaving[k], steps)
		arrays.Columns = append(arrays.Columns, s)
		arrays.Probabilities = append(arrays.Probabilities, stay.Sub(one, stay))
		for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
			if j := m.Columns[e]; j != s {
				arrays.Columns = append(arrays.Columns, j)
				arrays.Probabilities = append(arrays.Probabilities, new(big.Rat).Quo(rates[e], steps))
			}
		}
		arrays.RowStart = append(arrays.RowStart, int32(len(arrays.Columns)))
	}
	return nil
}

// powerOfTwoFrom returns the least power of two from x ≥ 0 up, 1 for 0.
func powerOfTwoFrom(x *big.Rat) *big.Rat {
	if x.Sign() == 0 {
		return big.NewRat(1, 1)
	}
	unit, exponent := big.NewInt(1), x.Num().BitLen()-x.Denom().BitLen() // x is between the powers on both sides of this
	power := new(big.Rat).SetFrac(new(big.Int).Lsh(unit, uint(max(exponent, 0))), new(big.Int).Lsh(unit, uint(max(-exponent, 0))))
	if power.Cmp(x) < 0 {
		power.Add(power, power)
	}
	return power
}
