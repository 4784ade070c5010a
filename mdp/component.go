package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// component is a strongly connected component of paths, on which policy
// iteration works as for the long-run average: its states, and one more in
// which whatever leaves them ends. That state is the only closed class of every
// policy considered, and of no cost, so the gain is 0 and the relative values
// are the costs of getting there.
//
// From a policy that gets there for sure, strict improvements lead to others
// that do, unless there is a cycle of negative cost. For if h are the values of
// the policy and the improved one had another closed class, the mean of
// c + P·h − h over it, which is its gain, would be negative where one of its
// actions was changed; and where none was, it was there before.
type component struct {
	paths   *paths
	states  []int32
	links   *rows.Rows // rows between the states, and to the end
	choice  []int32    // of paths, by choice of links
	policy  []int32    // by state of links
	sweeper *sweeper
	totals  evaluate.Totals
	chain   *evaluate.Chain // of policy; nil before the first evaluation
	ready   bool            // totals are of policy
	values  vector.Vector   // of policy
}

// solveComponent settles the states of a component.
func (p *paths) solveComponent(states []int32) error {
	if p.leadsToInfinite(states) {
		p.giveUp(states)
		return nil
	}
	c := p.newComponent(states)
	if c == nil {
		p.endless(states)
		return nil
	}
	c.sweeper = newSweeper(c.links, p.run.settings.Workers)
	defer c.sweeper.close()
	var err error
	_, always := p.run.settings.Method.(PolicyIteration)
	if c.totals, err = evaluate.NewTotals(p.run.ctx, c.sweeper.team, p.run.settings.Workers, c.links, always); err != nil {
		return err
	}
	err = c.solve()
	var cycle *negativeCycleError
	switch {
	case errors.As(err, &cycle):
		c.goRound(cycle)
		p.endless(states)
		return nil
	case errors.Is(err, ErrPrecisionLimit):
		p.run.note(PrecisionLimit, ErrPrecisionLimit)
		err = nil
	case p.run.ended():
		err = nil
	}
	for i, s := range states {
		p.policy[s] = c.choice[c.links.StateStart[i]+c.policy[i]] - p.rows.StateStart[s]
		p.settled[s] = true
	}
	return err
}

// leadsToInfinite says whether a choice of the states may lead to where a bound is
// not known, which says next to nothing of theirs.
func (p *paths) leadsToInfinite(states []int32) bool {
	for _, s := range states {
		for k := p.rows.StateStart[s]; k < p.rows.StateStart[s+1]; k++ {
			for _, j := range p.rows.Next(k) {
				if p.allowed[k] && p.settled[j] && !(rounding.IsFinite(p.lower.High[j]) && rounding.IsFinite(p.upper.High[j])) {
					return true
				}
			}
		}
	}
	return false
}

// newComponent lists the rows of a component, or returns nil where a state of
// it can be stayed in at a negative cost.
func (p *paths) newComponent(states []int32) *component {
	for i, s := range states {
		p.place[s] = int32(i) + 1
	}
	end := int32(len(states))
	c := &component{paths: p, states: states, policy: make([]int32, end+1), links: rows.New(len(states)+1, 0, 0)}
	for i, s := range states {
		for k := p.rows.StateStart[s]; k < p.rows.StateStart[s+1]; k++ {
			if !p.allowed[k] {
				continue
			}
			exit := doubledouble.Number{}
			entries := len(c.links.Columns)
			for e := p.rows.RowStart[k]; e < p.rows.RowStart[k+1]; e++ {
				j, q := p.rows.Columns[e], p.rows.Probabilities[e]
				switch {
				case j == s:
				case p.place[j] > 0:
					c.links.Add(p.place[j]-1, q)
				default:
					exit = exit.AddFloat(q)
				}
			}
			if exit.Hi > 0 {
				c.links.Add(end, exit.Float())
			}
			if len(c.links.Columns) == entries {
				if p.rows.Costs[k] < 0 {
					p.goRound([]int32{s}, []int32{k}, []float64{0})
					p.forget(states)
					return nil
				}
				continue // it gets nowhere
			}
			if p.policy[s] == k-p.rows.StateStart[s] {
				c.policy[i] = int32(len(c.choice)) - c.links.StateStart[i]
			}
			c.choice = append(c.choice, k)
			c.links.EndChoice(0)
		}
		c.links.EndState()
	}
	c.links.Add(end, 1)
	c.links.EndChoice(0)
	c.links.EndState()
	p.forget(states)
	return c
}

