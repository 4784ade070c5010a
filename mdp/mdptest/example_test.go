package mdptest_test

import (
	"testing"

	"github.com/mdpsolve/mdpsolve/mdp/mdptest"
)

// Call TestModel in a test of your model.
func ExampleTestModel() {
	_ = func(t *testing.T) {
		mdptest.TestModel(t, myModel{})
	}
	// Output:
}

// myModel is a chain that stays where it is, at a cost of 1 a step.
type myModel struct{}

func (myModel) NumStates() int { return 3 }

func (myModel) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	for s := lo; s < hi; s++ {
		dst[s] = 1 + v[s]
		if act != nil {
			act[s] = 0
		}
	}
}

func TestMyModel(t *testing.T) { mdptest.TestModel(t, myModel{}) }
