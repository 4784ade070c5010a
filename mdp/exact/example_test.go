package exact_test

import (
	"context"
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// A machine is new, worn or broken. It earns 3 a day when new and 2 when worn; it
// wears with probability 1/10 a day, and a worn one breaks with probability 1/5.
// A worn or broken one can be replaced, which takes the day and costs 4.
func machine() *exact.Model {
	model, err := exact.NewModel(exact.Arrays{
		StateStart: []int32{0, 1, 3, 4},
		RowStart:   []int32{0, 2, 4, 5, 6},
		Columns:    []int32{0, 1, 1, 2, 0, 0},
		Probabilities: []*big.Rat{
			big.NewRat(9, 10), big.NewRat(1, 10), // new: work
			big.NewRat(4, 5), big.NewRat(1, 5), // worn: work
			big.NewRat(1, 1), // worn: replace
			big.NewRat(1, 1), // broken: replace
		},
		Costs: []*big.Rat{big.NewRat(3, 1), big.NewRat(2, 1), big.NewRat(-4, 1), big.NewRat(-4, 1)},
	})
	if err != nil {
		panic(err)
	}
	return model
}

func ExampleAnswer() {
	answer, err := machine().Average(context.Background(), mdp.Maximize)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("gain:", answer.Values[0])
	fmt.Println("relative values:", answer.Relative)
	fmt.Println("policy:", answer.Policy)
	// Output:
	// gain: 26/11
	// relative values: [0 -70/11 -70/11]
	// policy: [0 1 0]
}

func ExampleModel_Discounted() {
	answer, err := machine().Discounted(context.Background(), mdp.Maximize, big.NewRat(9, 10))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Values, answer.Policy)
	// Output:
	// [47760/1931 36460/1931 35260/1931] [0 0 0]
}

// The least that a machine earns until it is broken. The most has no bound, since a worn
// one can be replaced.
func ExampleModel_Total() {
	for _, sense := range []mdp.Sense{mdp.Minimize, mdp.Maximize} {
		answer, err := machine().Total(context.Background(), sense, []int32{2})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(sense, answer.Values)
	}
	// Output:
	// minimize [40 10 0]
	// maximize [Infinity Infinity 0]
}

func ExampleModel_Finite() {
	answer, err := machine().Finite(context.Background(), mdp.Maximize, exact.Horizon{Steps: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Values, answer.Policy)
	// Output:
	// [859/100 101/25 19/10] [0 0 0]
}

// The answer, and the float64 numbers around it.
func ExampleValue() {
	answer, err := machine().Average(context.Background(), mdp.Maximize)
	if err != nil {
		fmt.Println(err)
		return
	}
	value := answer.Relative[2]
	lower, upper := value.Bounds()
	fmt.Println(value, lower, upper)
	// Output:
	// -70/11 -6.363636363636364 -6.363636363636363
}

// The value of a given policy: a model with one action in each state.
func ExampleModel_Follow() {
	never, err := machine().Follow([]int32{0, 0, 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := never.Average(context.Background(), mdp.Maximize)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Values[0])
	// Output:
	// 9/4
}

// Howard's toymaker who neither advertises nor does research: gain and relative values.
func ExampleArrays() {
	model, err := exact.NewModel(exact.Arrays{
		StateStart:    []int32{0, 1, 2},
		RowStart:      []int32{0, 2, 4},
		Columns:       []int32{0, 1, 0, 1},
		Probabilities: []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 2), big.NewRat(2, 5), big.NewRat(3, 5)},
		Costs:         []*big.Rat{big.NewRat(6, 1), big.NewRat(-3, 1)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := model.Average(context.Background(), mdp.Maximize)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Values, answer.Relative)
	// Output:
	// [1 1] [0 -10]
}

// A step weighs half as much as the one before, and what is left at the end is worth 1.
func ExampleHorizon() {
	one := big.NewRat(1, 1)
	answer, err := machine().Finite(context.Background(), mdp.Maximize, exact.Horizon{
		Steps: 3, Discount: big.NewRat(1, 2), Terminal: []*big.Rat{one, one, one},
		Stage: func(step int, policy []int32) { fmt.Println("step", step, policy) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Values)
	// Output:
	// step 2 [0 0 0]
	// step 1 [0 0 0]
	// step 0 [0 0 0]
	// [2099/400 567/200 -33/20]
}