// forget takes the places of states back.
func (p *paths) forget(states []int32) {
	for _, s := range states {
		p.place[s] = 0
	}
}

// negativeCycleError says that a policy goes round a cycle of negative cost.
type negativeCycleError struct {
	gain   float64
	states []int32   // of the component
	policy []int32   // of links, by state
	values []float64 // relative values, by state
}

func (e *negativeCycleError) Error() string {
	return fmt.Sprintf("mdp: a cycle of mean cost %v", e.gain)
}

// solve finds the values for the lower bound by policy iteration, and those for
// the upper bound by evaluating the policy once more.
func (c *component) solve() error {
	costs := c.costsToward(c.paths.rows.Costs, c.paths.lower, -1)
	err := c.iterate(costs)
	var cycle *negativeCycleError
	if c.chain == nil || errors.As(err, &cycle) {
		c.paths.giveUp(c.states)
		return err
	}
	if err == nil {
		err = c.prove(c.paths.lower, c.notBelow, -1, func(margins []float64) error {
			err := c.iterate(moved(costs, margins, -1))
			if errors.As(err, &cycle) {
				return ErrPrecisionLimit // but for the margins the cycle is of no cost
			}
			return err
		})
	}
	if err != nil {
		c.put(c.paths.lower, vector.Vector{}, c.paths.least)
	}
	if again := c.prepareAgain(); again != nil {
		c.paths.giveUp(c.states)
		return errors.Join(err, again)
	}
	costs = c.costsToward(c.paths.dear, c.paths.upper, 1)
	above := c.prove(c.paths.upper, c.notAbove, 1, func(margins []float64) error {
		return c.evaluate(evaluate.NewChain(c.links.WithCosts(moved(costs, margins, 1)), c.policy), evaluate.Roundoff)
	})
	if above != nil {
		c.put(c.paths.upper, vector.Vector{}, math.Inf(1))
	}
	return errors.Join(err, above, c.estimate())
}

// estimate evaluates the policy without margins.
func (c *component) estimate() error {
	chain := evaluate.NewChain(c.links.WithCosts(c.costsToward(c.paths.likely, c.paths.value, 0)), c.policy)
	if err := c.evaluate(chain, evaluate.Roundoff); err != nil {
		return err
	}
	c.put(c.paths.value, c.values, 0)
	return nil
}

// costsToward returns the cost of each choice of links: its own, and what the
// settled states cost that it may lead to, rounded in a direction, or to nearest.
func (c *component) costsToward(own []float64, v vector.Vector, direction float64) []float64 {
	costs := make([]float64, len(c.choice)+1)
	for i, k := range c.choice {
		sum := doubledouble.FromFloat(own[k])
		for e := c.paths.rows.RowStart[k]; e < c.paths.rows.RowStart[k+1]; e++ {
			if j := c.paths.rows.Columns[e]; c.paths.settled[j] {
				sum = sum.Add(v.At(int(j)).MulFloat(c.paths.rows.Probabilities[e]))
			}
		}
		switch {
		case direction < 0:
			costs[i] = sum.RoundDown()
		case direction > 0:
			costs[i] = sum.RoundUp()
		default:
			costs[i] = sum.Float()
		}
	}
	return costs
}

