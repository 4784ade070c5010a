package mdptest

import (
	"fmt"
	"math/big"
	"slices"
	"sync"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// Problem is a Markov decision process with a criterion and the exact optimum.
// [Catalogue] returns all of them.
type Problem struct {
	// Name is short and unique, such as "toymaker".
	Name string

	// Source says where the process comes from, and what of its answer is
	// printed there.
	Source string

	// Answer says how the optimum is known: the formula or the policy.
	Answer string

	// Classification and Period are what mdp.Analyze should find.
	Classification mdp.Classification
	Period         int

	// Criterion is what is optimised. Its numbers are rounded to float64: a discount
	// factor of 9/10, say.
	Criterion mdp.Criterion

	// Optimum is the exact optimum from each state, in the unit of
	// mdp.Result.Value; nil for +Inf.
	Optimum []*big.Rat

	// Slow says that value iteration needs more than about ten thousand sweeps.
	Slow bool

	objective objective
	exact     *exactModel
	last      *evaluation
	states    func(s int) string
	compile   func() (mdp.Explicit, error)
}

// String returns the name.
func (p *Problem) String() string { return p.Name }

// NumStates returns the number of states.
func (p *Problem) NumStates() int { return p.exact.numStates() }

// State returns state s as the declaration of the problem has it.
func (p *Problem) State(s int) string { return p.states(s) }

// Table returns the process as plain arrays, each number rounded once.
func (p *Problem) Table() *mdp.Table {
	table, err := mdp.NewTable(p.exact.arrays())
	if err != nil {
		panic(fmt.Sprintf("mdptest: %s: %v", p.Name, err))
	}
	return table
}

// Exact returns the process in exact numbers, for [exact.NewModel] or to be written
// down: costs are per unit of time, of which a step takes 1/Rate on average.
func (p *Problem) Exact() exact.Arrays { return p.exact.rationals() }

// evaluation is what a policy achieves. The last one is kept: methods tend to
// find the same policies.
type evaluation struct {
	lock   sync.Mutex
	policy []int32
	value  []*big.Rat
}

// evaluate returns what a policy achieves from each state.
func (p *Problem) evaluate(policy []int32) []*big.Rat {
	p.last.lock.Lock()
	defer p.last.lock.Unlock()
	if !slices.Equal(policy, p.last.policy) {
		value, err := p.objective.evaluate(p.exact, policy)
		if err != nil {
			panic(fmt.Sprintf("mdptest: %s: %v", p.Name, err))
		}
		p.last.policy, p.last.value = slices.Clone(policy), value
	}
	return p.last.value
}

// known returns a problem whose optimum is given by state.
func known[S, A comparable](p Problem, o objective, d declaration[S, A], optimum func(s S) *big.Rat) *Problem {
	e := declare(&p, o, d)
	for _, s := range e.states {
		p.Optimum = append(p.Optimum, optimum(s))
	}
	return &p
}

// attained returns a problem whose optimum is what a known policy achieves.
func attained[S, A comparable](p Problem, o objective, d declaration[S, A], policy func(s S) A) *Problem {
	e := declare(&p, o, d)
	actions := make([]int32, len(e.states))
	for i, s := range e.states {
		actions[i] = e.actionOf(s, policy(s))
	}
	p.Optimum = p.evaluate(actions)
	return &p
}

// declare explores a declaration and fills in what follows from it.
func declare[S, A comparable](p *Problem, o objective, d declaration[S, A]) *explored[S, A] {
	e := d.explore()
	for _, s := range e.states {
		if o.kind == total {
			o.target = append(o.target, d.target(s))
		}
		if o.kind == finite {
			terminal := zero
			if d.terminal != nil {
				terminal = d.terminal(s)
			}
			o.terminal = append(o.terminal, terminal)
		}
	}
	p.objective = o
	p.last = &evaluation{}
	p.Criterion = o.criterion(1)
	p.exact = e.exact
	p.states = func(s int) string { return fmt.Sprint(e.states[s]) }
	p.compile = func() (mdp.Explicit, error) { return e.compile() }
	if p.Classification == mdp.Unclassified {
		p.Classification = mdp.Unichain
	}
	if p.Period == 0 {
		p.Period = 1
	}
	return e
}

// actionOf returns the number of an action.
func (e *explored[S, A]) actionOf(s S, action A) int32 {
	for i, a := range e.actions(s) {
		if a == action {
			return int32(i)
		}
	}
	panic(fmt.Sprintf("mdptest: state %v has no action %v", s, action))
}
