package paper_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
)

// The declared form is solved as any model of package mdp is, and its answer
// read by states and actions.
func ExampleNewProblem() {
	problem, err := paper.NewProblem(figure7)
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := problem.Compile(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d states, %d transitions, gain %.6f\n", model.NumStates(), model.NumTransitions(), result.Gain)
	for queue := 1; queue <= 5; queue++ {
		i, _ := model.Index(paper.State{Queue: queue, Active: 9, Event: paper.Arrival})
		fmt.Print(model.Action(i, int(result.Policy[i])), " ")
	}
	fmt.Println("by queue length, where one of nine robots delivers a page")
	// Output:
	// 277 states, 1289 transitions, gain 0.259240
	// 1 1 0 0 0 by queue length, where one of nine robots delivers a page
}

func ExampleState() {
	s := paper.State{Queue: 3, Active: 2, Event: paper.Arrival}
	fmt.Printf("%+v\n", s)
	// Output: {Queue:3 Active:2 Event:arrival}
}
