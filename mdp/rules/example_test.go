package rules_test

import (
	"fmt"
	"os"

	"github.com/mdpsolve/mdpsolve/mdp/rules"
)

// A server with a queue of up to 4 that works from 2 customers on, and goes on until the
// queue is empty, as rules.
func ExampleTree() {
	variables, actions := []string{"queue", "busy"}, []string{"rest", "work"}
	values := [][]int64{
		{0, 1, 2, 3, 4, 0, 1, 2, 3, 4},
		{0, 0, 0, 0, 0, 1, 1, 1, 1, 1},
	}
	policy := []int32{0, 0, 1, 1, 1, 0, 1, 1, 1, 1}
	tree, err := rules.Grow(values, policy)
	if err != nil {
		fmt.Println(err)
		return
	}
	write := func(tree *rules.Tree) {
		_ = tree.Write(os.Stdout, func(variable int, bound int64, above bool) string {
			if above {
				return fmt.Sprintf("%s > %d", variables[variable], bound)
			}
			return fmt.Sprintf("%s <= %d", variables[variable], bound)
		}, func(action int32) string { return actions[action] })
	}
	write(tree)
	fmt.Println("In two rules:")
	write(tree.Prune(2, values, len(actions), func(state int, sums []float64) { // each state counts the same
		sums[1-policy[state]]++
	}))
	// Output:
	// if queue > 1: work
	// else if queue <= 0: rest
	// else if busy <= 0: rest
	// else: work
	// In two rules:
	// if queue <= 1: rest
	// else: work
}
