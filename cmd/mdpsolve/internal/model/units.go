package model

// The chain of a policy with rewards in whole units, for distributions.

import (
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// place is a state with the reward of the step that led there, which the next step earns: so a
// reward may depend on both states and on chance.
type place struct {
	state  int32
	reward string
	left   int // steps; below 0 without a horizon
}

// mostPlaces bounds the places of a distribution with a horizon.
const mostPlaces = 2e6

// inUnits returns the chain on the places that it reaches from the start, 0; at 1 the total has
// ended. The unit is the greatest common divisor of all rewards that are met.
func (f *followed) inUnits(a *ui.Arguments) (chain *mdp.Table, unit *big.Rat) {
	m, p, q := f.whole, f.policy, f.question
	start := place{m.Initial[0], "0", -1}
	if most := mostPlaces / float64(m.NumStates()); q.criterion == criterionFinite {
		if start.left = q.horizon; float64(q.horizon) > most {
			a.Fault("horizon", "%d is too large for a distribution: use at most %.0f", q.horizon, most)
		}
	}
	r, _ := m.Reward(q.reward) // checked before
	values, rewards := m.Values.Rationals(), [][]*big.Rat{r.State.Rationals(), r.Action.Rationals(), r.Transition.Rationals()}
	places := []place{start, {-1, "0", 0}}
	number, rows := map[place]int32{start: 0}, [][]mdp.Entry{}
	for i := 0; i < len(places); i++ {
		if a.CLI.Err() != nil {
			a.Fail(ui.EndEarly(ui.ExitInterrupted, "interrupted: no answer yet"))
		}
		s, row := places[i].state, []mdp.Entry(nil)
		if _, isEnd := slices.BinarySearch(q.ends, s); isEnd || places[i].left == 0 {
			rows = append(rows, []mdp.Entry{{State: 1, Probability: 1}})
			continue
		}
		for at := p.Start[s]; at < p.Start[s+1]; at++ {
			k, sum, share := m.StateStart[s]+p.Actions[at], new(big.Rat), big.NewRat(1, 1)
			if p.Probabilities != nil {
				share = p.Probabilities[at]
			}
			for _, x := range values[m.RowStart[k]:m.RowStart[k+1]] {
				sum.Add(sum, x)
			}
			for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
				x, reward := new(big.Rat).Quo(values[e], sum), new(big.Rat)
				for list, i := range []int32{s, k, e} {
					if len(rewards[list]) > 0 { // else all are 0
						reward.Add(reward, rewards[list][i])
					}
				}
				if reward.Sign() < 0 {
					a.Fault(distributionFlag, "a step from state %s has the reward %s: use rewards from 0 up", stateName(m, int(s)), reward.RatString())
				}
				to := place{m.Columns[e], reward.RatString(), max(places[i].left-1, -1)}
				if _, known := number[to]; !known {
					number[to] = int32(len(places))
					places = append(places, to)
				}
				probability, _ := x.Mul(x, share).Float64()
				row = append(row, mdp.Entry{State: number[to], Probability: probability})
			}
		}
		rows = append(rows, row)
	}
	unit = new(big.Rat)
	for _, at := range places {
		unit = divisor(unit, fraction(at.reward))
	}
	if unit.Sign() == 0 {
		unit.SetInt64(1)
	}
	var b mdp.TableBuilder
	for i, row := range rows {
		b.AddState()
		units, _ := new(big.Rat).Quo(fraction(places[i].reward), unit).Float64()
		b.AddAction(units)
		for _, e := range row {
			b.AddTransition(int(e.State), e.Probability)
		}
	}
	chain, err := b.Build()
	a.Fail(fileFault(modelOperand, f.path, err))
	return chain, unit
}

// divisor returns the greatest common divisor of two fractions.
func divisor(x, y *big.Rat) *big.Rat {
	left, right := new(big.Int).Mul(x.Num(), y.Denom()), new(big.Int).Mul(y.Num(), x.Denom())
	return new(big.Rat).SetFrac(left.GCD(nil, nil, left, right), right.Mul(x.Denom(), y.Denom()))
}
