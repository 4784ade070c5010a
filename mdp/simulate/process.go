// Package simulate plays a finite model at random, under any policy, and estimates the value of
// the policy with a confidence interval: by every criterion of package mdp, with what transitions
// earn, and in continuous time.
//
// [Run] does so for a [Process], which [Of] makes of a model. For proved bounds use mdp.Evaluate.
package simulate

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Process is a model as it is played: what is earned is what happens, not what is expected. States,
// choices and transitions are laid out as in [mdp.TableArrays].
type Process struct {
	StateStart, RowStart, Columns []int32

	// Weights are those of the transitions of a choice: probabilities, rates, or any positive
	// numbers in proportion to them.
	Weights []float64

	// Exits, in continuous time, are the rates at which choices end: after an exponential time,
	// and never for 0. Otherwise they are nil, and a choice takes a step.
	Exits []float64

	// What is earned, nil for nothing: by choice, for each step or unit of time that it takes; by
	// choice, at its end; and by transition.
	Rates, Choices, Transitions []float64
}

// Of returns the process of a model. A [mdp.Timed] model whose rate is not 1 becomes one in
// continuous time.
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

// table is a process and a policy, ready to be played.
type table struct {
	Process
	chances []float64 // see cumulate; by transition, for each choice
	rules   []rule    // of the steps; the only one for all
	only    []int32   // the choice of each state, if there is nothing else to choose
}

// rule is what a policy does at a step: the only choice of each state or, with start, one of
// choices[start[s]:start[s+1]].
type rule struct {
	start, choices []int32
	chances        []float64 // see cumulate
}

// cumulate replaces weights by the probability of each or an earlier one; the last is infinite,
// so that a random number below 1 finds one despite rounding.
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

func newTable(p *Process, policy mdp.Policy) (*table, error) {
	t := &table{Process: *p, chances: append([]float64(nil), p.Weights...)}
	for k := range len(p.RowStart) - 1 {
		cumulate(t.chances[p.RowStart[k]:p.RowStart[k+1]])
	}
	steps := policy.Steps
	if steps == nil {
		steps = []mdp.Policy{policy}
	}
	for _, step := range steps {
		r, err := p.rule(step)
		if err != nil {
			return nil, err
		}
		t.rules = append(t.rules, r)
	}
	if len(t.rules) == 1 && t.rules[0].start == nil {
		t.only = t.rules[0].choices
	}
	return t, nil
}

// rule returns what a stationary policy does.
func (p *Process) rule(policy mdp.Policy) (r rule, err error) {
	n := p.NumStates()
	if policy.Start == nil && len(policy.Actions) != n || policy.Start != nil && len(policy.Start) != n+1 {
		return r, fmt.Errorf("simulate: the policy is not one for %d states", n)
	}
	isRandom := policy.Deterministic() == nil
	if isRandom {
		r.start = policy.Start
	}
	for s := range n {
		actions, shares := policy.At(s)
		for i, a := range actions {
			if most := p.StateStart[s+1] - p.StateStart[s]; a < 0 || a >= most {
				return r, fmt.Errorf("simulate: action %d of state %d is not valid: use 0 … %d", a, s, most-1)
			}
			r.choices = append(r.choices, p.StateStart[s]+a)
			if isRandom {
				share := 1.0
				if shares != nil {
					share, _ = shares[i].Float64()
				}
				r.chances = append(r.chances, share)
			}
		}
		if isRandom {
			cumulate(r.chances[len(r.chances)-len(actions):])
		}
	}
	return r, nil
}
