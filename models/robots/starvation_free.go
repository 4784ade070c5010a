// This file finds how long the queue stays without starvation.

package robots

import (
	"context"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// StarvationFree returns the distribution of a time without starvation under the policy, in
// the long run: from when a page comes to the empty queue until the queue is empty again. Above
// has the probabilities that it lasts longer than each of the times. Its mean is (1−S)/ρ for
// the starvation S, with ρ such times per unit of time.
//
// Bounds take the probabilities of the states at the start as they are, with the accuracy of
// [Measures]. Errors are those of [Measure] and [mdp.TimeDistribution].
func (p *Policy) StarvationFree(ctx context.Context, times []float64, settings mdp.Settings) (*mdp.Distribution, error) {
	m, err := NewModel(p.parameters)
	if err != nil {
		return nil, err
	}
	found, err := p.measure(ctx)
	if err != nil {
		return nil, err
	}
	var empty []int32
	for s := range m.layout.begin(1) { // those of an empty queue come first
		empty = append(empty, int32(s))
	}
	policy, err := p.engine(m)
	if err != nil {
		return nil, err
	}
	chain, err := mdp.Under(m, policy)
	if err != nil {
		return nil, err
	}
	start, sum := []mdp.Entry(nil), 0.0
	begin := make([]float64, m.NumStates()) // the rates at which such times begin, over ν
	for i, s := range found.class.States {
		if s >= len(empty) {
			break
		}
		row, _ := chain.AppendRow(nil, s, 0)
		for _, e := range row {
			if int(e.State) >= len(empty) {
				begin[e.State] += found.class.Stationary[i] * e.Probability
				sum += found.class.Stationary[i] * e.Probability
			}
		}
	}
	for s, x := range begin {
		if x > 0 {
			start = append(start, mdp.Entry{State: int32(s), Probability: x / sum})
		}
	}
	return mdp.TimeDistribution(ctx, m, policy, empty, start, times, settings)
}
