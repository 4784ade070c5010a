package mdp

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
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
	*paths
	states  []int32
	links   *Table  // rows between the states, and to the end
	choice  []int32 // of paths, by choice of links
	policy  []int32 // by state of links
	sweeper *sweeper
	system  evaluated // of policy
}

// solveComponent settles the states of a component.
func (p *paths) solveComponent(states []int32) error {
	c := p.newComponent(states)
	if c == nil {
		p.endless(states)
		return nil
	}
	c.sweeper = newSweeper(c.links, p.run.settings.Workers)
	defer c.sweeper.close()
	end := int32(len(states))
	graph := unionGraph(c.links).without(end)
	elimination, err := newElimination(newPlan(graph.undirected(graph.reverse()), p.run.settings.Workers), c.sweeper.team)
	if err != nil {
		return err
	}
	elimination.end = end
	err = c.solve(elimination)
	var cycle *negativeCycleError
	switch {
	case errors.As(err, &cycle):
		p.endless(states)
		return nil
	case errors.Is(err, ErrPrecisionLimit):
		p.run.note(PrecisionLimit, ErrPrecisionLimit)
		err = nil
	case p.run.ended():
		err = nil
	}
	for i, s := range states {
		p.policy[s] = c.choice[c.links.stateStart[i]+c.policy[i]] - p.stateStart[s]
		p.settled[s] = true
	}
	return err
}

