package refresh_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/queue"
)

// A host that allows one access to its two pages.
func ExampleProblem() {
	problem := refresh.Problem{
		Pages:     refresh.Pages{ChangeRates: []float64{1, 2, 3, 4, 5}, Weights: []float64{1, 1, 5, 5, 1}},
		Objective: refresh.Random{},
		Bandwidth: 6,
		Hosts:     []int32{0, 0, 1, 1, 0},
		HostCaps:  []float64{math.Inf(1), 1},
	}
	solution, err := rates.Optimize(context.Background(), problem, rates.Settings{})
	fmt.Printf("%.4f %v\n", solution.Rates, err)
	fmt.Printf("%.4f %.4f\n", solution.Multiplier, solution.HostMultipliers)
	// Output:
	// [1.7955 1.9535 0.7128 0.2872 1.2510] <nil>
	// 0.1280 [0.1280 1.0881]
}

func ExamplePages() {
	pages := refresh.Pages{ChangeRates: []float64{0.5, 2}}
	fmt.Println(pages.Len(), pages.Weight(1), pages.Validate())
	// Output: 2 1 <nil>
}

func ExamplePageError() {
	err := refresh.Pages{ChangeRates: []float64{0.5, -2}}.Validate()
	if fault, ok := errors.AsType[*refresh.PageError](err); ok {
		fmt.Println(fault.Page)
	}
	fmt.Println(err)
	// Output:
	// 1
	// refresh: ChangeRates[1]: -2 is not valid: use 0 or a number from 1e-100 to 1e+100
}

// best returns the optimal rates of three pages.
func best(objective refresh.Objective) string {
	pages := refresh.Pages{ChangeRates: []float64{0.1, 0.5, 0.9}, Weights: []float64{1, 1, 1}}
	solution, err := rates.Optimize(context.Background(),
		refresh.Problem{Pages: pages, Objective: objective, Bandwidth: 1}, rates.Settings{})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%v: %.4f, value %.4f", objective, solution.Rates, solution.Value)
}

func ExampleFixedOrder() {
	fmt.Println(best(refresh.FixedOrder{}))
	// Output: fixed-order: [0.2239 0.3854 0.3907], value 1.7574
}

func ExampleRandom() {
	fmt.Println(best(refresh.Random{}))
	// Output: random: [0.3009 0.3964 0.3027], value 1.4445
}

func ExampleDiscrete() {
	fmt.Println(best(refresh.Discrete{}))
	// Output: discrete: [0.2358 0.3965 0.3677], value 1.7156
}

func ExampleDecaying() {
	fmt.Println(best(refresh.Decaying{}))
	// Output: decaying: [0.3009 0.3964 0.3027], value 1.4445
}

func ExampleAge() {
	fmt.Println(best(refresh.Age{}))
	// Output: age: [0.2338 0.3604 0.4058], value 1.3113
}

// One access takes a unit of time on average, so that the crawler is never idle.
func ExampleCoffman() {
	law, _ := queue.NewExponential(1)
	fmt.Println(best(refresh.NewCoffman(law)))
	// Output: coffman: [0.2479 0.3817 0.3704], value 1.3704
}

func ExampleCoffmanRandomized() {
	law, _ := queue.NewExponential(1)
	fmt.Println(best(refresh.NewCoffmanRandomized(law)))
	// Output: coffman-randomized: [0.3009 0.3964 0.3027], value 1.5555
}

func ExampleParseObjective() {
	_, err := refresh.ParseObjective("coffman", nil)
	fmt.Println(err)
	// Output: refresh: objective coffman needs a law of access times
}

// logarithmic is an objective of one's own: a page is worth w·ln(1 + x/Δ), up to
// ten accesses per unit of time.
type logarithmic struct{}

func (logarithmic) Demand(rates, slopes []float64, pages refresh.Pages, multiplier float64) {
	for i, delta := range pages.ChangeRates {
		reach := pages.Weight(i) / multiplier // w/(Δ+x) = λ
		rates[i], slopes[i] = 0, 0
		if delta > 0 && reach > delta {
			rates[i], slopes[i] = reach-delta, reach
		}
	}
}

func (logarithmic) Measure(values, marginals []float64, pages refresh.Pages, rates []float64) {
	for i, delta := range pages.ChangeRates {
		if delta > 0 {
			values[i] = pages.Weight(i) * math.Log1p(rates[i]/delta)
			marginals[i] = pages.Weight(i) / (delta + rates[i])
		}
	}
}

