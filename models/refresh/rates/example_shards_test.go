package rates_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
)

// Questions go to all shards; the last one gives the pages their rates.
func ExampleQuestion() {
	pages := refresh.Pages{ChangeRates: []float64{1, 2, 3}}
	found := make([]float64, 3)
	p := rates.Sharded{Objective: "fixed-order", Bandwidth: 3}
	_, err := p.Optimize(context.Background(), func(q *rates.Question) (*rates.Answer, error) {
		if q.First() {
			fmt.Println("first question")
		}
		if q.Settles() {
			fmt.Println("last question, to", q.Pages, "pages")
		}
		return p.Answer(q, pages, found, 1)
	})
	fmt.Printf("%.4f %v\n", found, err)
	// Output:
	// first question
	// last question, to 3 pages
	// [0.9711 1.0841 0.9448] <nil>
}

// The coordinator needs one answer: the merged answers of all shards.
func ExampleAnswer() {
	shards := []refresh.Pages{{ChangeRates: []float64{1, 2, 3}}, {ChangeRates: []float64{4, 5}}}
	p := rates.Sharded{Objective: "age", Bandwidth: 5}
	solution, err := p.Optimize(context.Background(), func(q *rates.Question) (*rates.Answer, error) {
		all := &rates.Answer{}
		for _, pages := range shards {
			answer, err := p.Answer(q, pages, make([]float64, pages.Len()), 1)
			if err != nil {
				return nil, err
			}
			all.Merge(answer)
		}
		if q.First() {
			fmt.Println(all.Count, "pages")
		}
		return all, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("age %.4f\n", solution.Value)
	// Output:
	// 5 pages
	// age 1.2517
}
