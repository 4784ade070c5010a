package mdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/tradeoff"
	"github.com/mdpsolve/mdpsolve/mdp/internal/discounted"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/elimination"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// How SolveConstrained evaluates policies, and makes one stationary policy of a mixture.

// evaluationTolerance is that of the values of a policy, in parts of the tolerance of an answer.
const evaluationTolerance = 1e-3

// evaluate solves the chain of a policy for all costs.
func (c *constrained) evaluate(ctx context.Context, e *evaluated) error {
	chain, costs, off := c.chain(e)
	for i := range costs {
		if math.IsInf(off[i], 1) {
			return ErrPrecisionLimit
		}
		table := approximateTable{&Table{rows: chain.WithCosts(costs[i]), rate: c.table.rate}, off[i]}
		result, err := Solve(ctx, table, c.criterion, Settings{Tolerance: max(c.settings.Tolerance*evaluationTolerance, 1e-14), Workers: c.settings.Workers})
		if err != nil && !errors.Is(err, ErrPrecisionLimit) {
			return err
		}
		if !rounding.IsFinite(result.Optimum(c.state)) {
			return fmt.Errorf("%w: a policy has an infinite value", ErrUnsupported)
		}
		e.results = append(e.results, result)
	}
	return nil
}

// chain returns the chain of a policy, and by cost its costs and the relative error of all.
func (c *constrained) chain(e *evaluated) (chain *rows.Rows, costs [][]float64, off []float64) {
	n := len(e.policy)
	chain, costs, off = rows.New(n, n, 0), make([][]float64, len(c.costs)), slices.Repeat([]float64{c.off}, len(c.costs))
	for i := range costs {
		costs[i] = make([]float64, n)
	}
	chances := e.chances
	for s := range n {
		shares := []Chance{{Action: e.policy[s], Probability: 1}}
		for ; len(chances) > 0 && int(chances[0].State) == s; chances = chances[1:] {
			shares = append(shares, chances[0])
			shares[0].Probability -= chances[0].Probability
		}
		mixes := len(shares) > 1
		sizes := make([]float64, len(costs))
		for _, share := range shares {
			k := c.table.rows.StateStart[s] + share.Action
			for at := c.table.rows.RowStart[k]; at < c.table.rows.RowStart[k+1]; at++ {
				chain.Add(c.table.rows.Columns[at], share.Probability*c.table.rows.Probabilities[at])
			}
			for i := range costs {
				costs[i][s] += share.Probability * c.costs[i][k]
				sizes[i] += math.Abs(share.Probability * c.costs[i][k])
			}
		}
		chain.Merge()
		chain.EndChoice(0)
		chain.EndState()
		for i, size := range sizes {
			if mixes && size > 0 {
				off[i] = max(off[i], (c.off+8*float64(len(shares))*rounding.Unit)*size/math.Abs(costs[i][s]))
			} else if mixes {
				off[i] = max(off[i], c.off+8*float64(len(shares))*rounding.Unit)
			}
		}
	}
	return chain, costs, off
}

// settle sets the mixture of an answer, and what follows from it. If it is proved to be within
// the limits only up to rounding, a mixture that aims at a little less takes its place, if there
// is one that is no worse.
func (c *constrained) settle(ctx context.Context, found *Constrained, answer *tradeoff.Answer[*evaluated], end error) {
	for try, limits := 0, slices.Clone(c.bounds); try < 4 && (try == 0 || answer.Within(limits)); try++ {
		next, isWithin := *found, true
		next.Mixture = c.mixture(ctx, answer)
		c.conclude(&next, c.lower, end)
		for i, bound := range c.bounds {
			excess := new(big.Rat).SetFloat64(next.Limits[i] * c.signs[i+1])
			if excess != nil && excess.Sub(excess, bound).Sign() > 0 {
				isWithin = false
				limits[i] = new(big.Rat).Sub(limits[i], excess.Mul(excess, big.NewRat(2, 1)))
			}
		}
		if try == 0 || isWithin && (next.Status == Converged || found.Status != Converged) {
			*found = next
		}
		if isWithin {
			return
		}
	}
}

