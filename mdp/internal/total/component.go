package total

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// One strongly connected component of a problem.

// component is a strongly connected component of a problem, on which policy
// iteration works as for the long-run average. It has one more state, the end, to which
// all transitions out of the component lead. The end is the only closed class of every
// policy considered, and costs nothing, so the gain is 0 and the relative values
// are the costs until the end.
//
// From a policy that reaches the end with probability 1, strict improvements lead to
// others that do, unless there is a cycle of negative cost. Let h be the values of
// the policy, and suppose that the improved one has another closed class. If an action in
// it was changed, the mean of c + P·h − h over it, which is its gain, is negative; if none
// was, the policy had this class before.
type component struct {
	problem *Problem
	states  []int32
	start   []int32    // the first choice of each state, and the one after the last
	choice  []int32    // the choice of the problem, by choice of the component
	links   *rows.Rows // rows between the states, and to the end; nil before [component.list]
	leaving *rows.Rows // what makes up the transitions to the end, by choice
	natural []int32    // the states in the order in which the rows of the problem lie in memory; nil for that of states
	policy  []int32    // by state
	sweeper *sweep.Sweeper
	totals  *evaluate.Totals
	chain   *evaluate.Chain // of policy; nil before the first evaluation
	ready   bool            // totals are prepared for policy
	values  vector.Vector   // of policy
}

// solveComponent settles the states of a component.
func (p *Problem) solveComponent(ctx context.Context, states []int32) error {
	defer p.forget(states)
	c := p.newComponent(states)
	if c == nil {
		p.settleUnbounded(states)
		return nil
	}
	withEnd := &rows.Rows{StateStart: append(c.start, int32(len(c.choice)))}
	c.sweeper = sweep.New(withEnd, p.Run.Workers) // only its blocks and its team serve
	defer c.sweeper.Close()
	operations := float64(evaluate.Operations)
	if p.Eliminate {
		operations = math.Inf(1)
	}
	c.totals = evaluate.NewTotals(c.sweeper.Team, len(states)+1, operations)
	err := c.solve(ctx)
	var cycle *negativeCycleError
	switch {
	case errors.As(err, &cycle):
		c.noteCycle(cycle)
		p.settleUnbounded(states)
		return nil
	case errors.Is(err, limit.ErrPrecisionLimit):
		p.Run.Note(limit.ErrPrecisionLimit)
		err = nil
	case p.Run.HasEnded():
		err = nil
	}
	for i, s := range states {
		p.Policy[s] = c.choice[c.start[i]+c.policy[i]] - p.Rows.StateStart[s]
		p.Settled[s] = true
	}
	return err
}

// newComponent lists the choices of a component, and marks the places of its states. It returns nil, and
// notes a cycle, if a choice stays in its state for ever at a negative cost.
func (p *Problem) newComponent(states []int32) *component {
	choices := 0
	for i, s := range states {
		p.place[s] = int32(i) + 1
		choices += p.Rows.NumActions(int(s))
	}
	c := &component{problem: p, states: states, start: make([]int32, 1, len(states)+2), choice: make([]int32, 0, choices), policy: make([]int32, len(states)+1)}
	c.sort()
	for i, s := range states {
		for k := p.Rows.StateStart[s]; k < p.Rows.StateStart[s+1]; k++ {
			if !p.Allowed[k] {
				continue
			}
			if next := p.Rows.Next(k); p.ends == 0 && next[0] == s && !slices.ContainsFunc(next, func(j int32) bool { return j != s }) { // it stays
				if p.Rows.Costs[k] < 0 {
					p.noteCycle([]int32{s}, []int32{k}, []float64{0})
					return nil
				}
				continue
			}
			if p.Policy[s] == k-p.Rows.StateStart[s] {
				c.policy[i] = int32(len(c.choice)) - c.start[i]
			}
			c.choice = append(c.choice, k)
		}
		c.start = append(c.start, int32(len(c.choice)))
	}
	return c
}

// list lists the rows of a component.
func (c *component) list() {
	if c.links != nil {
		return
	}
	end, all, transitions := int32(len(c.states)), c.problem.Rows, 1
	for _, k := range c.choice {
		transitions += len(all.Next(k)) + 1
	}
	c.links, c.leaving = rows.New(len(c.states)+1, len(c.choice)+1, transitions), rows.New(0, len(c.choice), len(c.choice))
	for i, s := range c.states {
		for _, k := range c.choice[c.start[i]:c.start[i+1]] {
			exit := doubledouble.Number{}
			for e := all.RowStart[k]; e < all.RowStart[k+1]; e++ {
				j, q := all.Columns[e], c.problem.goesOn*all.Probabilities[e]
				switch place := c.problem.place[j]; {
				case j == s:
				case place > 0:
					c.links.Add(place-1, q)
				default:
					exit = exit.AddFloat(q)
					c.leaving.Add(j, q)
				}
			}
			if exit = exit.AddFloat(c.problem.ends); exit.Hi > 0 {
				c.links.Add(end, exit.Float())
			}
			c.links.EndChoice(0)
			c.leaving.EndChoice(0)
		}
		c.links.EndState()
	}
	c.links.Add(end, 1)
	c.links.EndChoice(0)
	c.links.EndState()
}

