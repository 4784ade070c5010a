package mdp

import (
	"context"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/total"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// TotalCost asks for the expected total cost, minimised over all policies or, for rewards,
// maximised: until a target is reached or, without a target, of all steps. For a [Timed] model
// costs are per unit of time, and the sum is an integral.
//
// With a target it is the stochastic shortest path problem (Bertsekas and Tsitsiklis 1991)
//
//	v(s) = E[ Σ_{t<τ} c_t ] from s,  τ the first time in the target.
//
// The total of a policy that does not reach the target with probability 1 is infinite,
// whatever its costs. Special cases are:
//
//	minimise: +Inf if no policy reaches the target with probability 1
//	minimise: −Inf if a cycle of negative cost can be repeated without limit
//	          before the target is reached
//	maximise: +Inf if some policy may not reach the target
//
// Without a target, the value of a policy is its total over all steps (Puterman 1994, chapter 7):
// staying for ever in states without costs adds nothing, and paying a constant for ever makes the
// total +Inf. For costs that are minimised, special cases are
//
//	+Inf if no policy reaches, with probability 1, states where it can stay at no cost
//	−Inf if a cycle of negative cost can be repeated without limit
//
// and likewise for rewards, with the signs changed.
//
// If a cycle has mean cost 0 but costs other than 0, rounding cannot decide whether its
// cost is negative: the lower bound of its states stays at −Inf, and the status is
// [PrecisionLimit].
//
// The model must list its rows ([Explicit]). [PolicyIteration] solves its strongly connected
// components, each after those that it leads to. Unless Settings name it, sweeps solve components
// of 64 states or more to the tolerance, with evaluations of policies where these take less time. Models of
// 64 states or more with a target are first solved without the states whose only choice leads to one other
// state, if these are many and no two costs have opposite signs: their values follow from the others.
type TotalCost struct {
	// Target holds the numbers of the states where the process ends, at no further cost.
	// It may be empty, which makes all totals infinite; nil stands for no target.
	Target []int32

	// Sense is the direction; zero minimises.
	Sense Sense
}

func (TotalCost) name() string { return "total" }

func (t TotalCost) sense() Sense { return t.Sense }

func (TotalCost) stepFactor() (*vector.Discount, bool) { return nil, true }

func (t TotalCost) minimized() Criterion {
	t.Sense = Minimize
	return t
}

func (t TotalCost) check(model Model) error {
	if _, ok := model.(Explicit); !ok {
		return fmt.Errorf("mdp: TotalCost: %w: the model does not list its rows (interface Explicit)", ErrUnsupported)
	}
	for _, s := range t.Target {
		if n := model.NumStates(); s < 0 || int(s) >= n {
			return fmt.Errorf("mdp: TotalCost.Target: state %d is not valid: use 0 … %d", s, n-1)
		}
	}
	return t.Sense.check()
}

func (t TotalCost) solve(ctx context.Context, r *run, model Model) (*Result, error) {
	all, err := rowsOf(model.(Explicit))
	if err != nil {
		return nil, err
	}
	if t.Target != nil && r.settings.Method == 0 && r.settings.Policy == nil && !r.settings.isGiven {
		target := make([]bool, all.NumStates())
		for _, s := range t.Target {
			target[s] = true
		}
		if short := total.Shorten(all, target); short != nil {
			result, isProved, err := t.shortened(ctx, r, model, short, target)
			if err != nil || isProved && (r.limits.HasEnded() || result.met(r.settings.Tolerance)) {
				return result, err
			}
			r.limits.End = nil
		}
	}
	merged := t.merge(all)
	problem, err := t.problem(ctx, r, merged, rateOf(model), relativeError(model))
	if err != nil {
		return nil, err
	}
	if start := r.settings.Policy; start != nil && merged.Rows == all {
		problem.StartFrom(start)
		problem.Sweeps = false
	}
	if r.settings.isGiven {
		problem.Given = make([]float64, merged.Rows.NumStates())
		for s, v := range r.settings.Values {
			problem.Given[merged.Number[s]] = v * rateOf(model)
		}
	}
	if err := problem.Solve(ctx); err != nil {
		return nil, err
	}
	below, above := boundsIn(problem, merged)
	result := r.pathResult(problem, below, above, rateOf(model))
	result.Policy = merged.Unfold(problem.Policy)
	staying(merged, problem.Policy, result.Policy)
	if cycle := problem.Cycle; cycle != nil {
		result.proof.Cycle = &Cycle{Policy: merged.Unfold(cycle.Policy), Value: Vector{High: vector.Gather(cycle.Value, merged.Number)}}
	}
	return result, nil
}

// shortened solves a model without its forced moves. isProved is false if the bounds may not hold for the model.
func (t TotalCost) shortened(ctx context.Context, r *run, model Model, short *total.Shortened, target []bool) (result *Result, isProved bool, err error) {
	t.Target = nil
	for i, s := range short.Kept {
		if target[s] {
			t.Target = append(t.Target, int32(i))
		}
	}
	merged := t.merge(short.Rows)
	problem, err := t.problem(ctx, r, merged, rateOf(model), relativeError(model)+short.RelativeError)
	if err != nil {
		return nil, false, err
	}
	if err := problem.Solve(ctx); err != nil {
		return nil, false, err
	}
	below, above := boundsIn(problem, merged)
	lower, isBelow := short.Expand(below, -1)
	upper, isAbove := short.Expand(above, 1)
	result = r.pathResult(problem, lower, upper, rateOf(model))
	result.Policy = make([]int32, len(target))
	vector.Scatter(result.Policy, merged.Unfold(problem.Policy), short.Kept)
	return result, isBelow && isAbove && problem.Cycle == nil, nil
}

// merge merges the end components of the choices that cost nothing. A policy that stays
// in one of them never reaches the target, but costs alone do not show that. Without a
// target, the policy may stop there.
func (t TotalCost) merge(all *rows.Rows) *endcomponents.Quotient {
	target := make([]bool, all.NumStates())
	for _, s := range t.Target {
		target[s] = true
	}
	free := make([]bool, all.NumChoices())
	if t.Sense == Minimize || t.Target == nil {
		for s := range target {
			for k := all.StateStart[s]; k < all.StateStart[s+1]; k++ {
				free[k] = !target[s] && all.Costs[k] == 0
			}
		}
	}
	ends := endcomponents.FindAllowed(all, free)
	if t.Target == nil {
		return endcomponents.NewQuotient(all, ends, make([]float64, ends.Count))
	}
	return endcomponents.NewQuotient(all, ends, nil)
}

// problem finds the states with a finite value, and settles the others.
func (t TotalCost) problem(ctx context.Context, r *run, q *endcomponents.Quotient, rate, relativeError float64) (*total.Problem, error) {
	if t.Target == nil {
		return r.endless(ctx, q, rate, relativeError)
	}
	p := r.paths(q.Rows, relativeError+q.RelativeError)
	target := make([]bool, q.Rows.NumStates())
	for _, s := range t.Target {
		target[q.Number[s]] = true
	}
	p.Sweeps = r.settings.Method == 0 // policy iteration that is asked for begins with the first policy
	copy(p.Settled, target)
	if p.IsAcyclic() {
		return p, nil
	}
	before := q.Predecessors()
	var never []bool
	value := math.Inf(1)
	if t.Sense == Maximize {
		never = before.MayAvoid(target, p.Policy)
		value = math.Inf(-1) // of costs, which are negative rewards
	} else {
		never, p.Policy = before.SurelyReaching(target, p.Allowed)
		for s := range never {
			never[s] = !never[s]
		}
	}
	for s := range target {
		p.Settled[s] = target[s] || never[s]
		if never[s] {
			p.Lower.High[s], p.Upper.High[s] = value, value
		}
	}
	return p, nil
}

// paths returns a stochastic shortest path problem of a run.
func (r *run) paths(all *rows.Rows, relativeError float64) *total.Problem {
	p := total.New(r.limits, all, relativeError)
	if p.Eliminate = r.settings.Method == PolicyIteration; !p.Eliminate {
		p.Tolerance = r.settings.Tolerance
	}
	return p
}

// boundsIn returns the bounds of a solved quotient for the states of its model.
func boundsIn(p *total.Problem, q *endcomponents.Quotient) (below, above vector.Vector) {
	if q.Rows == q.Of {
		return p.Lower, p.Upper
	}
	in := func(v vector.Vector) vector.Vector {
		return vector.Vector{High: vector.Gather(v.High, q.Number), Low: vector.Gather(v.Low, q.Number)}
	}
	return in(p.Lower), in(p.Upper)
}

// pathResult returns the result of a solved problem, given its bounds. rate is the number of steps per unit of time.
func (r *run) pathResult(p *total.Problem, below, above vector.Vector, rate float64) *Result {
	result := &Result{Value: make([]float64, len(below.High)), Method: PolicyIteration.String()}
	switch {
	case r.settings.Method != 0:
	case p.IsSwept:
		result.Reason = "it solves one strongly connected component after another, some by sweeps from the target"
	default:
		result.Reason = "it solves one strongly connected component after another exactly"
	}
	result.setBounds(boundsOf(below, above, rate))
	result.proof = Proof{Lower: Witness{Value: vectorOf(below)}, Upper: Witness{Value: vectorOf(above)}}
	for s := range result.Value {
		result.Value[s] = rounding.Between(p.Estimate(below.At(s), above.At(s))/rate, result.lower[s], result.upper[s])
	}
	return result
}
