package model

// A model as simulate plays it.

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/simulate"
)

// processOf returns a model with what is earned by a reward model.
func processOf(m *modelfile.Model, reward string) *simulate.Process {
	of, _ := m.Reward(reward) // checked before
	p := &simulate.Process{
		StateStart: m.StateStart, RowStart: m.RowStart, Columns: m.Columns, Weights: m.Values.Float,
		Choices: of.Action.Float, Transitions: of.Transition.Float,
	}
	for s, x := range of.State.Float {
		p.Rates = append(p.Rates, slices.Repeat([]float64{x}, int(m.StateStart[s+1]-m.StateStart[s]))...)
	}
	if m.Kind == modelfile.CTMC { // one choice in each state
		p.Exits = m.ExitRates().Float
	}
	return p
}
