package robots_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Relative value iteration by hand. The extremes of T W − W enclose the
// optimal cost per unit of time; Figure 6 of the paper prints 0.20907.
func ExampleModel() {
	m, err := robots.NewModel(robots.Parameters{
		Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	n := m.NumStates()
	v, next := make([]float64, n), make([]float64, n)
	least, greatest := m.Sweep(next, v, 1, 0, 0, n)
	for greatest-least > 1e-9 {
		v, next = next, v
		least, greatest = m.Sweep(next, v, 1, least, 0, n)
	}
	fmt.Printf("%d pairs, gain %.6f\n", n, least)

	actions := make([]int32, n)
	m.Backup(next, actions, v, 0, n)
	s := m.Index(robots.State{Queue: 2, Active: []int{4}})
	d := m.Decisions(s, int(actions[s]))
	fmt.Println("at (2,4) a departure activates class", d.Activate, "and an arrival reactivates it:", d.Reactivate.Has(0))
	// Output:
	// 101 pairs, gain 0.209074
	// at (2,4) a departure activates class 0 and an arrival reactivates it: true
}
