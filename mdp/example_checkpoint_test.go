package mdp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A solve that is stopped goes on where it was.
func ExampleCheckpoint() {
	folder, err := os.MkdirTemp("", "checkpoint")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	// A walk between two states, each step with probability 0.01, that costs 1
	// in the second.
	model, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 1, 2},
		RowStart:      []int32{0, 2, 4},
		Columns:       []int32{0, 1, 0, 1},
		Probabilities: []float64{0.99, 0.01, 0.01, 0.99},
		Costs:         []float64{0, 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	settings := mdp.Settings{
		Method:     mdp.RelativeValueIteration{},
		MaxRounds:  400,
		Checkpoint: mdp.Checkpoint{Path: filepath.Join(folder, "walk")},
	}
	result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, settings)
	fmt.Println(result.Rounds, result.Status, errors.Is(err, mdp.ErrIterationLimit))

	settings.MaxRounds = 0
	result, err = mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, settings)
	fmt.Printf("%d %v %.6f %v\n", result.Rounds, result.Status, result.Gain, err)
	// Output:
	// 400 iteration-limit true
	// 1181 converged 0.500000 <nil>
}