// newComponent lists the rows of a component, or returns nil where a state of
// it can be stayed in at a negative cost.
func (p *paths) newComponent(states []int32) *component {
	for i, s := range states {
		p.place[s] = int32(i) + 1
	}
	end := int32(len(states))
	a := TableArrays{StateStart: []int32{0}, RowStart: []int32{0}}
	c := &component{paths: p, states: states, policy: make([]int32, end+1)}
	for i, s := range states {
		for k := p.stateStart[s]; k < p.stateStart[s+1]; k++ {
			if !p.allowed[k] {
				continue
			}
			exit := doubledouble.Number{}
			entries := len(a.Columns)
			for e := p.rowStart[k]; e < p.rowStart[k+1]; e++ {
				j, q := p.columns[e], p.probabilities[e]
				switch {
				case j == s:
				case p.place[j] > 0:
					a.Columns, a.Probabilities = append(a.Columns, p.place[j]-1), append(a.Probabilities, q)
				default:
					exit = exit.AddFloat(q)
				}
			}
			if exit.Hi > 0 {
				a.Columns, a.Probabilities = append(a.Columns, end), append(a.Probabilities, exit.Float())
			}
			if len(a.Columns) == entries {
				if p.costs[k] < 0 {
					p.forget(states)
					return nil
				}
				continue // it gets nowhere
			}
			if p.policy[s] == k-p.stateStart[s] {
				c.policy[i] = int32(len(c.choice)) - a.StateStart[i]
			}
			c.choice = append(c.choice, k)
			a.RowStart = append(a.RowStart, int32(len(a.Columns)))
		}
		a.StateStart = append(a.StateStart, int32(len(c.choice)))
	}
	a.Columns, a.Probabilities = append(a.Columns, end), append(a.Probabilities, 1)
	a.RowStart = append(a.RowStart, int32(len(a.Columns)))
	a.StateStart = append(a.StateStart, int32(len(c.choice))+1)
	a.Costs = make([]float64, len(c.choice)+1)
	c.links = newTable(a, 1)
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
type negativeCycleError struct{ gain float64 }

func (e *negativeCycleError) Error() string {
	return fmt.Sprintf("mdp: a cycle of mean cost %v", e.gain)
}

// solve finds the values for the lower bound by policy iteration, and those for
// the upper bound by evaluating the policy once more.
func (c *component) solve(e *elimination) error {
	costs := c.costsToward(c.paths.costs, c.lower, -1)
	err := c.iterate(e, costs)
	var cycle *negativeCycleError
	if c.system.system == nil || errors.As(err, &cycle) {
		c.giveUp(c.states)
		return err
	}
	if err == nil {
		err = c.prove(c.lower, c.notBelow, -1, func(margins []float64) error {
			err := c.iterate(e, moved(costs, margins, -1))
			if errors.As(err, &cycle) {
				return ErrPrecisionLimit // but for the margins the cycle is of no cost
			}
			return err
		})
	}
	if err != nil {
		c.put(c.lower, values{}, c.floor())
	}
	costs = c.costsToward(c.dear, c.upper, 1)
	above := c.prove(c.upper, c.notAbove, 1, func(margins []float64) (err error) {
		chain := newChain(c.links.withCosts(moved(costs, margins, 1)), c.policy)
		c.system, err = evaluateCosts(c.system.system, chain.costs)
		return err
	})
	if above != nil {
		c.put(c.upper, values{}, math.Inf(1))
	}
	return errors.Join(err, above)
}

// costsToward returns the cost of each choice of links: its own, and what the
// settled states cost that it may lead to, rounded in a direction.
func (c *component) costsToward(own []float64, v values, direction float64) []float64 {
	costs := make([]float64, len(c.choice)+1)
	for i, k := range c.choice {
		sum := doubledouble.FromFloat(own[k])
		for e := c.paths.rowStart[k]; e < c.paths.rowStart[k+1]; e++ {
			if j := c.paths.columns[e]; c.settled[j] {
				sum = sum.Add(v.number(int(j)).MulFloat(c.paths.probabilities[e]))
			}
		}
		if costs[i] = sum.RoundUp(); direction < 0 {
			costs[i] = sum.RoundDown()
		}
	}
	return costs
}

// iterate is policy iteration from the present policy.
func (c *component) iterate(e *elimination, costs []float64) error {
	model := c.links.withCosts(costs)
	seen := map[uint64]bool{}
	for policy := slices.Clone(c.policy); ; {
		if status, end := c.run.limit(); status != Unsolved {
			c.run.note(status, end)
			return end
		}
		system, err := c.factor(e, model, policy)
		if err != nil {
			return err
		}
		if c.system, err = evaluateCosts(system, system.chain.costs); err != nil {
			return err
		}
		copy(c.policy, policy)
		if err := c.run.record(c.paths.lower.high[0], math.Inf(1)); err != nil {
			c.run.note(Interrupted, err)
			return err
		}
		v, err := refine(c.system, residualRoundoff)
		if err != nil {
			return err
		}
		again := seen[policyHash(policy)]
		seen[policyHash(policy)] = true
		_, _, changed := improve(c.sweeper, model, 0, answer{values: v, policy: c.policy}, policy)
		if !changed || again {
			return nil
		}
	}
}

// factor factors the chain of a policy, or returns an error where the policy
// does not get to the end for sure.
func (c *component) factor(e *elimination, model *Table, policy []int32) (*system, error) {
	chain := newChain(model, policy)
	end := int32(len(c.states))
	system, err := newSystem(c.run.ctx, e, chain, end)
	if err != nil {
		if c.run.ctx.Err() != nil {
			c.run.note(Interrupted, err)
		}
		return nil, err
	}
	for _, class := range system.classes {
		if class.root == end {
			continue
		}
		gain := system.gain(class, chain.costs)
		terms := system.gain(class, magnitudes(chain.costs))
		if uncertain := (cycleRounding + c.inexact) * terms; gain < -uncertain {
			return nil, &negativeCycleError{gain}
		}
		return nil, fmt.Errorf("mdp: a cycle of mean cost %v, which may be none: %w", gain, ErrPrecisionLimit)
	}
	return system, nil
}

// cycleRounding bounds the relative error of the mean of costs of one sign over
// a closed class, for any number of states that elimination can hold.
const cycleRounding = 1e-9

func magnitudes(x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = math.Abs(x[i])
	}
	return y
}
