package mdp_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// store holds up to size goods. Each day a customer wants one with probability 1/2.
// Holding one costs 1 a day, having none 10. Each morning one may be ordered. The rows
// are computed, not stored.
type store struct{ size int }

func (m store) NumStates() int { return m.size + 1 }

func (m store) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	for s := lo; s < hi; s++ {
		best := math.Inf(1)
		for order := range 2 {
			if value := m.value(v, s, order); value < best {
				best = value
				if act != nil {
					act[s] = int32(order)
				}
			}
		}
		dst[s] = best
	}
}

func (m store) value(v []float64, s, order int) float64 {
	if s == 0 && order == 0 {
		return 10 + v[0]
	}
	stock := min(s+order, m.size)
	return float64(stock) + 0.5*v[stock] + 0.5*v[stock-1]
}

// A model needs two methods.
func ExampleModel() {
	result, err := mdp.Solve(context.Background(), store{size: 5}, mdp.LongRunAverage{}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f a day, order in state %v\n", result.Gain, result.Policy)
	// Output:
	// 1.0000 a day, order in state [1 0 0 0 0 0]
}

// fusedStore computes a damped update and its span in the same pass.
type fusedStore struct{ store }

func (m fusedStore) Sweep(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64) {
	least, greatest = math.Inf(1), math.Inf(-1)
	for s := lo; s < hi; s++ {
		d := min(m.value(v, s, 0), m.value(v, s, 1)) - v[s]
		least, greatest = min(least, d), max(greatest, d)
		dst[s] = v[s] + damping*d - shift
	}
	return least, greatest
}

func ExampleSweeper() {
	var model mdp.Sweeper = fusedStore{store{size: 5}}
	result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{})
	fmt.Printf("%.4f %v %v\n", result.Gain, result.Status, err)
	// Output:
	// 1.0000 converged <nil>
}

// followedStore also backs up with a given policy.
type followedStore struct{ store }

func (m followedStore) BackupPolicy(dst []float64, act []int32, v []float64, lo, hi int) {
	for s := lo; s < hi; s++ {
		dst[s] = m.value(v, s, int(act[s]))
	}
}

func ExamplePolicyBackuper() {
	var model mdp.PolicyBackuper = followedStore{store{size: 2}}
	cost := make([]float64, 3)
	model.BackupPolicy(cost, []int32{1, 0, 0}, make([]float64, 3), 0, 3)
	fmt.Println("costs of a day:", cost)
	// Output:
	// costs of a day: [1 1 2]
}

// listedStore also lists its rows, which allows exact evaluation.
type listedStore struct{ store }

func (m listedStore) NumActions(int) int { return 2 }

func (m listedStore) AppendRow(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
	if s == 0 && a == 0 {
		return append(dst, mdp.Entry{State: 0, Probability: 1}), 10
	}
	stock := min(s+a, m.size)
	return append(dst,
		mdp.Entry{State: int32(stock), Probability: 0.5},
		mdp.Entry{State: int32(stock - 1), Probability: 0.5}), float64(stock)
}

func ExampleExplicit() {
	var model mdp.Explicit = listedStore{store{size: 5}}
	always := []int32{1, 1, 1, 1, 1, 1} // order each day
	evaluation, err := mdp.LongRun(context.Background(), model, mdp.Policy{Actions: always})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f a day\n", evaluation.Gain[0])
	// Output:
	// 5.0000 a day
}

func ExampleEntry() {
	row, cost := listedStore{store{size: 5}}.AppendRow(nil, 2, 1)
	fmt.Println("costs", cost, "and leads to", row)
	// Output:
	// costs 3 and leads to [{3 0.5} {2 0.5}]
}

// shelves has its parallel sweeps cut where its shelves end.
type shelves struct{ store }

func (m shelves) Blocks() []int { return []int{0, 2, 4, m.NumStates()} }

func ExampleBlocked() {
	var model mdp.Blocked = shelves{store{size: 5}}
	result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{})
	fmt.Printf("%.4f %v\n", result.Gain, err)
	// Output:
	// 1.0000 <nil>
}

// hourly makes 24 steps a day and counts its costs per day.
type hourly struct{ store }

func (hourly) Rate() float64 { return 24 }

func ExampleTimed() {
	var model mdp.Timed = hourly{store{size: 5}}
	hours, _ := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{Tolerance: 1e-6})
	days, _ := mdp.Solve(context.Background(), store{size: 5}, mdp.LongRunAverage{}, mdp.Settings{Tolerance: 1e-6})
	fmt.Printf("gains %.4f and %.4f\n", hours.Gain, days.Gain)
	fmt.Printf("values %.4f and %.4f\n", hours.Bias[5], days.Bias[5])
	// Output:
	// gains 1.0000 and 1.0000
	// values 0.8333 and 20.0000
}

// estimated has probabilities and costs with a relative error of a thousandth.
type estimated struct{ listedStore }

func (estimated) RelativeError() float64 { return 1e-3 }

func ExampleApproximate() {
	var model mdp.Approximate = estimated{listedStore{store{size: 5}}}
	result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{Tolerance: 0.01})
	fmt.Printf("between %.3f and %.3f, %v\n", result.Lower, result.Upper, err)
	// Output:
	// between 0.999 and 1.001, <nil>
}
