package exact

import (
	"context"
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Horizon is a finite horizon.
type Horizon struct {
	// Steps is the number of steps, 0 or more.
	Steps int

	// Terminal is the cost of the state after the last step, by state; nil for none.
	Terminal []*big.Rat

	// Discount is the factor β, 0 < β ≤ 1, by which a step weighs less than the one before; nil
	// stands for 1.
	Discount *big.Rat

	// Policy has the policies of all steps, if the answer is to be their value. They take one action
	// in each state.
	Policy mdp.Policy

	// Stage, if not nil, is called with the policy of each step, from the last to the first, 0. It
	// must copy what it keeps.
	Stage func(step int, policy []int32)
}

// Finite returns the optimal expected total cost of a finite horizon, by backward induction
//
//	v(s) ← min over a of { c(s,a) + β·Σ_j p(j|s,a)·v(j) }
//
// from v = terminal. The policy is that of the first step; with 0 steps, the first action
// of each state. Finite refuses a model in continuous time: its steps are no units of
// time.
//
// In each step the numbers grow by the digits of the common denominator of all
// probabilities and of β. Finite returns [mdp.ErrTooLarge] if that exceeds [MemoryLimit].
func (m *Model) Finite(ctx context.Context, sense mdp.Sense, h Horizon) (*Answer, error) {
	minimizing, err := m.minimizing(sense)
	if err != nil {
		return nil, err
	}
	n := len(m.states)
	switch {
	case h.Steps < 0:
		return nil, fmt.Errorf("exact: %d steps are not valid: use 0 or more", h.Steps)
	case m.rate.Cmp(one) != 0:
		return nil, fmt.Errorf("exact: %w: its steps are events of a uniformized process, %s per unit of time, and no steps of time",
			mdp.ErrUnsupported, m.rate.RatString())
	case h.Policy.Steps != nil && len(h.Policy.Steps) != h.Steps:
		return nil, fmt.Errorf("exact: %d policies are not valid: use one for each of the %d steps", len(h.Policy.Steps), h.Steps)
	case h.Terminal != nil && len(h.Terminal) != n:
		return nil, fmt.Errorf("exact: %d terminal costs are not valid: use one for each of the %d states", len(h.Terminal), n)
	}
	discount := one
	if h.Discount != nil {
		if discount = h.Discount; discount.Sign() <= 0 || discount.Cmp(one) > 0 {
			return nil, fmt.Errorf("exact: discount %s is not valid: use a number above 0, up to 1", discount.RatString())
		}
	}
	scale := big.NewInt(1)
	for _, choices := range m.states {
		for a := range choices {
			scale = commonMultiple(scale, choices[a].scale)
		}
	}
	scale.Mul(scale, discount.Denom())
	if err := checkForecast(ctx, fmt.Sprintf("the values after %d steps", h.Steps), float64(h.Steps)*float64(scale.BitLen()-1)*float64(n)/8); err != nil {
		return nil, err
	}
	v := m.terminal(h.Terminal).oriented(sense)
	answer := &Answer{Policy: make([]int32, n), Iterations: h.Steps}
	for step := h.Steps - 1; step >= 0; step-- {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		of := minimizing
		if h.Policy.Steps != nil {
			if of, err = minimizing.under(h.Policy.InStep(step).Deterministic()); err != nil {
				return nil, err
			}
		}
		if v = of.backup(v, scale, discount, answer.Policy); h.Policy.Steps != nil {
			copy(answer.Policy, h.Policy.InStep(step).Actions)
		}
		if h.Stage != nil {
			h.Stage(step, answer.Policy)
		}
	}
	answer.Values = v.oriented(sense).values(new(big.Rat).SetInt(m.unit))
	return answer, nil
}

// under returns the model with the actions of a policy alone.
func (m *Model) under(policy []int32) (*Model, error) {
	if len(policy) != len(m.states) {
		return nil, fmt.Errorf("exact: a policy of length %d is not valid: the model has %d states", len(policy), len(m.states))
	}
	only := *m
	only.states = make([][]choice, len(m.states))
	for s, a := range policy {
		if a < 0 || int(a) >= len(m.states[s]) {
			return nil, fmt.Errorf("exact: action %d of state %d is not valid: use 0 … %d", a, s, len(m.states[s])-1)
		}
		only.states[s] = m.states[s][a : a+1]
	}
	return &only, nil
}

// terminal returns terminal costs in units of the model over their common
// denominator.
func (m *Model) terminal(costs []*big.Rat) vector {
	v := vector{zeros(len(m.states)), big.NewInt(1)}
	for _, x := range costs {
		v.denominator = commonMultiple(v.denominator, x.Denom())
	}
	for s, x := range costs {
		v.numerators[s] = new(big.Int).Mul(over(x, v.denominator), m.unit)
	}
	return v
}

// backup returns the values one step earlier, and sets policy to the actions of least cost in that step.
// scale is a common multiple of the denominators of all probabilities, times the denominator of the discount
// factor. The denominator of the values is scale times that of v.
func (m *Model) backup(v vector, scale *big.Int, discount *big.Rat, policy []int32) vector {
	earlier := vector{make([]*big.Int, len(m.states)), new(big.Int).Mul(v.denominator, scale)}
	unit := new(big.Int).Quo(scale, discount.Denom()) // of probabilities
	stay := new(big.Int).Mul(unit, discount.Num())
	for s, choices := range m.states {
		var best *big.Int
		for a := range choices {
			c := &choices[a]
			x := c.after(v, s, discount)
			x.Mul(x, new(big.Int).Quo(unit, c.scale))
			if best == nil || x.Cmp(best) < 0 {
				best, policy[s] = x, int32(a)
			}
		}
		earlier.numerators[s] = best.Add(best, new(big.Int).Mul(stay, v.numerators[s]))
	}
	return earlier
}
