package queue_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/mdpsolve/mdpsolve/queue"
)

// At ρ = 1 all K + 1 states are equally likely.
func ExampleMM1K() {
	q := queue.MM1K{ArrivalRate: 2, ServiceRate: 2, Buffer: 4}
	fmt.Printf("empty %.1f, full %.1f, lost %.1f per unit of time, mean length %.1f\n",
		q.Empty(), q.Full(), q.LossRate(), q.MeanLength())
	// Output: empty 0.2, full 0.2, lost 0.4 per unit of time, mean length 2.0
}

// Small probabilities keep their digits.
func ExampleMM1K_Empty() {
	q := queue.MM1K{ArrivalRate: 10, ServiceRate: 1, Buffer: 200}
	fmt.Println(q.Empty())
	// Output: 9e-201
}

// Constant services lose fewer customers than variable ones of the same mean.
func ExampleMG1K() {
	for _, text := range []string{"deterministic", "exponential", "hyperexponential:0.9@1,0.1@11"} {
		law, err := queue.ParseLaw(text, 1, nil)
		if err != nil {
			panic(err)
		}
		q := queue.NewMG1K(0.8, law, 10)
		fmt.Printf("%s: %.6f\n", law, q.Full())
	}
	// Output:
	// deterministic: 0.003639
	// exponential: 0.023493
	// hyperexponential:0.9@1,0.1@11: 0.113530
}

func ExampleLaw() {
	var law queue.Law
	law, err := queue.ParseLaw("gamma:5/2", 2, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(law, law.Mean(), law.Variance())
	// The probability of an arrival during a service if arrivals are rare.
	fmt.Println(law.LaplaceComplement(1e-20))
	// Output:
	// gamma:2.5 2 1.6
	// 2e-20
}

func ExampleArrivals() {
	law, err := queue.NewExponential(1)
	if err != nil {
		panic(err)
	}
	counts := law.Arrivals(1, 3)
	fmt.Println(counts.Exactly)
	fmt.Println(counts.AtLeast)
	fmt.Println(counts.Excess)
	// Output:
	// [0.5 0.25 0.125 0.0625]
	// [1 0.5 0.25 0.125]
	// [1 0.5 0.25 0.125]
}

func ExampleParseLaw() {
	open := func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("1.5\n2.5 x\n")), nil
	}
	_, err := queue.ParseLaw("sample:times.txt", 1, open)
	fmt.Println(err)
	_, err = queue.ParseLaw("gamma:-2", 1, open)
	fmt.Println(err)
	// Output:
	// times.txt:2:5: found "x"; expected a number such as 1.5, 1e-3 or 17/15
	// gamma: shape "-2" is not valid: use a number above 0
}

func ExampleNewExponential() {
	law, err := queue.NewExponential(0.5)
	fmt.Println(law, law.Variance(), law.Laplace(2), err)
	// Output: exponential 0.25 0.5 <nil>
}

func ExampleNewDeterministic() {
	law, err := queue.NewDeterministic(0.5)
	fmt.Println(law, law.Variance(), law.Laplace(0), err)
	// Output: deterministic 0 1 <nil>
}

func ExampleNewErlang() {
	law, err := queue.NewErlang(2, 1)
	fmt.Println(law, law.Variance(), law.Laplace(2), err)
	// Output: erlang:2 0.5 0.25 <nil>
}

func ExampleNewGamma() {
	law, err := queue.NewGamma(0.5, 1)
	fmt.Println(law, law.Variance(), err)
	// Output: gamma:0.5 2 <nil>
}

// Weights need not sum to 1, and means are scaled: here to 3/4 and 3/2.
func ExampleNewHyperexponential() {
	law, err := queue.NewHyperexponential([]float64{2, 1}, []float64{1, 2}, 1)
	fmt.Println(law, law.Mean(), law.Variance(), err)
	// Output: hyperexponential:2@1,1@2 1 1.25 <nil>
}

// Two phases of mean 1/2, the second of which half of the services skip; then
// scaled from mean 3/4 to 3.
func ExamplePhaseType() {
	law, err := queue.NewPhaseType("coxian", []float64{1, 0}, [][]float64{{-2, 1}, {0, -2}}, 3)
	fmt.Println(law, law.Phases(), law.Mean(), law.Variance(), err)
	// Output: ph:coxian 2 3 7 <nil>
}

func ExampleNewSample() {
	law, err := queue.NewSample("times", []float64{1, 3}, 1)
	fmt.Println(law, law.Mean(), law.Variance(), err)
	// Output: sample:times 1 0.25 <nil>
}

// A third of the services have three phases, the others one.
func ExampleNewHyperErlang() {
	law, err := queue.NewHyperErlang([]float64{1, 2}, []int{3, 1}, []float64{2, 0.5}, 1)
	fmt.Printf("%v %g %.6g %v\n", law, law.Mean(), law.Variance(), err)
	// Output: hypererlang:1@3@2,2@1@0.5 1 1.11111 <nil>
}

func ExampleFit() {
	sample, _ := queue.NewSample("times", []float64{0.9, 1.6, 0.5, 1.1, 2.2, 0.7, 1.3, 0.8}, 1.1375)
	fit, err := queue.FitPhaseType(sample, 5)
	fmt.Printf("%v %.4f %.4f %v\n", fit.Law, fit.Distance, fit.Distribution(1), err)
	// Output: erlang:5 0.1374 0.4480 <nil>
}
