package elimination_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/elimination"
)

// A gambler with 1 … 4 coins stakes one in each game, until there are none or
// five: state 0. With s coins that takes s·(5 − s) fair games on average.
func ExampleFactorization() {
	chain := graph.NewChain(5)
	chain.EndState() // 0 is the root, which is left at once
	for coins := range int32(4) {
		chain.Add(coins, 0.5)
		chain.Add((coins+2)%5, 0.5)
		chain.EndState()
	}
	plan, err := elimination.NewPlan(context.Background(), chain.Undirected(), math.Inf(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	factors, err := elimination.New(plan)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := factors.Factor(context.Background(), chain, []float64{math.Inf(1), 0, 0, 0, 0}); err != nil {
		fmt.Println(err)
		return
	}
	games := factors.Solve([]float64{0, 1, 1, 1, 1})
	fmt.Printf("%.4g\n", games)
	// Output: [0 4 6 6 4]
}