func (logarithmic) Minimizes() bool { return false }

func (logarithmic) String() string { return "logarithmic" }

func (logarithmic) Limits() (changeRate, rate float64) { return 1e6, 10 }

func ExampleObjective() {
	fmt.Println(best(logarithmic{}))
	// Output: logarithmic: [0.7000 0.3000 0.0000], value 2.5494
}

func ExampleLimited() {
	var limited refresh.Limited = refresh.Discrete{}
	fmt.Println(limited.Limits())
	// Output: 1 1
}

// What the order of accesses is worth: page 0 twice in four slots, evenly spaced
// or not.
func ExampleEvaluator() {
	pages := refresh.Pages{ChangeRates: []float64{1, 0.5, 0.5}}
	law, _ := queue.NewDeterministic(0.5)
	for _, cycle := range [][]int{{0, 1, 0, 2}, {0, 0, 1, 2}} {
		evaluator, err := refresh.NewEvaluator(pages, law)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, page := range cycle {
			if err := evaluator.Access(page); err != nil {
				fmt.Println(err)
				return
			}
		}
		result := evaluator.Cycle()
		fmt.Printf("%v: cost %.4f, at least %.4f\n", cycle, result.Cost, result.Bound)
	}
	// Output:
	// [0 1 0 2]: cost 1.1036, at least 1.1036
	// [0 0 1 2]: cost 1.1506, at least 1.1036
}

func ExampleEvaluation() {
	law, _ := queue.NewExponential(1)
	evaluator, _ := refresh.NewEvaluator(refresh.Pages{ChangeRates: []float64{1, 0.5, 2}}, law)
	for _, page := range []int{0, 1, 1} {
		_ = evaluator.Access(page)
	}
	result := evaluator.Cycle()
	fmt.Println(result.Slots, result.Accesses)
	fmt.Printf("%.4f\n", result.Obsolescence) // the last page is never accessed
	// Output:
	// 3 [1 2 0]
	// [0.7083 0.4074 1.0000]
}

func ExampleLeastObsolescence() {
	law, _ := queue.NewDeterministic(1)
	fmt.Printf("%.4f %.4f\n", refresh.LeastObsolescence(law, 0.1, 0.25), refresh.RandomizedObsolescence(law, 0.1, 0.25))
	// Output: 0.1758 0.2597
}

// Under harmonic staleness even the page that changes most is accessed.
func ExampleHarmonic() {
	problem := refresh.Problem{
		Pages:     refresh.Pages{ChangeRates: []float64{1, 2, 3, 4, 5}},
		Objective: refresh.Harmonic{},
		Bandwidth: 5,
	}
	solution, err := rates.Optimize(context.Background(), problem, rates.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f, staleness %.4f\n", solution.Rates, solution.Value)
	// Output: [0.7829 0.9472 1.0372 1.0956 1.1371], staleness 6.5401
}

func ExampleFreshness() {
	pages := refresh.Pages{ChangeRates: []float64{1, 2}, Weights: []float64{1, 5}}
	fmt.Printf("%.4f\n", refresh.Freshness(refresh.Age{}, pages, []float64{1, 2}, nil, 1))
	// Output: [0.6321 0.6321]
}

// A page half of whose changes are signalled, with false signals now and then, is
// accessed as soon as it is up to date with a probability of 56% or less: at its first
// signal, or some time after the last access without one.
func ExampleSignals() {
	problem := refresh.Problem{
		Pages: refresh.Pages{
			ChangeRates: []float64{1, 3}, Weights: []float64{1, 1},
			Recalls: []float64{0.5, 0}, FalseRates: []float64{0.3, 0},
		},
		Objective: refresh.Signals{},
		Bandwidth: 3,
	}
	solution, err := rates.Optimize(context.Background(), problem, rates.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	accessAt := refresh.Signals{}.AccessAt(1, 0.5, 0.3, solution.Rates[0])
	fmt.Printf("rates %.4f, freshness %.4f, access at %.4f\n", solution.Rates, solution.Value, accessAt)
	fmt.Printf("up to date after 0.2 with %.4f, with %.4f if there was a signal\n",
		refresh.FreshProbability(1, 0.5, 0.3, 0.2, 0), refresh.FreshProbability(1, 0.5, 0.3, 0.2, 1))
	// Output:
	// rates [1.3178 1.6822], freshness 1.2580, access at 0.5578
	// up to date after 0.2 with 0.9048, with 0.3393 if there was a signal
}
