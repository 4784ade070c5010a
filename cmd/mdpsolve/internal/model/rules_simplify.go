package model

// Fewer rules that lose little. Here are estimates; bounds on what the rules cost are proved
// afterwards.

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/mdpsolve/mdpsolve/internal/number"
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
	factor, err := s.StepFactor()
	if err != nil {
		return nil, err
	}
	weight := number.Nearest(factor)
	losses, visits := s.losses(arrays, weight), s.visits(arrays, weight, s.result.Policy)
	lose := func(state int, sums []float64) {
		first, last := arrays.StateStart[state], arrays.StateStart[state+1]
		for action := range sums {
			sums[action] += visits[state] * losses[first]
		}
		for k := first + 1; k < last; k++ {
			sums[r.of[k]] += visits[state] * (losses[k] - losses[first])
		}
	}
	best, least := tree, math.Inf(1)
	for range trials {
		simple := tree.Prune(most, r.values, r.decided, lose)
		policy, lost := r.policy(simple), 0.0
		for state, x := range s.visits(arrays, weight, policy) {
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
// factor discounts the value of the next state.
func (s *solution) losses(arrays mdp.TableArrays, factor float64) []float64 {
	const most = 1e100 // so that sums are finite
	values, losses := s.result.Values, slices.Clone(arrays.Costs)
	if s.result.Relative != nil {
		values = s.result.Relative
	}
	weight := factor * cmp.Or(arrays.Rate, 1) // of the value of the next state: costs are per unit of time
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
func (s *solution) visits(arrays mdp.TableArrays, factor float64, policy []int32) []float64 {
	const most, work = 1000, 3e8 // at most so many steps, and transitions
	sum, weight, steps := make([]float64, len(policy)), 1.0, min(most, 1+int(work/float64(len(arrays.Columns))))
	for step, now := range forward(arrays, func(int) []int32 { return policy }, s.Model.Initial, s.Ends) {
		if step == steps {
			break
		}
		floats.AddScaled(sum, weight, now)
		weight *= factor
	}
	return sum
}
