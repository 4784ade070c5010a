package mdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/tradeoff"
	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/elimination"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// How SolveConstrained finds and evaluates policies, and makes one of a mixture.

// evaluationTolerance is the tolerance of the values of a policy, as a share of the answer's tolerance.
const evaluationTolerance = 1e-3

// judged is a policy with the results of its chain, by cost.
type judged struct {
	policy  Policy // deterministic, unless it goes round a cycle
	results []*Result
}

// endlessError says that a cycle of a result lowers the weighted sum of the costs without bound.
type endlessError struct{ result *Result }

func (*endlessError) Error() string {
	return fmt.Sprintf("mdp: %v: a cycle lowers the weighted sum of the costs without bound: use a discount", ErrUnsupported)
}

func (*endlessError) Unwrap() error { return ErrUnsupported }

// lastEvaluation is the time to evaluate the policy that a solve has when it ends early.
const lastEvaluation = 200 * time.Millisecond

// solve finds the best policy for a weighted sum of the costs, and a lower bound on that sum. If it
// ends early, the point beside the error is the best policy so far, with upper bounds on its
// values; it has no values if no bounds are known.
func (c *constrained) solve(ctx context.Context, weights []float64) (tradeoff.Point[*judged], float64, error) {
	var none tradeoff.Point[*judged]
	if err := context.Cause(ctx); err != nil {
		return none, math.Inf(-1), err
	}
	settings := c.settings
	settings.TimeLimit, settings.Tolerance = 0, max(settings.Tolerance/64, 1e-14)
	if c.last != nil {
		settings = settings.startingFrom(c.last)
	}
	result, err := Solve(ctx, c.with(c.summed(weights)), c.criterion, settings)
	if result == nil {
		return none, math.Inf(-1), err
	}
	c.best.Solves, c.best.Iterations = c.best.Solves+1, c.best.Iterations+result.Iterations
	lower, upper := result.Bounds(c.state)
	switch {
	case math.IsInf(lower, 1):
		return none, lower, fmt.Errorf("mdp: %w: no policy reaches the target from state %d with probability 1", ErrUnsupported, c.state)
	case math.IsInf(upper, -1):
		return none, lower, &endlessError{result}
	}
	c.last = result
	if bound := tradeoff.Excess(lower, weights[1:], c.limits); weights[0] == 1 && bound > c.best.Lower {
		c.best.Lower, c.best.proof, c.best.Multipliers = bound, Proof{Lower: result.proof.Lower}, slices.Clone(weights[1:])
	}
	end := err
	if errors.Is(err, ErrPrecisionLimit) {
		end = nil
	}
	evaluation, limit := ctx, time.Duration(0)
	if end != nil {
		evaluation, limit = context.WithoutCancel(ctx), lastEvaluation/time.Duration(len(c.costs))
	}
	point, err := c.point(evaluation, Policy{Actions: result.Policy}, limit, end != nil)
	if err != nil {
		return none, lower, cmp.Or(end, err)
	}
	return point, lower, end
}

// point evaluates a policy within a time; 0 is no limit. If the policy is the last of the search,
// its values are upper bounds, otherwise estimates.
func (c *constrained) point(ctx context.Context, policy Policy, limit time.Duration, isLast bool) (point tradeoff.Point[*judged], err error) {
	results, err := c.evaluate(ctx, policy, limit)
	if err != nil {
		return point, err
	}
	point.Policy = &judged{policy, results}
	for i, r := range results {
		value := c.signs[i] * r.Optimum(c.state)
		if lower, upper := r.Bounds(c.state); isLast {
			value = max(c.signs[i]*lower, c.signs[i]*upper)
		}
		if !rounding.IsFinite(value) {
			return point, fmt.Errorf("%w: a policy has an infinite value", ErrUnsupported)
		}
		point.Values = append(point.Values, value)
	}
	return point, nil
}

// Where a cycle lowers the weighted sum without bound, a limit may still rule out going round it for
// ever. The search represents such a cycle by a policy that goes round it very often and then leaves.
// No limit rules out a cycle whose limited values are all below negligible times its largest value.
const (
	leaving    = 0x1p-44 // the probability of leaving in each step
	mostRaises = 20
	raise      = 0x1p-6 // by which multipliers rise, as a share of the tolerance
	negligible = 1e-9
)

