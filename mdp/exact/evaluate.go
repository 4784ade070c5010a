package exact

import (
	"context"
	"math/big"
)

// Evaluate returns gain and bias of a policy, the index of an action for each
// state, whatever the structure of its chain: the bias is the solution h of
//
//	g + h = c + P·h,  P*·h = 0
//
// with the limiting matrix P* (Puterman 1994, §8.2.3), in units of cost.
func (m *Model) Evaluate(ctx context.Context, policy []int32) (gain, bias []Value, err error) {
	followed, err := m.Follow(policy)
	if err != nil {
		return nil, nil, err
	}
	only := make([]int32, len(m.states))
	g, h, err := followed.evaluate(ctx, only)
	if err != nil {
		return nil, nil, err
	}
	// P*·h is the gain where h is the cost. The numerators of h are taken as
	// costs; the factor that h has to them comes in again with the denominator.
	for s := range followed.states {
		c := followed.states[s][0]
		c.cost = h.numerators[s]
		followed.states[s] = []choice{c}
	}
	mean, _, err := followed.evaluate(ctx, only)
	if err != nil {
		return nil, nil, err
	}
	centred := vector{zeros(len(only)), new(big.Int).Mul(h.denominator, mean.denominator)}
	for s, x := range centred.numerators {
		x.Mul(h.numerators[s], mean.denominator)
		x.Sub(x, mean.numerators[s])
	}
	return g.values(new(big.Rat).SetInt(m.unit)), centred.values(m.perStep()), nil
}