// iterate is policy iteration from the present policy. Values are as fine as it
// takes to find something better, and in the end as fine as they get.
func (c *component) iterate(costs []float64) error {
	model := c.links.WithCosts(costs)
	seen := map[uint64]bool{}
	policy := slices.Clone(c.policy)
	enough := evaluate.Roundoff
	if c.totals.IsIterative() {
		enough = coarseResolution
	}
	for {
		if status, end := c.paths.run.limit(); status != Unsolved {
			c.paths.run.note(status, end)
			return end
		}
		chain := evaluate.NewChain(model, policy)
		err := c.prepare(chain, policy)
		if err == nil {
			err = c.evaluate(chain, enough)
		}
		if err != nil {
			return err
		}
		copy(c.policy, policy)
		if err := c.paths.run.record(c.paths.lower.High[0], math.Inf(1)); err != nil {
			c.paths.run.note(Interrupted, err)
			return err
		}
		again := seen[policyHash(policy)]
		seen[policyHash(policy)] = true
		_, _, changed := improve(c.sweeper, model, 0, answer{values: c.values, policy: c.policy}, policy)
		if changed && !again {
			continue
		}
		if enough <= evaluate.Roundoff {
			return nil
		}
		copy(policy, c.policy)
		clear(seen)
		enough = evaluate.Roundoff
	}
}

// prepare makes a chain ready for evaluation, unless it does not get to the end
// for sure.
func (c *component) prepare(chain *evaluate.Chain, policy []int32) error {
	if len(chain.Closed()) > 1 {
		return c.cycle(chain, policy)
	}
	err := c.totals.Prepare(c.paths.run.ctx, chain)
	c.ready = err == nil
	if err != nil && c.paths.run.ctx.Err() != nil {
		c.paths.run.note(Interrupted, err)
	}
	return err
}

// prepareAgain makes the chain of the policy ready if preparing that of a better
// one has failed, or was interrupted: what is known shall not be lost.
func (c *component) prepareAgain() error {
	if c.ready {
		return nil
	}
	err := c.totals.Prepare(context.WithoutCancel(c.paths.run.ctx), c.chain)
	c.ready = err == nil
	return err
}

// evaluate evaluates a chain that has been prepared.
func (c *component) evaluate(chain *evaluate.Chain, enough float64) error {
	start := c.values
	if c.chain == nil || !c.totals.IsIterative() {
		start = vector.New(len(c.states) + 1)
	}
	v, err := evaluate.RefineTotals(c.totals, c.sweeper.team, chain, start, enough)
	if err != nil {
		return err
	}
	c.chain, c.values = chain, v
	return nil
}

// cycle returns the error for a policy with a closed class that is not the end.
func (c *component) cycle(chain *evaluate.Chain, policy []int32) error {
	system, gain, bias, err := evaluate.LongRun(c.paths.run.ctx, chain)
	if err != nil {
		return err
	}
	for _, class := range system.Classes {
		terms := 0.0
		for i, share := range system.Stationary(class) {
			terms += math.Abs(chain.Costs[class.States[i]]) * share
		}
		if gain := gain[class.Root]; gain < -(cycleRounding+c.paths.inexact)*terms {
			return &negativeCycleError{gain: gain, policy: policy, values: bias, states: class.States}
		}
	}
	return fmt.Errorf("mdp: a cycle whose mean cost may be none: %w", ErrPrecisionLimit)
}

// goRound takes down a cycle of the component.
func (c *component) goRound(cycle *negativeCycleError) {
	var states, choices []int32
	for _, i := range cycle.states {
		states = append(states, c.states[i])
		choices = append(choices, c.choice[c.links.StateStart[i]+cycle.policy[i]])
	}
	c.paths.goRound(states, choices, vector.Gather(cycle.values, cycle.states))
}

// coarseResolution is how far values are refined, while policies still change,
// where digits take time.
const coarseResolution = 1e-8

// cycleRounding bounds the relative error of the mean of costs of one sign over
// a closed class, for any number of states that elimination can hold.
const cycleRounding = 1e-9
