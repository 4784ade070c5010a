// Package catalogue holds Markov decision processes whose optima are known exactly,
// for tests: problems from books, papers and queueing theory, with every
// criterion of package mdp, both senses, every structure, periodic and nearly periodic
// chains, slow ones, and rates over 12 orders of magnitude.
//
// Each process is declared once, in rational numbers, with questions and their
// answers: numbers that the source prints, a formula, or a known policy,
// which is evaluated in exact arithmetic. [Problem.Verify] compares an [Answer] with
// them: that of a solver of your own, say.
package catalogue

import (
	"math/big"
	"slices"
	"strings"
)

// Problems returns new copies of the problems, which the caller may change.
func Problems() []*Problem {
	var problems []*Problem
	for _, process := range slices.Concat(tables(), inventories(), queues(), replacements(), chains(), games(), paths(), stopping()) {
		problems = append(problems, process.problems()...)
	}
	return problems
}

// process is a decision process in exact numbers, in discrete or in continuous time. Its
// declaration numbers the states.
type process struct {
	name   string
	source string

	table   string               // a small process: see [readTable]
	start   []int                // otherwise the start states,
	choices func(s int) []choice // and the choices in these and all later states
	timed   bool                 // weights are rates, and costs are per unit of time
	target  func(s int) bool     // where a total ends: absorbing states without cost

	questions []question

	// What mdp.Analyze should find; 0 stands for a unichain process of period 1.
	class  string
	period int

	slow bool // value iteration needs more than about ten thousand sweeps
}

// choice is an action of a state: its cost per step or unit of time, nil for none, and
// its branches.
type choice struct {
	cost *big.Rat
	next []branch
}

// branch is a possible next state, with its probability or rate and an extra cost, nil for
// none.
type branch struct {
	to     int
	weight *big.Rat
	cost   *big.Rat
}

func choose(cost *big.Rat, next ...branch) choice { return choice{cost, next} }

// only returns the one choice of a state with a single action.
func only(cost *big.Rat, next ...branch) []choice { return []choice{{cost, next}} }

// surely is a branch of probability 1.
func surely(s int) branch { return branch{to: s, weight: one} }

// question is a criterion with its answer, which has one of three forms.
type question struct {
	suffix string // to the name of the process, for questions after the first
	objective
	because string // how the answer is known

	values string               // by state in their order, or one for all; "∞" is +Inf
	value  func(s int) *big.Rat // by state
	policy func(s int) int      // an optimal action by state; larger numbers stand for the last
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

// from is a policy that takes the action before in the states below n, and after in the
// others.
func from(n, before, after int) func(s int) int {
	return func(s int) int {
		if s < n {
			return before
		}
		return after
	}
}