// around is solve where going round a cycle may lower costs without bound. While the weighted sum is clearly
// negative on the cycle, around returns the policy of the cycle, so that the linear program raises the
// multipliers. If that sum is 0 up to rounding, around raises them itself until the weighted sum of
// the model has a bound.
func (c *constrained) around(ctx context.Context, weights []float64) (point tradeoff.Point[*judged], lower float64, err error) {
	for range mostRaises {
		point, lower, err = c.solve(ctx, weights)
		if cycle, ok := errors.AsType[*endlessError](err); ok {
			if c.cycle, err = c.often(ctx, cycle.result, weights); err != nil {
				return point, lower, cycle
			}
			err = cycle
		} else if err != nil || !math.IsInf(lower, -1) {
			return point, lower, err
		}
		near, isKnown := c.cycle, c.cycle.Policy != nil
		if !isKnown { // rounding cannot decide whether some cycle costs nothing
			near = point
		}
		size, sum, largest := 0.0, 0.0, 0.0
		for i, w := range weights {
			x := near.Values[i]
			size, sum, largest = size+math.Abs(w*x), sum+w*x, max(largest, math.Abs(x))
		}
		switch {
		case isKnown && !(slices.Max(near.Values[1:]) > negligible*largest):
			return point, lower, err
		case isKnown && sum < -c.settings.Tolerance/16*size:
			return near, math.Inf(-1), nil
		}
		for i, limit := range c.limits {
			bound, _ := limit.Float64()
			if most := max(math.Abs(bound), math.Abs(near.Values[i+1])); most > 0 && (!isKnown || near.Values[i+1] > 0) {
				weights[i+1] += raise * c.settings.Tolerance * size / most
			}
		}
	}
	return point, lower, err
}

// often evaluates a policy that comes to the cycles of a result, for some weights, and goes round
// them often before it goes on to the target.
func (c *constrained) often(ctx context.Context, result *Result, weights []float64) (point tradeoff.Point[*judged], err error) {
	all := c.table.rows
	if result.proof.Cycle == nil {
		return point, ErrUnsupported
	}
	found, err := LongRun(ctx, c.with(c.summed(weights)), Policy{Actions: result.proof.Cycle.Policy})
	if err != nil {
		return point, err
	}
	turns := make([]bool, c.table.NumStates())
	for _, class := range found.Classes {
		for _, s := range class.States {
			turns[s] = class.Gain < 0 && !slices.ContainsFunc(class.States, func(s int) bool { return c.target[s] })
		}
	}
	allowed := slices.Repeat([]bool{true}, all.NumChoices())
	sure, ends := endcomponents.NewPredecessors(all).SurelyReaching(c.target, allowed)
	p := c.weights(Policy{Actions: ends})
	for s := range sure {
		first, end := all.Choices(s)
		switch {
		case !sure[s] || c.target[s]:
		case turns[s]:
			p[first+ends[s]] = leaving
			p[first+result.proof.Cycle.Policy[s]] += 1 - leaving
		default: // any choice from which the target is still sure to be reached
			for k := first; k < end; k++ {
				if allowed[k] {
					p[k] = 1
				}
			}
		}
	}
	policy, err := RandomizedPolicy(c.table, p)
	if err != nil {
		return point, err
	}
	return c.point(ctx, policy, 0, false)
}

// with returns the model with other costs.
func (c *constrained) with(costs []float64) approximateTable {
	return approximateTable{&Table{rows: c.table.rows.WithCosts(costs), rate: c.table.rate, ends: c.table.ends}, c.off}
}

// summed returns, by choice, the sum of the costs with weights and signs. It rounds down, so that a
// lower bound for the sums is one for the exact sums, too.
func (c *constrained) summed(weights []float64) []float64 {
	sums := make([]float64, c.table.NumChoices())
	for k := range sums {
		var sum doubledouble.Sum
		// The sum of at most two products is exact in double-double if each product is exact in float64.
		terms, isExact := 0, true
		for i, w := range weights {
			if x := c.signs[i] * c.costs[i][k]; w != 0 && x != 0 {
				sum.AddProduct(doubledouble.FromFloat(w), doubledouble.FromFloat(x), math.Abs(x))
				terms++
				isExact = isExact && terms <= 2 && math.FMA(w, x, -w*x) == 0
			}
		}
		off := 0.0
		if terms > 1 {
			off = c.off * sum.Size * (1 + 0x1p-40)
		}
		if !isExact {
			off += sum.Error(terms)
		}
		sums[k] = sum.AddFloat(-off).RoundDown() + 0
	}
	return sums
}

