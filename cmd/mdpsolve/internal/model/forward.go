package model

// Where a policy is step by step: the probability of each state.

import (
	"iter"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// forward yields, for each step from 0 on, the probability of each state before that step. Each of the
// states in start has the probability 1 at first. Probability that comes to one of the ends is left out
// of later steps. policy returns the actions taken in a step. The list that forward yields is only valid until
// the next step.
func forward(m mdp.TableArrays, policy func(step int) []int32, start, ends []int32) iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		now, next := make([]float64, len(m.StateStart)-1), make([]float64, len(m.StateStart)-1)
		for _, s := range start {
			now[s] = 1
		}
		for step := 0; yield(step, now); step++ {
			clear(next)
			actions := policy(step)
			for s, x := range now {
				if x == 0 {
					continue
				}
				k := m.StateStart[s] + actions[s]
				for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
					next[m.Columns[e]] += x * m.Probabilities[e]
				}
			}
			for _, s := range ends {
				next[s] = 0
			}
			now, next = next, now
		}
	}
}
