package exact

import (
	"context"
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Finite returns the optimal expected total cost of a number of steps, 0 or more,
// plus the terminal cost of the state after them (by state, nil for none). It uses
// backward induction
//
//	v(s) ← min over a of { c(s,a) + Σ_j p(j|s,a)·v(j) }
//
// from v = terminal. The policy is that of the first step; with 0 steps, the first action
// of each state. Finite refuses a model in continuous time: its steps are no units of
// time.
//
// In each step the numbers grow by the digits of the common denominator of all
// probabilities. Finite returns [mdp.ErrTooLarge] if that exceeds [MemoryLimit].
func (m *Model) Finite(ctx context.Context, sense mdp.Sense, steps int, terminal []*big.Rat) (*Answer, error) {
	minimizing, err := m.minimizing(sense)
	if err != nil {
		return nil, err
	}
	n := len(m.states)
	switch {
	case steps < 0:
		return nil, fmt.Errorf("exact: %d steps are not valid: use 0 or more", steps)
	case m.rate.Cmp(one) != 0:
		return nil, fmt.Errorf("exact: %w: its steps are events of a uniformized process, %s per unit of time, and no steps of time",
			mdp.ErrUnsupported, m.rate.RatString())
	case terminal != nil && len(terminal) != n:
		return nil, fmt.Errorf("exact: %d terminal costs are not valid: use one for each of the %d states", len(terminal), n)
	}
	scale := big.NewInt(1)
	for _, choices := range m.states {
		for a := range choices {
			scale = commonMultiple(scale, choices[a].scale)
		}
	}
	if err := checkForecast(ctx, fmt.Sprintf("the values after %d steps", steps), float64(steps)*float64(scale.BitLen()-1)*float64(n)/8); err != nil {
		return nil, err
	}
	v := m.terminal(terminal).oriented(sense)
	answer := &Answer{Policy: make([]int32, n), Iterations: steps}
	for range steps {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		v = minimizing.backup(v, scale, answer.Policy)
	}
	answer.Values = v.oriented(sense).values(new(big.Rat).SetInt(m.unit))
	return answer, nil
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

// backup returns values one step earlier, whose denominator is scale times that
// of v, and sets the policy of that step, of least costs.
func (m *Model) backup(v vector, scale *big.Int, policy []int32) vector {
	earlier := vector{make([]*big.Int, len(m.states)), new(big.Int).Mul(v.denominator, scale)}
	for s, choices := range m.states {
		var best *big.Int
		for a := range choices {
			c := &choices[a]
			x := c.after(v, s, one)
			x.Mul(x, new(big.Int).Quo(scale, c.scale))
			if best == nil || x.Cmp(best) < 0 {
				best, policy[s] = x, int32(a)
			}
		}
		earlier.numerators[s] = best.Add(best, new(big.Int).Mul(scale, v.numerators[s]))
	}
	return earlier
}
