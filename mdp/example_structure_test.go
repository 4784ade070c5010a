package mdp_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// The gambler ends at 0 or at 4, which are absorbing.
func ExampleStructure() {
	structure := mdp.Analyze(gambler())
	fmt.Println(structure.Components, "components,", structure.EndComponents, "of which one can stay in")
	fmt.Println("end component of each state:", structure.Component)
	fmt.Println("period", structure.Period)
	// Output:
	// 3 components, 2 of which one can stay in
	// end component of each state: [0 -1 -1 -1 1]
	// period 1
}

func ExampleAnalyze() {
	fmt.Println(mdp.Analyze(gambler()).Classification)
	fmt.Println(mdp.Analyze(weather()).Classification)
	// Output:
	// multichain
	// unichain
}
