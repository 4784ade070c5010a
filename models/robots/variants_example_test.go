package robots_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/queue"
)

// slowAndFast has eight slow robots and four fast ones.
func slowAndFast() robots.Parameters {
	return robots.Parameters{
		Classes:          []robots.Class{{Robots: 8, ArrivalRate: 0.05}, {Robots: 4, ArrivalRate: 0.2}},
		Buffer:           5,
		ServiceRate:      1,
		StarvationWeight: 1.4,
		RobotCost:        0.01,
	}
}

// Robots of two classes, each of which costs while it is active.
func ExampleSolve_variants() {
	fleet := slowAndFast()
	solution, err := robots.Solve(context.Background(), fleet, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fixed, err := fleet.BestStatic(context.Background(), robots.Limit{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("switched: cost %.4f, active on average %.2f\n", solution.Gain, solution.Measures.RobotsMeanByClass)
	fmt.Printf("fixed:    cost %.4f, active always %d\n", fixed.Cost, fixed.Robots)
	// Output:
	// switched: cost 0.3423, active on average [5.64 3.08]
	// fixed:    cost 0.4722, active always [2 4]
}

// Indexing times in two phases of equal mean vary less than exponential ones,
// which makes the queue cheaper.
func ExampleParameters_service() {
	plain := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	for _, name := range []string{"exponential", "erlang:2"} {
		law, err := queue.ParseLaw(name, 1, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fleet := plain
		fleet.Service = law
		solution, err := robots.Solve(context.Background(), fleet, mdp.Settings{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-11s %.5f\n", law, solution.Gain)
	}
	// Output:
	// exponential 0.25924
	// erlang:2    0.19994
}

func ExampleClass() {
	fleet := slowAndFast()
	fleet.Classes[1] = robots.Class{Robots: 0, ArrivalRate: 0.2}
	fmt.Println(fleet.Validate())
	// Output: robots: Classes[1].Robots 0 is not valid: use at least 1
}

func ExampleModel_variants() {
	model, err := robots.NewModel(slowAndFast())
	if err != nil {
		fmt.Println(err)
		return
	}
	state := model.Index(robots.State{Queue: 2, Active: []int{3, 1}})
	fmt.Println(model.NumStates(), "states,", model.NumActions(state), "actions")
	row, cost := model.AppendRow(nil, state, 0)
	for _, entry := range row {
		fmt.Printf("%+v %.3f\n", model.State(int(entry.State)), entry.Probability)
	}
	fmt.Printf("cost %.2f per unit of time\n", cost)
	// Output:
	// 269 states, 12 actions
	// {Queue:1 Phase:0 Active:[3 1]} 0.455
	// {Queue:3 Phase:0 Active:[2 1]} 0.068
	// {Queue:3 Phase:0 Active:[3 0]} 0.091
	// {Queue:2 Phase:0 Active:[3 1]} 0.386
	// cost 0.04 per unit of time
}

func ExamplePolicy_variants() {
	solution, err := robots.Solve(context.Background(), slowAndFast(), mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, queue := range []int{1, 3, 5} {
		d := solution.Policy.Decisions(robots.State{Queue: queue, Active: []int{2, 2}})
		fmt.Println(queue, "pages: activate class", d.Activate, "after a departure, send out again", d.Reactivate.Has(0), d.Reactivate.Has(1))
	}
	// Output:
	// 1 pages: activate class 1 after a departure, send out again true true
	// 3 pages: activate class 1 after a departure, send out again true true
	// 5 pages: activate class -1 after a departure, send out again false false
}

// Numbers of each class that are never changed.
func ExampleStaticMix() {
	mix, err := slowAndFast().EvaluateStatic(8, 3)
	fmt.Printf("rate %.1f, cost %.4f, starved %.4f, lost %.4f %v\n", mix.ArrivalRate, mix.Cost, mix.Starvation, mix.LossRate, err)
	// Output: rate 1.0, cost 0.5100, starved 0.1667, lost 0.1667 <nil>
}

// All policies that are best for some weight of the range.
func ExampleFrontier() {
	fleet := robots.Parameters{Robots: 4, Buffer: 3, ArrivalRate: 0.4, ServiceRate: 1}
	frontier, err := robots.NewFrontier(context.Background(), fleet, robots.FrontierSettings{From: 0.5, To: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, point := range frontier.Points {
		fmt.Printf("γ from %.3f to %.3f: starved %.4f, lost %.4f\n",
			point.From, point.To, point.Measures.Starvation, point.Measures.LossRate)
	}
	// Output:
	// γ from 0.500 to 1.005: starved 0.2078, lost 0.0296
	// γ from 1.005 to 2.057: starved 0.1786, lost 0.0589
	// γ from 2.057 to 3.026: starved 0.1588, lost 0.0996
	// γ from 3.026 to 3.876: starved 0.1445, lost 0.1429
	// γ from 3.876 to 5.000: starved 0.1322, lost 0.1905
}

// With a limit on the number of policies, Gap says what may be missed.
func ExampleFrontierSettings() {
	fleet := robots.Parameters{Robots: 4, Buffer: 3, ArrivalRate: 0.4, ServiceRate: 1}
	frontier, err := robots.NewFrontier(context.Background(), fleet, robots.FrontierSettings{From: 0.5, To: 5, MaxPoints: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d policies, within %.1f%% of the best\n", len(frontier.Points), 100*frontier.Gap)
	// Output: 3 policies, within 6.0% of the best
}

func ExampleFrontierPoint() {
	fleet := robots.Parameters{Robots: 4, Buffer: 3, ArrivalRate: 0.4, ServiceRate: 1}
	frontier, err := robots.NewFrontier(context.Background(), fleet, robots.FrontierSettings{From: 0.5, To: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	point := frontier.Points[1]
	fmt.Printf("%.2f robots are active on average\n", point.Measures.RobotsMean)
	// Output: 2.20 robots are active on average
}

func ExampleClassSet() {
	set := robots.ClassSet(1<<1 | 1<<3)
	fmt.Println(set.Has(0), set.Has(1), set.Has(2), set.Has(3))
	// Output: false true false true
}

func ExampleState() {
	state := robots.State{Queue: 2, Phase: 1, Active: []int{3, 1}}
	fmt.Printf("%+v\n", state)
	// Output: {Queue:2 Phase:1 Active:[3 1]}
}

// A rule of thumb as a policy, and what it does.
func ExampleDecisions() {
	fleet := slowAndFast()
	policy, err := robots.NewPolicy(fleet, func(s robots.State) robots.Decisions {
		d := robots.Decisions{Activate: robots.NoClass}
		if s.Queue <= 2 && s.Active[1] < fleet.Classes[1].Robots {
			d.Activate = 1 // a fast one
		}
		if s.Queue <= 3 {
			d.Reactivate = 0b11
		}
		return d
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	measures, err := robots.Measure(context.Background(), policy)
	fmt.Printf("cost %.3f %v\n", measures.Gain, err)
	// Output: cost 0.488 <nil>
}

func ExampleMeasures_variants() {
	fleet := slowAndFast()
	fleet.ActivationCost = 0.05
	solution, err := robots.Solve(context.Background(), fleet, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := solution.Measures
	parts := 1.4*m.Starvation + m.LossRate + 0.01*m.RobotsMean + 0.05*m.ActivationRate
	fmt.Printf("%.4f is %.4f\n", m.Gain, parts)
	// Output: 0.3696 is 0.3696
}

func ExampleReadPolicy() {
	fleet := slowAndFast()
	solution, err := robots.Solve(context.Background(), fleet, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := solution.Policy.WriteJSON(&file); err != nil {
		fmt.Println(err)
		return
	}
	policy, err := robots.ReadPolicy(&file, "policy.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	state := robots.State{Queue: 3, Active: []int{2, 2}}
	fmt.Println(policy.Decisions(state) == solution.Policy.Decisions(state))
	measures, err := robots.Measure(context.Background(), policy)
	fmt.Printf("%.6f and %.6f, %v\n", solution.Measures.Gain, measures.Gain, err)
	// Output:
	// true
	// 0.342305 and 0.342305, <nil>
}
