package mdp

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/krylov"
)

// inexactState is what a checkpoint keeps of an inexactIteration: its trend, and
// the phases.
type inexactState struct {
	Trend      trend
	Relative   *relativeState
	Discounted *discountedState
	Steps      *stepsState
	Exact      *policyState
}

// stepsState is what a checkpoint keeps of implicitSteps. A sweep from the policy
// before finds the policy and the residual again.
type stepsState struct {
	Values, Low []float64
	Extended    bool
	Before      []int32
	Followed    []int32 // policy of the last step
	Best        snapshot
	Progress    progress

	// Of the evaluator: whether it eliminates; else the policy for which its
	// preconditioner was made, nil for none, its last number of iterations, and
	// whether it goes by components.
	Eliminates bool
	Grid       []int32
	Count      int
	Ordered    bool
}

func (it *inexactIteration) state() any {
	s := &inexactState{Trend: it.trend}
	switch sweeps := it.sweeps.(type) {
	case *relativeIteration:
		s.Relative = sweeps.state().(*relativeState)
	case *discountedIteration:
		s.Discounted = sweeps.state().(*discountedState)
	}
	if it.steps != nil && it.steps.begun {
		s.Steps = it.steps.state()
	}
	if exact, ok := it.exact.(*policyIteration); ok {
		s.Exact = exact.state().(*policyState)
	}
	return s
}

func (it *implicitSteps) state() *stepsState {
	s := &stepsState{
		Values: it.values.high, Low: it.values.low, Extended: it.extended,
		Before: it.before, Followed: it.chain.policy, Best: it.best, Progress: it.progress,
	}
	switch e := it.evaluator.(type) {
	case *eliminated:
		s.Eliminates = true
	case *iterated:
		s.Grid, s.Count, s.Ordered = e.policy, e.count, e.ordered
	}
	return s
}

func (it *inexactIteration) restore(state any) {
	s := state.(*inexactState)
	it.trend = s.Trend
	switch sweeps := it.sweeps.(type) {
	case *relativeIteration:
		sweeps.restore(s.Relative)
	case *discountedIteration:
		sweeps.restore(s.Discounted)
	}
	if s.Steps != nil {
		it.step(s.Steps.Values)
		it.steps.restore(s.Steps)
	}
	if s.Exact != nil && it.takeOver(context.Background()) == nil && it.exact != nil {
		it.exact.(*policyIteration).restore(s.Exact)
	}
}

func (it *implicitSteps) restore(s *stepsState) {
	it.values.low, it.extended = s.Low, s.Extended
	it.policy, it.best, it.progress = s.Before, s.Best, s.Progress
	it.begun = it.sweep() == nil
	team := it.task.sweeper.team
	if s.Followed != nil {
		it.chain.follow(it.model, s.Followed, 0, it.task.sweeper)
	}
	switch {
	case s.Eliminates:
		if plan, err := it.unionPlan(context.Background(), math.Inf(1)); err == nil {
			if e, err := newElimination(plan, team); err == nil {
				it.evaluator = &eliminated{e}
			}
		}
	case s.Grid != nil:
		e := newIterated(it.task)
		e.grid = krylov.NewMultigrid(team, newChainMatrix(team, listRows(it.model, s.Grid, it.task.sweeper)))
		e.policy, e.count, e.ordered = s.Grid, s.Count, s.Ordered
		if it.chain.chain != nil { // where the policy stays the same, the matrix is not made again
			e.chain, e.matrix = it.chain.chain, newChainMatrix(team, it.chain.chain)
		}
		it.evaluator = e
	}
}