// sort finds the natural order of states, unless they are in it or scattered.
func (c *component) sort() {
	least, most := slices.Min(c.states), slices.Max(c.states)
	if isDense := int(most-least) < 8*len(c.states); isDense && !slices.IsSorted(c.states) {
		c.natural = make([]int32, 0, len(c.states))
		for _, place := range c.problem.place[least : most+1] {
			if place > 0 {
				c.natural = append(c.natural, place-1)
			}
		}
	}
}

// forget clears the places of states.
func (p *Problem) forget(states []int32) {
	for _, s := range states {
		p.place[s] = 0
	}
}

// negativeCycleError says that a policy has a cycle of negative cost.
type negativeCycleError struct {
	gain   float64
	states []int32   // of the component
	policy []int32   // of links, by state
	values []float64 // relative values, by state
}

func (e *negativeCycleError) Error() string {
	return fmt.Sprintf("mdp: a cycle has mean cost %v", e.gain)
}

// solve finds the values for the lower bound by policy iteration, and those for
// the upper bound by evaluating the policy once more.
func (c *component) solve(ctx context.Context) error {
	lower, upper := c.problem.lower(), c.problem.upper()
	isGiven := c.problem.Given != nil
	if c.problem.Sweeps && !isGiven && len(c.states) >= exactStates {
		if isProved, err := c.sweep(ctx, lower, upper); isProved || err != nil {
			return err
		}
	}
	c.list()
	costs := c.costsToward(lower)
	if isGiven {
		c.follow(costs, c.problem.Given)
	}
	err := c.iterate(ctx, costs, isGiven)
	var cycle *negativeCycleError
	if c.chain == nil || errors.As(err, &cycle) {
		c.problem.abandon(c.states)
		return err
	}
	if err == nil {
		err = c.prove(lower, func(margins []float64) error {
			err := c.iterate(ctx, moved(costs, margins, lower.direction), false)
			if errors.As(err, &cycle) {
				return limit.ErrPrecisionLimit // the margins alone make the cycle negative
			}
			return err
		})
	}
	if err != nil && (!isGiven || !c.multiply(lower, costs, c.problem.Given)) {
		c.fill(lower, c.problem.abandoned)
	}
	if !c.ready { // preparing the next policy failed or was interrupted: keep the values of this one
		ctx = context.WithoutCancel(ctx)
	} else if errors.Is(context.Cause(ctx), limit.ErrTimeLimit) {
		c.ready = false // the preparation ends with ctx; there is time for one evaluation, for the upper bound
		ctx = context.WithoutCancel(ctx)
	}
	if !c.ready {
		if again := c.prepare(ctx, c.chain, c.policy); again != nil {
			c.problem.abandon(c.states)
			return errors.Join(err, again)
		}
	}
	costs = c.costsToward(upper)
	above := c.prove(upper, func(margins []float64) error {
		return c.evaluatePolicy(ctx, moved(costs, margins, upper.direction))
	})
	if above != nil {
		c.fill(upper, math.Inf(1))
	}
	return errors.Join(err, above)
}

// follow takes the actions that are best for values, if they lead to the end.
func (c *component) follow(costs, values []float64) {
	all := c.links.WithCosts(costs)
	v := vector.Of(append(vector.Gather(values, c.states), 0))
	greedy := bound.Explicit(bound.Lister{Lister: all}, c.sweeper, v, c.policy, make([]int32, len(c.policy)))
	if len(evaluate.NewChain(all, greedy.Policy).Closed()) == 1 {
		c.policy = greedy.Policy
	}
}

// evaluatePolicy evaluates the policy, whose chain is prepared, for costs.
func (c *component) evaluatePolicy(ctx context.Context, costs []float64) error {
	return c.evaluate(ctx, evaluate.NewChain(c.links.WithCosts(costs), c.policy), evaluate.Roundoff)
}

// costsToward returns the cost of each choice of links: its own, plus the expected value
// of the settled states that it may lead to, rounded in the direction of the side.
func (c *component) costsToward(of side) []float64 {
	costs := make([]float64, len(c.choice)+1)
	for i, k := range c.choice {
		sum := doubledouble.FromFloat(of.costs[k])
		for e := c.leaving.RowStart[i]; e < c.leaving.RowStart[i+1]; e++ {
			sum = sum.Add(of.values.At(int(c.leaving.Columns[e])).MulFloat(c.leaving.Probabilities[e]))
		}
		if of.direction < 0 {
			costs[i] = sum.RoundDown()
		} else {
			costs[i] = sum.RoundUp()
		}
	}
	return costs
}

