package parallel_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

func ExampleTeam() {
	vector := make([]float64, 10)
	cuts := parallel.Cuts(len(vector), 4)
	greatest := make([]float64, len(cuts)-1)

	team := parallel.NewTeam(2)
	defer team.Close()
	for range 3 { // sweeps
		team.For(len(greatest), func(block int) {
			for i := cuts[block]; i < cuts[block+1]; i++ {
				vector[i] += float64(i)
				greatest[block] = max(greatest[block], vector[i])
			}
		})
	}
	fmt.Println(cuts, greatest)
	// Output:
	// [0 4 8 10] [9 21 27]
}

func ExampleFor() {
	squares := make([]int, 5)
	parallel.For(2, len(squares), func(block int) { squares[block] = block * block })
	fmt.Println(squares)
	// Output:
	// [0 1 4 9 16]
}
