package paper_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
)

func ExampleState() {
	s := paper.State{Queue: 3, Active: 2, Event: paper.Arrival}
	fmt.Printf("%+v\n", s)
	// Output: {Queue:3 Active:2 Event:arrival}
}

// The transitions from a full queue when a robot delivers a page, which is
// lost: with the robot reactivated (action 1), two of them stay active.
func ExampleEventModel() {
	m, err := paper.NewEventModel(robots.Parameters{
		Robots: 3, Buffer: 4, ArrivalRate: 1, ServiceRate: 2, StarvationWeight: 1.4,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	row, cost := m.AppendRow(nil, m.Index(paper.State{Queue: 4, Active: 2, Event: paper.Arrival}), 1)
	fmt.Println(m.NumStates(), "states; cost", cost)
	for _, e := range row {
		fmt.Printf("%+v %.1f\n", m.State(int(e.State)), e.Probability)
	}
	// Output:
	// 50 states; cost 5
	// {Queue:4 Active:2 Event:departure} 0.4
	// {Queue:4 Active:2 Event:arrival} 0.4
	// {Queue:4 Active:2 Event:fictitious} 0.2
}