// weights returns the probabilities of the choices under a policy, rounded.
func (c *constrained) weights(policy Policy) []float64 {
	w := make([]float64, c.table.NumChoices())
	for s, first := range c.table.rows.StateStart[:c.table.NumStates()] {
		actions, shares := policy.At(s)
		for i, a := range actions {
			if w[first+a] = 1; shares != nil {
				w[first+a], _ = shares[i].Float64()
			}
		}
	}
	return w
}

// evaluate solves the chain of a policy for all costs, or bounds their values within a time for
// each; 0 is no limit.
func (c *constrained) evaluate(ctx context.Context, policy Policy, limit time.Duration) (results []*Result, err error) {
	settings := Settings{Tolerance: max(c.settings.Tolerance*evaluationTolerance, 1e-14), Workers: c.settings.Workers, TimeLimit: limit}
	for _, costs := range c.costs {
		chain, err := policy.under(c.with(costs), c.target)
		if err != nil {
			return nil, err
		}
		result, err := bounded(ctx, chain, c.criterion, settings)
		if err != nil && (limit == 0 || !errors.Is(err, ErrTimeLimit)) {
			return nil, err
		}
		if !rounding.IsFinite(result.Optimum(c.state)) {
			return nil, fmt.Errorf("%w: a policy has an infinite value", ErrUnsupported)
		}
		results = append(results, result)
	}
	return results, nil
}

// stationary returns the stationary policy that, per visit to a state, takes each choice as often as
// the policies of a mixture do on average.
func (c *constrained) stationary(ctx context.Context, answer *tradeoff.Answer[*judged]) ([]MixturePolicy, error) {
	m := c.table.NumChoices()
	chosen := [2][]float64{make([]float64, m), make([]float64, m)} // in the long run, and on the way there
	for j, weight := range answer.Weights {
		if weight == 0 {
			continue
		}
		policy := answer.Points[j].Policy.policy
		visits, err := c.visits(ctx, policy)
		if err != nil {
			return nil, err
		}
		probabilities := c.weights(policy)
		for s := range visits[0] {
			first, end := c.table.rows.Choices(s)
			for k := first; k < end; k++ {
				for i := range chosen {
					chosen[i][k] += weight * probabilities[k] * visits[i][s]
				}
			}
		}
	}
	mixed := c.weights(Policy{Actions: c.last.Policy})
	for s := range c.table.NumStates() {
		first, end := c.table.rows.Choices(s)
		for _, x := range chosen {
			if !c.target[s] && slices.Max(x[first:end]) > 0 {
				copy(mixed[first:end], x[first:end])
				break
			}
		}
	}
	policy, err := RandomizedPolicy(c.table, mixed)
	if err != nil {
		return nil, err
	}
	results, err := c.evaluate(ctx, policy, 0)
	return []MixturePolicy{{1, c.weights(policy), results}}, err
}

// visits returns how often a policy visits each state: the long-run shares of time, and the expected
// visits on the way, which are discounted or end in the target.
func (c *constrained) visits(ctx context.Context, policy Policy) (visits [2][]float64, err error) {
	under, err := policy.under(c.with(c.costs[0]), c.target)
	if err != nil {
		return visits, err
	}
	all := under.rows
	if factor, _ := c.criterion.stepFactor(); factor != nil {
		n := all.NumStates()
		ending := rows.New(n+1, n+1, len(all.Columns)+n+1) // with one more state, where discounting ends steps
		for s := range int32(n) {
			for e := all.RowStart[s]; e < all.RowStart[s+1]; e++ {
				switch q := factor.Factor * all.Probabilities[e]; {
				case q >= 0x1p-1022:
					ending.Add(all.Columns[e], q)
				case factor.Factor > 0: // it loses digits
					return visits, ErrPrecisionLimit
				}
			}
			ending.Add(int32(n), factor.Complement.Hi)
			ending.EndChoice(all.Costs[s])
			ending.EndState()
		}
		ending.Add(int32(n), 1)
		ending.EndChoice(0)
		ending.EndState()
		all = ending
	}
	chain := evaluate.NewChain(all, make([]int32, all.NumStates()))
	plan, err := elimination.NewPlan(ctx, chain.Undirected(), evaluate.Operations)
	if err != nil {
		return visits, err
	}
	if !evaluate.IsAffordable(ctx, plan.Forecast, evaluate.Operations) {
		return visits, ErrTooLarge
	}
	system, err := evaluate.NewSystem(ctx, chain, evaluate.NoRoot)
	if err != nil {
		return visits, err
	}
	visits[0], visits[1] = system.Visits(int32(c.state))
	n := c.table.NumStates()
	return [2][]float64{visits[0][:n], visits[1][:n]}, nil
}
