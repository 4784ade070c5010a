// Package simulate draws random paths of a finite model under any policy, and estimates the value
// of the policy with a confidence interval. It has every criterion of package mdp, rewards of
// transitions, and continuous time.
//
// [Run] does so for a [Process], which [Of] makes of a model. For proved bounds use mdp.Evaluate.
package simulate

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Process is a model as it is simulated: a transition earns its own reward, not the expected one.
// States, choices and transitions are laid out as in [mdp.TableArrays].
type Process struct {
	StateStart, RowStart, Columns []int32

	// Weights are those of the transitions of a choice: probabilities, rates, or any positive
	// numbers in proportion to them.
	Weights []float64

	// Exits are the exit rates of choices in continuous time, per unit of time: a choice lasts an
	// exponential time, for ever at rate 0. nil stands for discrete time: a choice lasts one step.
	Exits []float64

	// Rewards; nil for none. Rates are by choice, per step or unit of time that it lasts; Choices
	// are by choice, earned at its end; Transitions are by transition.
	Rates, Choices, Transitions []float64
}

// Of returns the process of a model, with its costs as Rates. A [mdp.Timed] model whose rate is not
// 1 becomes one in continuous time.
func Of(model mdp.Explicit) *Process {
	p, rate := &Process{StateStart: []int32{0}, RowStart: []int32{0}}, 1.0
	if timed, ok := model.(mdp.Timed); ok {
		rate = timed.Rate()
	}
	var row []mdp.Entry
	for s := range model.NumStates() {
		for a := range model.NumActions(s) {
			var cost float64
			row, cost = model.AppendRow(row[:0], s, a)
			for _, e := range row {
				p.Columns, p.Weights = append(p.Columns, e.State), append(p.Weights, e.Probability)
			}
			p.RowStart, p.Rates = append(p.RowStart, int32(len(p.Columns))), append(p.Rates, cost)
			if rate != 1 {
				p.Exits = append(p.Exits, rate)
			}
		}
		p.StateStart = append(p.StateStart, int32(len(p.RowStart)-1))
	}
	return p
}

// NumStates returns the number of states.
func (p *Process) NumStates() int { return len(p.StateStart) - 1 }

// fits reports whether the lengths of the lists agree.
func (p *Process) fits() bool {
	choices, transitions := len(p.RowStart)-1, len(p.Columns)
	isOr := func(numbers []float64, n int) bool { return len(numbers) == 0 || len(numbers) == n }
	return len(p.StateStart) > 1 && int(p.StateStart[len(p.StateStart)-1]) == choices && int(p.RowStart[choices]) == transitions &&
		!slices.ContainsFunc(p.Columns, func(to int32) bool { return to < 0 || int(to) >= len(p.StateStart)-1 }) &&
		len(p.Weights) == transitions && isOr(p.Exits, choices) && isOr(p.Rates, choices) && isOr(p.Choices, choices) && isOr(p.Transitions, transitions)
}

// rule is a policy in one step: in state s it takes one of choices[start[s]:start[s+1]].
type rule struct {
	start, choices []int32
	chances        []float64 // see cumulate
}

// cumulate replaces weights by cumulative probabilities. The last is infinite, so that a random
// number below 1 finds its place despite rounding.
func cumulate(weights []float64) {
	all, sum := 0.0, 0.0
	for _, x := range weights {
		all += x
	}
	for i, x := range weights {
		sum += x
		weights[i] = sum / all
	}
	if len(weights) > 0 {
		weights[len(weights)-1] = math.Inf(1)
	}
}

// NumActions returns the number of actions of state s.
func (p *Process) NumActions(s int) int { return int(p.StateStart[s+1] - p.StateStart[s]) }

// rule returns the rule of a stationary policy, which must fit the process.
func (p *Process) rule(policy mdp.Policy) rule {
	r := rule{start: []int32{0}, choices: make([]int32, 0, len(policy.Actions))}
	for s := range p.NumStates() {
		actions, shares := policy.At(s)
		for i, a := range actions {
			share := 1.0
			if shares != nil {
				share, _ = shares[i].Float64()
			}
			r.choices, r.chances = append(r.choices, p.StateStart[s]+a), append(r.chances, share)
		}
		cumulate(r.chances[r.start[s]:])
		r.start = append(r.start, int32(len(r.choices)))
	}
	return r
}
