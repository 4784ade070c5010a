package model

// Fewer rules that lose little. What they cost is proved afterwards: here are estimates.

import (
	"math"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/rules"
)

const (
	trials    = 8    // trees that are tried
	walkSteps = 1000 // for which a policy is followed
	walkWork  = 3e8  // transitions that this may take
	mostLoss  = 1e100
)

// simplified returns a tree with at most so many leaves. The cost of a policy above the
// optimum is the sum, over states, of how often the policy is there, times how much
// worse its action is there for one step than the best one. The first tree is the best
// for the states where the best policy is, the next ones also for those where the trees
// before led to.
func (r *ruled) simplified(a *ui.Arguments, s *solution, tree *rules.Tree, most int) (*rules.Tree, error) {
	w, err := newWalk(s)
	if err != nil {
		return nil, fileFault(modelOperand, s.path, err)
	}
	best, least := tree, math.Inf(1)
	visits := w.visits(s.result.Policy)
	for range trials {
		simple, err := ui.Soon(a.CLI.Context, 0, func() (*rules.Tree, error) {
			return tree.Prune(most, r.values, len(r.actions), func(state int, sums []float64) {
				first, last := w.StateStart[state], w.StateStart[state+1]
				for action := range sums {
					sums[action] += visits[state] * w.losses[first]
				}
				for k := first; k < last; k++ {
					sums[r.named[k]] += visits[state] * (w.losses[k] - w.losses[first])
				}
			}), nil
		})
		if err != nil {
			return nil, s.solveFault(ui.Method{}, err)
		}
		policy, loss := r.policy(simple), 0.0
		for state, x := range w.visits(policy) {
			visits[state] += x
			loss += x * w.losses[w.StateStart[state]+policy[state]]
		}
		if loss < least {
			best, least = simple, loss
		}
	}
	return best, nil
}

// walk follows policies from the initial states.
type walk struct {
	mdp.TableArrays
	asked
	losses   []float64 // by choice: how much worse it is for one step
	discount float64
}

func newWalk(s *solution) (*walk, error) {
	arrays, err := s.model.TableArrays(s.question.reward)
	if err != nil {
		return nil, err
	}
	w := &walk{arrays, s.asked, make([]float64, len(arrays.Costs)), 1}
	values, sign := s.result.Values, 1.0
	switch s.question.criterion {
	case criterionDiscounted:
		w.discount = s.question.discount
	case criterionAverage:
		values = make([]float64, len(values))
		for i, gain := range s.result.Values {
			if values[i] = walkSteps * gain; s.result.Relative != nil {
				values[i] += s.result.Relative[i]
			}
		}
	}
	if s.question.sense == mdp.Maximize {
		sign = -1
	}
	for i, action := range s.result.Policy {
		first, last := w.StateStart[i], w.StateStart[i+1]
		for k := first; k < last; k++ {
			w.losses[k] = w.Costs[k]
			for e := w.RowStart[k]; e < w.RowStart[k+1]; e++ {
				w.losses[k] += w.discount * w.Probabilities[e] * values[w.Columns[e]]
			}
		}
		best := w.losses[first+action]
		for k := first; k < last; k++ {
			if w.losses[k] = max(sign*(w.losses[k]-best), 0); !(w.losses[k] < mostLoss) { // also NaN
				w.losses[k] = mostLoss
			}
		}
	}
	return w, nil
}

// visits returns how often a policy is in each state.
func (w *walk) visits(policy []int32) []float64 {
	now, next, sum := make([]float64, len(policy)), make([]float64, len(policy)), make([]float64, len(policy))
	for _, i := range w.model.Initial {
		now[i] = 1
	}
	for range min(walkSteps, int(math.Ceil(walkWork/float64(len(w.Columns))))) {
		clear(next)
		for i, x := range now {
			if x == 0 {
				continue
			}
			sum[i] += x
			k := w.StateStart[i] + policy[i]
			for e := w.RowStart[k]; e < w.RowStart[k+1]; e++ {
				next[w.Columns[e]] += w.discount * x * w.Probabilities[e]
			}
		}
		for _, i := range w.question.ends {
			next[i] = 0
		}
		now, next = next, now
	}
	return sum
}
