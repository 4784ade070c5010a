//go:build !petsc

package petsc_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/distributed/petsc"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// ring is a declaration whose rows can be asked for one by one: a walk on a circle that
// costs 1 in state 0 and may be turned round there.
type ring struct{ states int }

func (r ring) NumStates() int { return r.states }

func (r ring) NumActions(s int) int {
	if s == 0 {
		return 2
	}
	return 1
}

func (r ring) AppendRow(dst []mdp.Entry, s, a int) (row []mdp.Entry, cost float64) {
	if s == 0 {
		cost = 1
	}
	next := (s + 1) % r.states
	if a == 1 {
		next = (s + r.states - 1) % r.states
	}
	return append(dst, mdp.Entry{State: int32(next), Probability: 1}), cost
}

// The relative values of a walk round the circle are s/n, and prove that its gain is 1/n: to
// turn back in state 0 only leads there sooner.
func ExampleCheck() {
	world, err := petsc.Start()
	if err != nil {
		panic(err)
	}
	defer world.Close()
	values := func(first, last int) ([]float64, error) {
		var h []float64
		for s := first; s < last; s++ {
			h = append(h, float64((8-s)%8)*-0.125)
		}
		return h, nil
	}
	result, err := petsc.Check(context.Background(), world, ring{8}, mdp.LongRunAverage{}, 1e-9, values)
	if err != nil {
		panic(err)
	}
	fmt.Printf("gain %.3f, %v, action %d in state 0\n", result.Lower, result.Status, result.Policy[0])
	// Output: gain 0.125, converged, action 0 in state 0
}
