package catalogue

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// Problem is a process with a criterion and the exact optimum.
type Problem struct {
	// Name is short and unique, such as "toymaker".
	Name string

	// Classification and Period are what mdp.Analyze should find.
	Classification string
	Period         int

	// Criterion is what is optimised. Its numbers are rounded to float64: a discount
	// factor of 9/10, say.
	Criterion mdp.Criterion

	// Optimum is the exact optimum from each state, in the unit of
	// mdp.Result.Value; nil for +Inf.
	Optimum []*big.Rat

	// Slow says that value iteration needs more than about ten thousand sweeps.
	Slow bool

	process   process
	states    []int
	objective objective
	exact     exact.Arrays
	last      *evaluation
}

// NumStates returns the number of states.
func (p *Problem) NumStates() int { return len(p.states) }

// State returns the number of state s in the declaration.
func (p *Problem) State(s int) string { return strconv.Itoa(p.states[s]) }

// Exact returns the process in exact numbers, for [exact.NewModel] or a file. Costs are
// per unit of time, and a step takes 1/Rate units on average. Do not change the arrays.
func (p *Problem) Exact() exact.Arrays { return p.exact }

// numActions returns the number of actions of state s.
func (p *Problem) numActions(s int) int {
	return int(p.exact.StateStart[s+1] - p.exact.StateStart[s])
}

// problems returns the questions of a process.
func (d process) problems() []*Problem {
	if d.table != "" {
		d.start, d.choices = readTable(d.table)
	}
	states, model := d.explore()
	var problems []*Problem
	for _, q := range d.questions {
		p := &Problem{
			Name: d.name + q.suffix, Classification: d.class, Period: max(d.period, 1), Slow: d.slow,
			process: d, states: states, objective: q.objective, exact: model, last: &evaluation{},
		}
		if p.Classification == "" {
			p.Classification = "unichain"
		}
		for i, s := range states {
			if q.kind == total && d.target(s) {
				p.objective.target = append(p.objective.target, int32(i))
			}
		}
		p.Criterion = p.objective.criterion(1)
		p.Optimum = q.optimum(p)
		problems = append(problems, p)
	}
	return problems
}

// readTable reads the lines of a table, one for each choice, such as
//
//	1: 0.8 0.2 | 4 -4
//
// with a state, the probabilities of all states in order, and their costs or, if there
// is only one number, the cost of the step. Numbers are decimals or fractions.
func readTable(table string) (states []int, options func(s int) []choice) {
	lines := strings.Split(strings.TrimSpace(table), "\n")
	labels := make([]int, len(lines))
	for i, line := range lines {
		label, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		labels[i] = int(number(label).Num().Int64())
		if !slices.Contains(states, labels[i]) {
			states = append(states, labels[i])
		}
	}
	choices := map[int][]choice{}
	for i, line := range lines {
		_, line, _ = strings.Cut(line, ":")
		probabilities, text, _ := strings.Cut(line, "|")
		costs := numbers(text)
		var c choice
		if len(costs) == 1 {
			c.cost = costs[0]
		}
		for j, p := range numbers(probabilities) {
			b := branch{to: states[j], weight: p}
			if len(costs) > 1 {
				b.cost = costs[j]
			}
			c.next = append(c.next, b)
		}
		choices[labels[i]] = append(choices[labels[i]], c)
	}
	return states, func(s int) []choice { return choices[s] }
}

// options returns the choices in a state.
func (d process) options(s int) []choice {
	switch {
	case d.target == nil || !d.target(s):
		return d.choices(s)
	case d.timed:
		return only(nil)
	default:
		return only(nil, surely(s))
	}
}

// explore numbers the states breadth first, as mdp does, and returns the process over
// the numbers, uniformized if time is continuous.
func (d process) explore() ([]int, exact.Arrays) {
	var states []int
	index := map[int]int32{}
	enter := func(s int) {
		if _, known := index[s]; !known {
			index[s] = int32(len(states))
			states = append(states, s)
		}
	}
	for _, s := range d.start {
		enter(s)
	}
	a := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}, Rate: one}
	largest := zero
	for i := 0; i < len(states); i++ {
		for _, c := range d.options(states[i]) {
			exit := zero
			for _, b := range c.next {
				if b.weight.Sign() > 0 {
					enter(b.to)
				}
				if b.to != states[i] {
					exit = add(exit, b.weight)
				}
			}
			largest = larger(largest, exit)
		}
	}
	if d.timed {
		a.Rate = largest
	}
	for _, s := range states {
		for _, c := range d.options(s) {
			d.enter(&a, c, s, index)
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	return states, a
}

// enter adds a choice of state s to the arrays. Each state is entered once, in the order
// of the declaration.
func (d process) enter(a *exact.Arrays, c choice, s int, index map[int]int32) {
	place := map[int]int{}
	enter := func(to int, p *big.Rat) {
		at, known := place[to]
		switch {
		case p.Sign() == 0:
		case known:
			a.Probabilities[at] = add(a.Probabilities[at], p)
		default:
			place[to] = len(a.Columns)
			a.Columns, a.Probabilities = append(a.Columns, index[to]), append(a.Probabilities, p)
		}
	}
	stay := one
	for _, b := range c.next {
		if d.timed && b.to == s {
			continue
		}
		p := quo(b.weight, a.Rate)
		stay = sub(stay, p)
		enter(b.to, p)
	}
	if d.timed {
		enter(s, stay)
	} else if stay.Sign() != 0 {
		panic(fmt.Sprintf("catalogue: %s: probabilities in state %d are %s away from 1 in sum", d.name, s, stay.RatString()))
	}
	a.Costs = append(a.Costs, c.mean())
	a.RowStart = append(a.RowStart, int32(len(a.Columns)))
}

// mean returns the mean cost of a step or of a unit of time.
func (c choice) mean() *big.Rat {
	cost := zero
	if c.cost != nil {
		cost = c.cost
	}
	for _, b := range c.next {
		if b.cost != nil {
			cost = add(cost, mul(b.weight, b.cost))
		}
	}
	return cost
}

// evaluation is the value of a policy. The last one is kept, as methods tend to
// find the same policies.
type evaluation struct {
	lock   sync.Mutex
	policy []int32
	value  []*big.Rat
}

// evaluate returns the value of a policy from each state.
func (p *Problem) evaluate(policy []int32) []*big.Rat {
	p.last.lock.Lock()
	defer p.last.lock.Unlock()
	if !slices.Equal(policy, p.last.policy) {
		value, err := p.objective.evaluate(p.Exact(), policy)
		if err != nil {
			panic(fmt.Sprintf("catalogue: %s: %v", p.Name, err))
		}
		p.last.policy, p.last.value = slices.Clone(policy), value
	}
	return p.last.value
}
