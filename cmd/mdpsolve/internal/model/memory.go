package model

// How much memory a model needs.

import (
	"context"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// counts are the sizes of a model, or lower bounds on them.
type counts struct{ states, choices, transitions int }

// countsOf returns lower bounds that follow from the header of a file. Each state has at least
// one choice. Each choice has at least one transition, except in continuous time.
func countsOf(h modelfile.Header) counts {
	c := counts{states: max(h.States, 0)}
	c.choices = max(h.Choices, c.states)
	c.transitions = h.Transitions
	if c.transitions < 0 {
		c.transitions = c.choices
		if h.Kind != modelfile.MDP && h.Kind != modelfile.DTMC {
			c.transitions = 0
		}
	}
	return c
}

// bytes returns the least memory that the program takes to read a model and to solve it by
// sweeps. Elimination takes more: the engine plans for it once it knows the model.
func (c counts) bytes() float64 {
	const copies = 1.5 // the rows, which model and table share, and what the garbage collector has not freed yet
	return copies*float64(mdp.TableBytes(c.states, c.choices, c.transitions)) +
		mdp.SolveBytes(mdp.ValueIteration, float64(c.states), float64(c.transitions), 0)
}

// check refuses a model that needs more memory than there is.
func (c counts) check(ctx context.Context, operand, path string) error {
	needed, available := c.bytes(), ui.Memory(ctx)
	if needed <= available {
		return nil
	}
	return ui.UsageErrorf("%s: %q has at least %d states, %d choices and %d transitions and takes %s of memory, and %s are free: use a smaller model",
		operand, path, c.states, c.choices, c.transitions, ui.BytesText(needed), ui.BytesText(available))
}
