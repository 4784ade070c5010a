package sequence_test

import (
	"fmt"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

func ExampleSequence() {
	rates := []float64{3, 2, 1}
	var order sequence.Sequence
	order, err := sequence.NewEarliestDeadlineFirst(rates)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sequence.AppendSlots(nil, order, 6))
	fmt.Println(sequence.AppendSlots(nil, order, 4), order.Slot())
	// Output:
	// [0 1 0 1 0 2]
	// [0 1 0 1] 10
}

func ExampleEarliestDeadlineFirst() {
	order, err := sequence.NewEarliestDeadlineFirst([]float64{0.5, 0.3, 0.2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sequence.AppendSlots(nil, order, 10))
	// Output: [0 1 0 2 0 1 0 2 0 1]
}

// The example of Coffman, Liu and Weber, section 5, whose pages are 1 to 4.
func ExampleGoldenRatio() {
	policy, err := sequence.NewGoldenRatio([]float64{2. / 13, 3. / 13, 3. / 13, 5. / 13}, 13)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, page := range sequence.AppendSlots(nil, policy, 13) {
		fmt.Print(page+1, " ")
	}
	// Output: 4 2 4 1 3 4 2 4 1 3 4 2 3
}

func ExampleRandom() {
	draws, err := sequence.NewRandom([]float64{3, 1, 0}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	counts := make([]int, 3)
	for range 10_000 {
		counts[draws.Next()]++
	}
	fmt.Println(counts[0]/100, counts[1]/100, counts[2])
	// Output: 75 24 0
}

func ExampleRoundRobin() {
	round, err := sequence.NewRoundRobin([]float64{1, 0, 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sequence.AppendSlots(nil, round, 5))
	// Output: [0 2 0 2 0]
}

// When the first three accesses take place, at four a minute.
func ExampleTimetable() {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	timetable, err := sequence.NewTimetable(start, time.Minute, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	order, _ := sequence.NewEarliestDeadlineFirst([]float64{0.5, 0.3, 0.2})
	for slot, page := range sequence.AppendSlots(nil, order, 3) {
		fmt.Println(page, timetable.Time(int64(slot+1)).Format(time.TimeOnly))
	}
	// Output:
	// 0 12:00:15
	// 1 12:00:30
	// 0 12:00:45
}

// Two hosts, one of which has a delay of four slots after each access. A
// page joins: its first access comes soon.
func ExampleQueue() {
	q := sequence.NewQueue()
	slow, quick := q.AddGroup(0, 4), q.AddGroup(0, 0)
	for page, host := range []int{slow, slow, quick, quick} {
		rate := 0.25
		q.Put(page, sequence.Visit{Group: host, Rate: rate, Due: 1 / rate})
	}
	for slot := 1.0; slot <= 12; slot++ {
		if slot == 9 {
			q.Join(4, quick, 0.01, slot)
		}
		fmt.Print(q.Next(slot), " ")
	}
	// Output: 0 2 3 2 1 3 -1 2 0 4 3 2
}

// What is saved of a page is its Visit.
func ExampleVisit() {
	q := sequence.NewQueue()
	q.Put(7, sequence.Visit{Rate: 0.5, Due: 10}) // last accessed at 8
	fmt.Println(q.Next(9), q.Visit(7))
	again := sequence.NewQueue()
	again.Put(7, q.Visit(7))
	again.SetRate(7, 0.25, 10) // at 10, all of the interval of 2 is left, now of 4
	fmt.Println(again.Visit(7).Due)
	// Output:
	// 7 {0 0.5 12 false false}
	// 14
}

// One of two hosts is asked for more accesses than its delay of 4 slots allows.
func ExamplePlan() {
	hosts := []sequence.Group{{Parent: -1, Delay: 4}, {Parent: -1}}
	visits := []sequence.Visit{
		{Group: 1, Rate: 0.4, Due: 1 / 0.4},
		{Group: 2, Rate: 0.3, Due: 1 / 0.3},
		{Group: 2, Rate: 0.3, Due: 1 / 0.3},
	}
	cut, lost := sequence.FitDelays(visits, hosts)
	fmt.Printf("host %d is cut, %.2f of the slots are lost\n", cut[0], lost)
	plan, err := sequence.NewPlan(visits, hosts)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sequence.AppendSlots(nil, plan, 13))
	// Output:
	// host 0 is cut, 0.15 of the slots are lost
	// [1 2 0 1 2 1 0 2 1 2 0 1 2]
}

// A host inside a registered domain: both keep their delays.
func ExampleGroup() {
	groups := []sequence.Group{{Parent: -1, Delay: 2}, {Parent: 0, Delay: 5}}
	plan, err := sequence.NewPlan([]sequence.Visit{
		{Group: 1, Rate: 0.3, Due: 3}, // of the domain
		{Group: 2, Rate: 0.2, Due: 5}, // of the host
	}, groups)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sequence.AppendSlots(nil, plan, 8))
	// Output:
	// [0 -1 0 -1 1 -1 0 -1]
}

// What was accessed in the slots before says when pages are due. The last page is new. One
// access more is due than the two slots allow, so that the price of an access goes up.
func ExamplePast() {
	past := sequence.Past{
		Rates:    []float64{0.5, 0.25, 0.25},
		Accessed: []float64{-1, -4, math.NaN()},
		Spacings: []refresh.Spacing{refresh.SpacingOf(0.7), refresh.SpacingOf(0.5), refresh.SpacingOf(0.6)},
	}
	visits, outlook := past.Visits(2)
	for page, v := range visits {
		fmt.Printf("page %d is due in slot %.2f\n", page, v.Due)
	}
	fmt.Printf("price %.2f, %d new, freshness %.1f%%\n", outlook.Price, outlook.First, 100*outlook.Freshness)
	// Output:
	// page 0 is due in slot 1.59
	// page 1 is due in slot 2.00
	// page 2 is due in slot 1.00
	// price 1.46, 1 new, freshness 87.1%
}
