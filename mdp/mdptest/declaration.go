package mdptest

import (
	"context"
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// declaration is a process in exact numbers over states and actions of its own
// types, in discrete or in continuous time.
type declaration[S, A comparable] struct {
	continuous bool
	start      []S
	actions    func(s S) []A
	cost       func(s S, a A) *big.Rat // of a step or of a unit of time; nil for none
	next       func(s S, a A) []branch[S]
	target     func(s S) bool     // of a total cost
	terminal   func(s S) *big.Rat // after the steps of a finite horizon; nil for none
}

// branch is where a step or an event may lead, with its probability or rate,
// and what it costs on top; cost nil is none.
type branch[S comparable] struct {
	to     S
	weight *big.Rat
	cost   *big.Rat
}

// surely is the one branch to a state.
func surely[S comparable](s S) []branch[S] { return []branch[S]{{to: s, weight: one}} }

// explored is a declaration with its states numbered as mdp numbers them.
type explored[S, A comparable] struct {
	declaration[S, A]
	states []S
	index  map[S]int
	exact  *exactModel
}

// explore visits the states breadth first.
func (d declaration[S, A]) explore() *explored[S, A] {
	e := &explored[S, A]{declaration: d, index: map[S]int{}, exact: &exactModel{rate: one}}
	for _, s := range d.start {
		e.number(s)
	}
	for i := 0; i < len(e.states); i++ {
		for _, a := range d.actions(e.states[i]) {
			for _, b := range d.next(e.states[i], a) {
				if b.weight.Sign() > 0 {
					e.number(b.to)
				}
			}
		}
	}
	if d.continuous {
		e.exact.rate = e.largestRate()
	}
	for i, s := range e.states {
		var choices []exactChoice
		for _, a := range d.actions(s) {
			choices = append(choices, e.choice(i, a))
		}
		e.exact.states = append(e.exact.states, choices)
	}
	return e
}

func (e *explored[S, A]) number(s S) int {
	i, ok := e.index[s]
	if !ok {
		i = len(e.states)
		e.index[s] = i
		e.states = append(e.states, s)
	}
	return i
}

// largestRate returns the largest total rate at which a state is left; 1 where
// none is.
func (e *explored[S, A]) largestRate() *big.Rat {
	largest := new(big.Rat)
	for _, s := range e.states {
		for _, a := range e.actions(s) {
			exit := new(big.Rat)
			for _, b := range e.next(s, a) {
				if b.to != s {
					exit.Add(exit, b.weight)
				}
			}
			if exit.Cmp(largest) > 0 {
				largest = exit
			}
		}
	}
	if largest.Sign() == 0 {
		return one
	}
	return largest
}

// choice returns action a of state i, uniformized where time is continuous.
func (e *explored[S, A]) choice(i int, a A) exactChoice {
	s := e.states[i]
	c := exactChoice{cost: e.stepCost(s, a)}
	place := map[int]int{}
	enter := func(j int, p *big.Rat) {
		if p.Sign() == 0 {
			return
		}
		if at, ok := place[j]; ok {
			c.row[at].probability = add(c.row[at].probability, p)
			return
		}
		place[j] = len(c.row)
		c.row = append(c.row, exactEntry{j, p})
	}
	stay := one
	for _, b := range e.next(s, a) {
		if e.continuous && b.to == s {
			continue
		}
		p := quo(b.weight, e.exact.rate)
		stay = sub(stay, p)
		enter(e.index[b.to], p)
	}
	if e.continuous {
		enter(i, stay)
	} else if stay.Sign() != 0 {
		panic(fmt.Sprintf("mdptest: probabilities of action %v in state %v are %s away from 1 in sum", a, s, stay.RatString()))
	}
	return c
}

// stepCost returns the mean cost of a step or of a unit of time.
func (e *explored[S, A]) stepCost(s S, a A) *big.Rat {
	cost := new(big.Rat)
	if e.cost != nil {
		cost.Set(e.cost(s, a))
	}
	for _, b := range e.next(s, a) {
		if b.cost != nil {
			cost.Add(cost, mul(b.weight, b.cost))
		}
	}
	return cost
}

// compile declares the process to package mdp, in float64, and compiles it.
func (e *explored[S, A]) compile() (*mdp.Compiled[S, A], error) {
	return mdp.Problem[S, A]{
		Start:   e.start,
		Actions: func(dst []A, s S) []A { return append(dst, e.actions(s)...) },
		Cost:    func(s S, a A) float64 { return nearest(e.stepCost(s, a)) },
		Rate:    nearest(e.exact.rate),
		Next: func(dst []mdp.Outcome[S], s S, a A) []mdp.Outcome[S] {
			stay := new(big.Rat).Set(one)
			for _, b := range e.next(s, a) {
				if !e.continuous || b.to != s {
					p := quo(b.weight, e.exact.rate)
					dst = append(dst, mdp.Outcome[S]{State: b.to, Probability: nearest(p)})
					stay.Sub(stay, p)
				}
			}
			return append(dst, mdp.Outcome[S]{State: s, Probability: nearest(stay)})
		},
	}.Compile(context.Background())
}
