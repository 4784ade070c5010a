// Package catalogue holds Markov decision processes whose optima are known exactly,
// for tests: problems from books, papers and the theory of queues, with every
// criterion of package mdp, both senses, every structure, periodic and nearly periodic
// chains, slow ones, and rates over 12 orders of magnitude.
//
// Each process is declared once, in rational numbers, with the questions that are asked
// of it and the answers: numbers that the source prints, a formula, or a known policy,
// which is evaluated in exact arithmetic. [Problem.Verify] compares an [Answer] with
// them.
package catalogue

import (
	"math/big"
	"slices"
	"strings"
)

// Problems returns the problems, each anew: they may be changed.
func Problems() []*Problem {
	var problems []*Problem
	for _, process := range slices.Concat(tables(), inventories(), queues(), replacements(), chains(), games(), paths(), stopping()) {
		problems = append(problems, process.problems()...)
	}
	return problems
}

// process is a decision process in exact numbers, in discrete or in continuous time,
// whose states have numbers of their own.
type process struct {
	name   string
	source string

	table   string               // a small process: see [readTable]
	start   []int                // else the states to begin with,
	choices func(s int) []choice // and what may be chosen in those and in all that follow
	timed   bool                 // weights are rates, and costs are per unit of time
	target  func(s int) bool     // where a total ends: states that are never left, at no cost

	questions []question

	// What mdp.Analyze should find; 0 stands for a unichain process of period 1.
	class  string
	period int

	slow bool // value iteration needs more than about ten thousand sweeps
}

// choice is an action of a state: what a step or a unit of time costs, nil for
// nothing, and where it may lead.
type choice struct {
	cost *big.Rat
	next []branch
}

// branch is where a step or an event may lead, with its probability or rate, and what
// it costs on top; cost nil is none.
type branch struct {
	to     int
	weight *big.Rat
	cost   *big.Rat
}

func choose(cost *big.Rat, next ...branch) choice { return choice{cost, next} }

// only is what there is where nothing is to be chosen.
func only(cost *big.Rat, next ...branch) []choice { return []choice{{cost, next}} }

// surely is the one branch to a state.
func surely(s int) branch { return branch{to: s, weight: one} }

// question is a criterion with its answer, which has one of three forms.
type question struct {
	suffix string // to the name of the process, for another question than the first
	objective
	because string // how the answer is known

	values string               // by state in their order, or one for all; "∞" is +Inf
	value  func(s int) *big.Rat // by state
	policy func(s int) int      // an optimal action by state; the last where there are not so many
}

// optimum returns the answer by state.
func (q question) optimum(p *Problem) []*big.Rat {
	optimum := make([]*big.Rat, p.NumStates())
	values := strings.Fields(q.values)
	policy := make([]int32, p.NumStates())
	for i, s := range p.states {
		switch {
		case q.value != nil:
			optimum[i] = q.value(s)
		case q.policy != nil:
			policy[i] = int32(min(q.policy(s), p.numActions(i)-1))
		case len(values) == 1:
			optimum[i] = number(values[0])
		case values[i] != "∞":
			optimum[i] = number(values[i])
		}
	}
	if q.policy != nil {
		return p.evaluate(policy)
	}
	return optimum
}

// from is a policy that takes one action in the states before n, and another from
// there on.
func from(n, before, after int) func(s int) int {
	return func(s int) int {
		if s < n {
			return before
		}
		return after
	}
}
