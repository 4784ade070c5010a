package docs_test

// The solutions of the exercises in course.md, in Go, and their answers found another way.

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

// solve compiles a problem and solves it.
func solve[S comparable, A any](p mdp.Problem[S, A], c mdp.Criterion) (*mdp.Compiled[S, A], *mdp.Result) {
	model, err := p.Compile(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	result, err := mdp.Solve(context.Background(), model, c, mdp.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	return model, result
}

func Example_admission() {
	problem, err := mdp.ContinuousProblem[int, string]{
		Start: []int{0},
		Actions: func(dst []string, n int) []string {
			if n == 6 {
				return append(dst, "refuse")
			}
			return append(dst, "admit", "refuse")
		},
		CostRate: func(n int, _ string) float64 { return float64(n) },
		Events: func(dst []mdp.Event[int], n int, action string) []mdp.Event[int] {
			if action == "admit" {
				dst = append(dst, mdp.Event[int]{State: n + 1, Rate: 1, Cost: -8})
			}
			if n > 0 {
				dst = append(dst, mdp.Event[int]{State: n - 1, Rate: 1.5})
			}
			return dst
		},
	}.Uniformize(context.Background(), 0)
	if err != nil {
		log.Fatal(err)
	}
	model, result := solve(problem, mdp.LongRunAverage{})
	n := 0
	for model.Choice(result, n) == "admit" {
		n++
	}
	fmt.Printf("admission: admit up to %d, %.4f an hour\n", n, -result.Gain)
	// Output: admission: admit up to 5, 6.1925 an hour
}

func Example_repair() {
	model, result := solve(mdp.Problem[int, string]{
		Start:   []int{0},
		Actions: func(dst []string, _ int) []string { return append(dst, "run", "repair") },
		Cost: func(wear int, action string) float64 {
			if action == "repair" {
				return 10
			}
			return float64(wear)
		},
		Next: func(dst []mdp.Outcome[int], wear int, action string) []mdp.Outcome[int] {
			if action == "repair" {
				return append(dst, mdp.Outcome[int]{State: 0, Probability: 1})
			}
			return append(dst, mdp.Outcome[int]{State: wear, Probability: 0.6}, mdp.Outcome[int]{State: min(wear+1, 4), Probability: 0.4})
		},
	}, mdp.LongRunAverage{})
	wear := 0
	for model.Choice(result, wear) == "run" {
		wear++
	}
	fmt.Printf("repair: from wear %d, %.4f a day\n", wear, result.Gain)
	// Output: repair: from wear 3, 2.0588 a day
}

// demand has the probabilities of 0, 1 and 2 customers.
var demand = []float64{0.25, 0.5, 0.25}

// week returns the cost of a week, and the stock at its end.
func week(stock, order, wanted int) (cost float64, left int) {
	sold := min(stock+order, wanted)
	left = stock + order - sold
	return float64(2*order+2*min(order, 1)-5*sold) + float64(left)/2, left
}

func Example_inventory() {
	model, result := solve(mdp.Problem[int, int]{
		Start: []int{0},
		Actions: func(dst []int, stock int) []int {
			for order := range 5 - stock {
				dst = append(dst, order)
			}
			return dst
		},
		Cost: func(stock, order int) (mean float64) {
			for wanted, p := range demand {
				cost, _ := week(stock, order, wanted)
				mean += p * cost
			}
			return mean
		},
		Next: func(dst []mdp.Outcome[int], stock, order int) []mdp.Outcome[int] {
			for wanted, p := range demand {
				_, left := week(stock, order, wanted)
				dst = append(dst, mdp.Outcome[int]{State: left, Probability: p})
			}
			return dst
		},
	}, mdp.LongRunAverage{})
	var orders []int
	for stock := range 5 {
		orders = append(orders, model.Choice(result, stock))
	}
	fmt.Printf("inventory: order by stock %d, %.4f a week\n", orders, -result.Gain)
	// Output: inventory: order by stock [3 0 0 0 0], 1.5625 a week
}

func Example_path() {
	type road struct {
		minutes float64
		to      []mdp.Outcome[string]
	}
	surely := func(to string) []mdp.Outcome[string] { return []mdp.Outcome[string]{{State: to, Probability: 1}} }
	roads := map[string]map[string]road{
		"home":   {"bridge": {10, surely("bridge")}, "ring": {15, surely("ring")}},
		"bridge": {"wait": {10, []mdp.Outcome[string]{{State: "work", Probability: 2. / 3}, {State: "bridge", Probability: 1. / 3}}}, "ring": {5, surely("ring")}},
		"ring":   {"drive": {12, surely("work")}},
		"work":   {"stay": {0, surely("work")}},
	}
	problem := mdp.Problem[string, string]{
		Start: []string{"home", "work"},
		Actions: func(dst []string, place string) []string {
			for _, name := range []string{"bridge", "ring", "wait", "drive", "stay"} {
				if _, is := roads[place][name]; is {
					dst = append(dst, name)
				}
			}
			return dst
		},
		Cost: func(place, name string) float64 { return roads[place][name].minutes },
		Next: func(dst []mdp.Outcome[string], place, name string) []mdp.Outcome[string] {
			return append(dst, roads[place][name].to...)
		},
	}
	model, result := solve(problem, mdp.TotalCost{Target: []int32{1}}) // work
	fmt.Printf("path: by the %s, %.4f minutes\n", model.Choice(result, "home"), result.Value[0])
	// Output: path: by the bridge, 25.0000 minutes
}

func Example_robots() {
	switched, err := robots.Solve(context.Background(), robots.Parameters{Robots: 4, Buffer: 3, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1.4}, mdp.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	fixed, err := static.Parameters{ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1.4, Buffer: 3}.Optimize()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("robots: %d fixed cost %.4f, switched %.4f\n", fixed.Robots, fixed.Cost, switched.Gain)
	// Output: robots: 2 fixed cost 0.6000, switched 0.2538
}

func Example_refresh() {
	solution, err := rates.Optimize(context.Background(), refresh.Problem{
		Pages:     refresh.Pages{ChangeRates: []float64{0.2, 1, 20}},
		Objective: refresh.FixedOrder{},
		Bandwidth: 3,
	}, rates.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("refresh: rates %.4f, freshness %.4f\n", solution.Rates, solution.Value/3)
	// Output: refresh: rates [0.9893 2.0107 0.0000], freshness 0.5644
}

// The answers hold by other means: closed forms, all policies, a bisection. The page and the solutions
// in Python have the same.
func TestCourse(t *testing.T) {
	type answer = struct {
		value float64
		words string
	}
	var admission, repair, stock answer
	for room := range 7 { // an M/M/1/K queue for each threshold
		sum, mean := 0.0, 0.0
		for n := range room + 1 {
			sum += math.Pow(1/1.5, float64(n))
			mean += float64(n) * math.Pow(1/1.5, float64(n))
		}
		if earned := 8*(1-math.Pow(1/1.5, float64(room))/sum) - mean/sum; earned > admission.value {
			admission = answer{earned, fmt.Sprintf("admission: admit up to %d, %.4f an hour", room, earned)}
		}
	}
	for wear := 1; wear <= 4; wear++ { // a cycle has 2.5 days at each wear, and a day of repair
		days := 2.5*float64(wear) + 1
		if cost := (2.5*float64(wear*(wear-1)/2) + 10) / days; wear == 1 || cost < repair.value {
			repair = answer{cost, fmt.Sprintf("repair: from wear %d, %.4f a day", wear, cost)}
		}
	}
	for code := range 5 * 4 * 3 * 2 { // all policies: stock s orders 0 to 4−s
		orders := []int{code % 5, code / 5 % 4, code / 20 % 3, code / 60, 0}
		share := []float64{1, 0, 0, 0, 0}
		earned := 0.0
		for range 500 {
			next := make([]float64, 5)
			earned = 0
			for s, p := range share {
				for wanted, q := range demand {
					cost, left := week(s, orders[s], wanted)
					next[left] += p * q
					earned -= p * q * cost
				}
			}
			for s := range next { // mixed, for policies with a period
				share[s] = (share[s] + next[s]) / 2
			}
		}
		if c := cmp.Compare(math.Round(earned*1e9), math.Round(stock.value*1e9)); c > 0 {
			stock = answer{earned, fmt.Sprintf("inventory: order by stock %d, %.4f a week", orders, earned)}
		}
	}
	bridge := min(10/(1-1./3), 5+12)
	path := fmt.Sprintf("path: by the %s, %.4f minutes", map[bool]string{true: "bridge", false: "ring"}[10+bridge < 15+12], min(10+bridge, 15+12))

	var words []string
	for _, one := range []answer{admission, repair, stock} {
		words = append(words, one.words)
	}
	words = append(words, path)

	fixed := math.Inf(1)
	for n := 1; n < 20; n++ {
		q := queue.MM1K{ArrivalRate: float64(n) / 2, ServiceRate: 1, Buffer: 3}
		fixed = min(fixed, 1.4*q.Empty()+q.LossRate())
	}
	low, high := 0.0, 1.0 // the multiplier: page i gets c/z with 1 − (1+z)·e^(−z) = m·c
	var given []float64
	for range 100 {
		m, sum := (low+high)/2, 0.0
		given = nil
		for _, c := range []float64{0.2, 1, 20} {
			from, to := 0.0, 700.0
			for range 200 {
				if z := (from + to) / 2; 1-(1+z)*math.Exp(-z) < m*c {
					from = z
				} else {
					to = z
				}
			}
			rate := c / to
			if m*c >= 1 {
				rate = 0
			}
			given = append(given, rate)
			sum += rate
		}
		if sum > 3 {
			low = m
		} else {
			high = m
		}
	}
	fresh := 0.0
	for i, c := range []float64{0.2, 1, 20} {
		if given[i] > 0 {
			fresh += (1 - math.Exp(-c/given[i])) * given[i] / c / 3
		}
	}

	page, err := os.ReadFile("course.md")
	require.NoError(t, err)
	source, err := os.ReadFile("course_test.go")
	require.NoError(t, err)
	_, block, _ := strings.Cut(string(page), "```text\n")
	block, _, _ = strings.Cut(block, "```")
	lines := strings.Split(strings.TrimSpace(block), "\n")
	require.Len(t, lines, 6)
	assert.Equal(t, words, lines[:4])
	assert.Contains(t, lines[4], fmt.Sprintf("fixed cost %.4f", fixed))
	assert.Equal(t, fmt.Sprintf("refresh: rates %.4f, freshness %.4f", given, fresh), lines[5])
	for _, line := range lines {
		assert.Contains(t, string(source), "// Output: "+line+"\n")
	}
}