// mixture returns an answer as one stationary policy or, if that is not as good, as it is.
func (c *constrained) mixture(ctx context.Context, answer *tradeoff.Answer[*evaluated]) []Component {
	var found []Component
	for j, w := range answer.Weights {
		if weight, _ := w.Float64(); weight > 0 {
			found = append(found, Component{Weight: weight, Policy: answer.Points[j].Policy.policy, Results: answer.Points[j].Policy.results})
		}
	}
	if len(found) == 1 {
		return found
	}
	mixed := &evaluated{policy: slices.Clone(c.last.Policy)}
	shares := make([][]Chance, len(mixed.policy)) // by state: the visits with each action
	for j, w := range answer.Weights {
		weight, _ := w.Float64()
		if weight == 0 {
			continue
		}
		policy := answer.Points[j].Policy
		if policy.count(ctx, c) != nil {
			return found
		}
		for s, action := range policy.policy {
			at := slices.IndexFunc(shares[s], func(x Chance) bool { return x.Action == action })
			if at < 0 {
				at, shares[s] = len(shares[s]), append(shares[s], Chance{State: int32(s), Action: action})
			}
			shares[s][at].Probability += weight * policy.visits[s]
		}
	}
	for s, actions := range shares {
		slices.SortStableFunc(actions, func(a, b Chance) int { return cmp.Compare(b.Probability, a.Probability) })
		total := 0.0
		for _, x := range actions {
			total += x.Probability
		}
		if total == 0 {
			continue
		}
		mixed.policy[s] = actions[0].Action
		for _, x := range actions[1:] {
			if x.Probability /= total; x.Probability > 0 {
				mixed.chances = append(mixed.chances, x)
			}
		}
	}
	if c.evaluate(ctx, mixed) != nil {
		return found
	}
	for i, value := range mixed.values(c.state) {
		size := 0.0
		for _, x := range found {
			size = max(size, math.Abs(x.Results[i].Optimum(c.state)), x.Results[i].Scale(c.state))
		}
		lower, upper := mixed.results[i].Bounds(c.state)
		if !(max(math.Abs(value-answer.Value(i)), upper-lower) <= c.settings.Tolerance*size/16) {
			return found
		}
	}
	return []Component{{1, mixed.policy, mixed.chances, mixed.results}}
}

// count counts the visits to each state: in the long run, discounted, or until the target.
func (e *evaluated) count(ctx context.Context, c *constrained) error {
	if e.visits != nil {
		return nil
	}
	all, _, _ := c.chain(e)
	n, from := len(e.policy), int32(c.state)
	policy := make([]int32, n, n+1)
	if d, ok := c.criterion.(Discounted); ok {
		if all, ok = discounted.Ending(all, d.factor()); !ok {
			return ErrPrecisionLimit
		}
		policy = append(policy, 0)
	}
	chain := evaluate.NewChain(all, policy)
	plan, err := elimination.NewPlan(ctx, chain.Undirected(), evaluate.Operations)
	if err != nil || !evaluate.IsAffordable(plan.Forecast, evaluate.Operations) {
		return cmp.Or(err, ErrTooLarge)
	}
	exit := make([]float64, len(policy))
	switch x := c.criterion.(type) {
	case Discounted:
		exit[n] = 1
	case TotalCost:
		ends := make([]bool, n)
		for _, s := range x.Target {
			ends[s] = true
		}
		_, met := chain.Reached([]int32{from}, ends)
		for s := range exit {
			if ends[s] || !met[s] {
				exit[s] = math.Inf(1)
			}
		}
	default:
		system, err := evaluate.NewSystem(ctx, chain, evaluate.NoRoot)
		if err == nil {
			e.visits = system.Visits(from)
		}
		return err
	}
	totals := evaluate.NewTotals(nil, len(policy), math.Inf(1))
	if err := totals.Prepare(ctx, evaluate.Absorbing{Chain: &chain.Chain, Exit: exit}); err != nil {
		return err
	}
	start := make([]float64, len(policy))
	start[from] = 1
	e.visits = totals.SolveTransposed(start)[:n]
	for s := range e.visits {
		if math.IsInf(exit[s], 1) {
			e.visits[s] = 0
		}
	}
	return nil
}
