package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	state, _ := order.AppendBinary(nil)
	fmt.Println(sequence.AppendSlots(nil, order, 4))

	// After a restart:
	again, _ := sequence.NewEarliestDeadlineFirst(rates)
	if err := again.UnmarshalBinary(state); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sequence.AppendSlots(nil, again, 4))
	// Output:
	// [0 1 0 1 0 2]
	// [0 1 0 1]
	// [0 1 0 1]
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
	for _, page := range sequence.AppendSlots(nil, policy, int(policy.Cycle())) {
		fmt.Print(page+1, " ")
	}
	// Output: 4 2 4 1 3 4 2 4 1 3 4 2 3
}

// Rates of 2:1:1 split into equal gaps.
func ExampleBalancedWord() {
	word, err := sequence.NewBalancedWord([]float64{2, 1, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sequence.AppendSlots(nil, word, 8))
	// Output: [0 1 0 2 0 1 0 2]
}

func ExampleRandom() {
	draws, err := sequence.NewRandom([]float64{3, 1, 0}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	counts := make([]int, 3)
	for page := range sequence.Slots(draws) {
		counts[page]++
		if draws.Slot() == 10000 {
			break
		}
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

// When each page is fetched next, at four accesses a minute.
func ExampleTimetable() {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	timetable, err := sequence.NewTimetable(start, time.Minute, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	order, _ := sequence.NewEarliestDeadlineFirst([]float64{0.5, 0.3, 0.2})
	next, _ := sequence.NextSlots(context.Background(), order, 3, 10)
	for page, slot := range next {
		fmt.Println(page, timetable.Time(slot).Format(time.TimeOnly))
	}
	// Output:
	// 0 12:00:15
	// 1 12:00:30
	// 2 12:01:00
}

func ExampleRateError() {
	_, err := sequence.NewRoundRobin([]float64{1, -2})
	if fault, ok := errors.AsType[*sequence.RateError](err); ok {
		fmt.Println(fault.Page, fault)
	}
	// Output: 1 sequence: rates[1]: -2 is not valid: use a finite number of 0 or more
}
