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
// divided by their sum. A CTMC is uniformized as for [Model.TableArrays].
func (m *Model) Exact(reward string) (*exact.Model, error) {
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
	if m.Kind == CTMC {
		m.uniformizeExactly(&arrays)
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

// uniformizeExactly sets rate, rows and probabilities of the arrays of a CTMC.
func (m *Model) uniformizeExactly(arrays *exact.Arrays) {
	n, rates := m.NumStates(), m.Values.Rationals()
	leaving := make([]*big.Rat, n)
	arrays.Rate = new(big.Rat)
	for s := range n {
		leaving[s] = new(big.Rat)
		for e := m.RowStart[s]; e < m.RowStart[s+1]; e++ {
			if int(m.Columns[e]) != s {
				leaving[s].Add(leaving[s], rates[e])
			}
		}
		if leaving[s].Cmp(arrays.Rate) > 0 {
			arrays.Rate.Set(leaving[s])
		}
	}
	arrays.Rate = powerOfTwoFrom(arrays.Rate)
	arrays.RowStart = []int32{0}
	for s := range int32(n) {
		stay := new(big.Rat).Quo(leaving[s], arrays.Rate)
		arrays.Columns = append(arrays.Columns, s)
		arrays.Probabilities = append(arrays.Probabilities, stay.Sub(one, stay))
		for e := m.RowStart[s]; e < m.RowStart[s+1]; e++ {
			if j := m.Columns[e]; j != s {
				arrays.Columns = append(arrays.Columns, j)
				arrays.Probabilities = append(arrays.Probabilities, new(big.Rat).Quo(rates[e], arrays.Rate))
			}
		}
		arrays.RowStart = append(arrays.RowStart, int32(len(arrays.Columns)))
	}
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
