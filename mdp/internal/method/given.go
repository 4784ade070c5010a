package method

// This file holds values that were found elsewhere, in the form of a method.

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Given is a method without iterations: its answer is what the task starts from.
type Given struct{ Task *Task }

// Iterate does nothing.
func (Given) Iterate(context.Context) (lower, upper float64, err error) {
	return math.Inf(-1), math.Inf(1), nil
}

// IsFinished implements [Iteration].
func (Given) IsFinished() bool { return true }

// IsExhausted implements [Iteration].
func (Given) IsExhausted() bool { return true }

// Answer implements [Iteration].
func (g Given) Answer() Answer {
	return Answer{Values: vector.Of(g.Task.StartValues(1)), Policy: g.Task.Policy, Gain: math.NaN()}
}
