package model

// Fewer rules that lose little. Here are estimates; bounds on what the rules cost are proved
// afterwards.

import (
	"cmp"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/rules"
)

// trials is how many trees are tried.
const trials = 8

// simplified returns a tree with at most so many leaves. What a policy costs above the optimum is
// a sum over states: how often the policy visits the state, times what its action loses in one
// step. The first tree weighs states by the visits of the best policy. Each further tree adds the
// visits of the trees before.
func (r *ruled) simplified(s *solution, tree *rules.Tree, most int) (*rules.Tree, error) {
	arrays, err := s.Model.TableArraysAt(s.Reward, s.DiscountRate())
	if err != nil {
		return nil, fileFault(modelOperand, s.path, err)
	}
	losses, visits := s.losses(arrays), s.visits(arrays, s.result.Policy)
	lose := func(state int, sums []float64) {
		first, last := arrays.StateStart[state], arrays.StateStart[state+1]
		for action := range sums {
			sums[action] += visits[state] * losses[first]
		}
		for k := first; k < last; k++ {
			sums[r.named[k]] += visits[state] * (losses[k] - losses[first])
		}
	}
	best, least := tree, math.Inf(1)
	for range trials {
		simple := tree.Prune(most, r.values, len(r.actions), lose)
		policy, lost := r.policy(simple), 0.0
		for state, x := range s.visits(arrays, policy) {
			visits[state] += x
			lost += x * losses[arrays.StateStart[state]+policy[state]]
		}
		if lost < least {
			best, least = simple, lost
		}
	}
	return best, nil
}

// losses returns, by choice, how much is lost by taking it for one step in place of the policy's.
func (s *solution) losses(arrays mdp.TableArrays) []float64 {
	const most = 1e100 // so that sums are finite
	values, losses := s.result.Values, slices.Clone(arrays.Costs)
	if s.result.Relative != nil {
		values = s.result.Relative
	}
	weight := s.weight() * cmp.Or(arrays.Rate, 1) // of a value beside costs per unit of time
	for i, action := range s.result.Policy {
		first, last := arrays.StateStart[i], arrays.StateStart[i+1]
		for k := first; k < last; k++ {
			for e := arrays.RowStart[k]; e < arrays.RowStart[k+1]; e++ {
				losses[k] += weight * arrays.Probabilities[e] * values[arrays.Columns[e]]
			}
		}
		own := losses[first+action]
		for k := first; k < last; k++ {
			if losses[k] -= own; s.IsMaximized() {
				losses[k] = -losses[k]
			}
			if losses[k] = max(losses[k], 0); !(losses[k] < most) { // also NaN
				losses[k] = most
			}
		}
	}
	return losses
}

// visits estimates how often a policy that starts in the initial states visits each state.
func (s *solution) visits(arrays mdp.TableArrays, policy []int32) []float64 {
	const steps, work = 1000, 3e8 // at most so many transitions
	weight := s.weight()
	now, next, sum := make([]float64, len(policy)), make([]float64, len(policy)), make([]float64, len(policy))
	for _, i := range s.Model.Initial {
		now[i] = 1
	}
	for range min(steps, 1+int(work/float64(len(arrays.Columns)))) {
		clear(next)
		for i, x := range now {
			sum[i] += x
			k := arrays.StateStart[i] + policy[i]
			for e := arrays.RowStart[k]; e < arrays.RowStart[k+1]; e++ {
				next[arrays.Columns[e]] += weight * x * arrays.Probabilities[e]
			}
		}
		for _, i := range s.Ends {
			next[i] = 0
		}
		now, next = next, now
	}
	return sum
}

// weight returns the discount factor of a step; 1 for criteria without one.
func (s *solution) weight() float64 {
	if c, is := s.EngineCriterion().(mdp.Discounted); is {
		return c.Discount
	}
	return 1
}
