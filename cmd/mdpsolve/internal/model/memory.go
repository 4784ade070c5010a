package model

// How much memory a model needs.

import (
	"context"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// counts are the sizes of a model, or what is known to be not above them.
type counts struct{ states, choices, transitions int }

// countsOf returns what the header of a file lets one count on: each state has a
// choice, and each choice but those of a CTMC a transition.
func countsOf(h mdpio.Header) counts {
	c := counts{states: max(h.States, 0)}
	c.choices = max(h.Choices, c.states)
	c.transitions = h.Transitions
	if c.transitions < 0 {
		c.transitions = c.choices
		if h.Kind != mdpio.MDP && h.Kind != mdpio.DTMC {
			c.transitions = 0
		}
	}
	return c
}

// modelBytes is what a model takes in memory at the least: starts of rows,
// rewards by state, columns and values.
func (c counts) modelBytes() float64 {
	return 12*float64(c.states) + 4*float64(c.choices) + 12*float64(c.transitions)
}

// solveBytes is what is needed beside that to solve it: costs and probabilities
// of a table, and by state values before and after a sweep, a policy and two
// bounds.
func (c counts) solveBytes() float64 {
	return 36*float64(c.states) + 8*float64(c.choices) + 8*float64(c.transitions)
}

// bytes forecasts what the program takes at the least to read a model and to solve it
// by sweeps: what it needs, and twice that for what readers and the garbage collector let
// lie about. Elimination takes more, which is planned when the model is known.
func (c counts) bytes() float64 {
	const program, growth = 24e6, 3
	return program + growth*(c.modelBytes()+c.solveBytes())
}

// check refuses a model that needs more memory than there is.
func (c counts) check(ctx context.Context, operand, path string, needed float64) error {
	available := ui.Memory(ctx)
	if needed <= available {
		return nil
	}
	return ui.UsageErrorf("%s: %q has %d states, %d choices and %d transitions or more: it takes %s of memory or more, of %s that there are: use a smaller model",
		operand, path, c.states, c.choices, c.transitions, ui.BytesText(needed), ui.BytesText(available))
}
