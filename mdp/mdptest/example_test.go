package mdptest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdptest"
)

var catalogue = sync.OnceValue(mdptest.Catalogue)

// find returns a problem of the catalogue.
func find(name string) *mdptest.Problem {
	for _, problem := range catalogue() {
		if problem.Name == name {
			return problem
		}
	}
	return nil
}

func ExampleProblem() {
	problem := find("maintenance")
	fmt.Println(problem.Answer)
	fmt.Println("the average from state", problem.State(0), "is", problem.Optimum[0])

	result, err := mdp.Solve(context.Background(), problem.Table(), problem.Criterion, mdp.Settings{})
	fmt.Printf("%.6f %v\n", result.Optimum(0), err)
	// Output:
	// repair in state 4 and no sooner: 95/219
	// the average from state 1 is 95/219
	// 0.433790 <nil>
}

func ExampleForm() {
	for _, form := range find("admission").Forms() {
		_, listed := form.Model.(mdp.Explicit)
		fmt.Printf("%v: lists its rows %t\n", form, listed)
	}
	// Output:
	// admission, table: lists its rows true
	// admission, compiled: lists its rows true
	// admission, rows: lists its rows true
	// admission, follower: lists its rows false
	// admission, fused: lists its rows false
	// admission, backup: lists its rows false
}

func ExampleAnswer() {
	form := find("toymaker").Forms()[0]
	fmt.Println(form.Verify(mdptest.Answer{
		Lower: []float64{1.9, 1.9}, Value: []float64{2, 2}, Upper: []float64{2.1, 2.1},
		Policy: []int32{1, 1}, Converged: true,
	}))
	fmt.Println(form.Verify(mdptest.Answer{
		Lower: []float64{1.9, 1.9}, Value: []float64{2, 2.001}, Upper: []float64{2.1, 2.1},
		Policy: []int32{1, 1}, Converged: true,
	}))
	// Output:
	// <nil>
	// toymaker, table: state 2: value 2.001 is not close to the optimum 2
}

// A solver of one's own, here mdp.Solve with a method, is tested in a test:
//
//	func TestMine(t *testing.T) { mdptest.TestSolver(t, mine) }
func ExampleSolver() {
	var mine mdptest.Solver = func(ctx context.Context, model mdp.Model, criterion mdp.Criterion, workers int) (mdptest.Answer, error) {
		result, err := mdp.Solve(ctx, model, criterion, mdp.Settings{Method: mdp.RelativeValueIteration, Workers: workers})
		if result == nil {
			return mdptest.Answer{}, err
		}
		return mdptest.AnswerOf(result), nil // complete, whatever the error
	}
	form := find("land-of-oz").Forms()[0]
	answer, err := mine(context.Background(), form.Model, form.Criterion, 1)
	fmt.Printf("%.4f %t, %v, %v\n", answer.Value[0], answer.Converged, err, form.Verify(answer))
	// Output:
	// 0.4000 true, <nil>, <nil>
}

// A model of one's own is tested in a test.
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
