package mdp_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A program iterates in its own way, here by the method of Gauss and Seidel, in which a sweep
// uses the values that it has just found. Now and then it asks what its values are worth, and
// ends when they are proved to be within the tolerance.
func ExampleCertify() {
	model := shop(40)
	const discount = 0.95
	values := make([]float64, model.NumStates())
	for sweep := 1; ; sweep++ {
		for s := range values {
			best := math.Inf(1)
			for a := range model.NumActions(s) {
				row, cost := model.AppendRow(nil, s, a)
				for _, next := range row {
					cost += discount * next.Probability * values[next.State]
				}
				best = min(best, cost)
			}
			values[s] = best
		}
		if sweep%20 != 0 {
			continue
		}
		result, err := mdp.Certify(context.Background(), model, mdp.Discounted{Discount: discount}, values, mdp.Settings{Tolerance: 1e-3})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%3d sweeps: between %.4f and %.4f, %v\n", sweep, result.Lower, result.Upper, result.Status)
		if result.Status == mdp.Converged {
			fmt.Println("an empty shop orders", result.Policy[0])
			return
		}
	}
	// Output:
	//  20 sweeps: between 61.4367 and 71.6970, stopped
	//  40 sweeps: between 64.1127 and 64.8367, stopped
	//  60 sweeps: between 64.3000 and 64.3512, stopped
	//  80 sweeps: between 64.3133 and 64.3169, converged
	// an empty shop orders 9
}

// shop returns a shop with room for some goods, of which customers want 0 to 3 each day. An order
// costs 4, and 1 for each good; a good in stock costs 1/10 a day, a customer who gets none 5.
func shop(room int) *mdp.Table {
	var b mdp.TableBuilder
	for stock := range room + 1 {
		b.AddState()
		for order := range room - stock + 1 {
			cost := float64(order) + float64(stock+order)/10
			if order > 0 {
				cost += 4
			}
			left := map[int]float64{}
			for demand := range 4 {
				left[max(stock+order-demand, 0)] += 0.25
				cost += 0.25 * 5 * float64(max(demand-stock-order, 0))
			}
			b.AddAction(cost)
			for s := range room + 1 {
				if left[s] > 0 {
					b.AddTransition(s, left[s])
				}
			}
		}
	}
	table, err := b.Build()
	if err != nil {
		panic(err)
	}
	return table
}
