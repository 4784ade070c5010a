package mdp_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// half is one of the two states of [walk], on a machine that holds only that state.
type half struct{ cost float64 }

func (half) NumStates() int     { return 1 }
func (half) NumActions(int) int { return 1 }

func (h half) AppendRow(dst []mdp.Entry, _, _ int) ([]mdp.Entry, float64) {
	return append(dst, mdp.Entry{State: 0, Probability: 0.75}, mdp.Entry{State: 1, Probability: 0.25}), h.cost
}

// Each of two machines sweeps over its state, with the values of both. Their bounds together
// are bounds of the whole model.
func ExamplePart() {
	policy, residual := make([]int32, 1), make([]float64, 1)
	for _, machine := range []struct {
		part   mdp.Part
		values []float64
	}{
		{half{0}, []float64{0, 2}},
		{half{1}, []float64{2, 0}},
	} {
		lower, upper := mdp.LongRunAverage{}.Improve(machine.part, mdp.Vector{High: machine.values}, policy, residual)
		fmt.Printf("from %.3f to %.3f\n", lower, upper)
	}
	// Output:
	// from 0.500 to 0.500
	// from 0.500 to 0.500
}