// iterate is policy iteration from the current policy. While policies change, values
// are refined only as far as needed to improve them; in the end, as far as possible. A fixed
// policy is not changed: the error is [limit.ErrPrecisionLimit] if another one is better.
func (c *component) iterate(ctx context.Context, costs []float64, isFixed bool) error {
	it := &improvement{component: c, rows: c.links.WithCosts(costs), policy: slices.Clone(c.policy), seen: evaluate.Seen{}, isFixed: isFixed, precise: isFixed}
	end, err := c.problem.Run.Drive(ctx, it)
	if end != nil {
		c.problem.Run.Note(end)
		return end
	}
	return err
}

// improvement is policy iteration in progress.
type improvement struct {
	component *component
	rows      *rows.Rows
	policy    []int32 // the next
	precise   bool    // refines values as far as possible
	seen      evaluate.Seen
	isFixed   bool
	done      bool
}

// Iterate evaluates the next policy and improves it.
func (it *improvement) Iterate(ctx context.Context) (lower, upper float64, err error) {
	c := it.component
	chain := evaluate.NewChain(it.rows, it.policy)
	if err := c.prepare(ctx, chain, it.policy); err != nil {
		return 0, 0, err
	}
	enough := evaluate.Roundoff
	if c.totals.IsIterative() && !it.precise {
		enough = coarseResolution
	}
	if err := c.evaluate(ctx, chain, enough); err != nil {
		return 0, 0, err
	}
	copy(c.policy, it.policy)
	again := it.seen.Add(it.policy)
	greedy := bound.Explicit(bound.Lister{Lister: it.rows}, c.sweeper, c.values, c.policy, it.policy)
	if greedy.Changed && it.isFixed {
		return 0, 0, limit.ErrPrecisionLimit
	}
	if !greedy.Changed || again {
		it.done = enough == evaluate.Roundoff
		copy(it.policy, c.policy)
		clear(it.seen)
		it.precise = true
	}
	return c.problem.Lower.High[0], math.Inf(1), nil
}

// IsFinished reports whether no policy is better by more than rounding.
func (it *improvement) IsFinished() bool { return it.done }

// prepare prepares a chain for evaluation. If the chain may never reach the end the error
// is a negativeCycleError, or [limit.ErrPrecisionLimit].
func (c *component) prepare(ctx context.Context, chain *evaluate.Chain, policy []int32) error {
	if len(chain.Closed()) > 1 {
		return c.cycle(ctx, chain, policy)
	}
	err := c.totals.Prepare(ctx, chain.Ending())
	c.ready = err == nil
	return err
}

// evaluate evaluates a chain that is prepared.
func (c *component) evaluate(ctx context.Context, chain *evaluate.Chain, enough float64) error {
	start := c.values
	if c.chain == nil || !c.totals.IsIterative() {
		start = vector.New(len(c.states) + 1)
	}
	v, err := evaluate.RefineTotals(ctx, c.totals, c.sweeper.Team, chain, start, enough)
	if err != nil {
		return err
	}
	c.chain, c.values = chain, v
	return nil
}

// cycle returns the error for a policy with a closed class other than the end: its mean
// cost is negative, or too close to 0 to tell.
func (c *component) cycle(ctx context.Context, chain *evaluate.Chain, policy []int32) error {
	system, gain, bias, err := evaluate.LongRun(ctx, chain)
	if err != nil {
		return err
	}
	for _, class := range system.Classes {
		terms := 0.0
		for i, share := range system.Stationary(class) {
			terms += math.Abs(chain.Costs[class.States[i]]) * share
		}
		if gain := gain[class.Root]; gain < -(cycleRounding+c.problem.RelativeError)*terms {
			return &negativeCycleError{gain: gain, policy: policy, values: bias, states: class.States}
		}
	}
	return fmt.Errorf("mdp: a cycle has a mean cost too close to 0 for float64: %w", limit.ErrPrecisionLimit)
}

// noteCycle adds a cycle of the component to that of the problem.
func (c *component) noteCycle(cycle *negativeCycleError) {
	var states, choices []int32
	for _, i := range cycle.states {
		states = append(states, c.states[i])
		choices = append(choices, c.choice[c.start[i]+cycle.policy[i]])
	}
	c.problem.noteCycle(states, choices, vector.Gather(cycle.values, cycle.states))
}

// coarseResolution is the residual to which values are refined while policies change, if
// evaluation is iterative and more digits take more time.
const coarseResolution = 1e-8

// cycleRounding bounds the relative error of the mean of costs of one sign over
// a closed class, for any number of states that fit in memory.
const cycleRounding = 1e-9
