package live_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/live"
)

func ExampleSet() {
	ctx := context.Background()
	set, err := live.NewSet(refresh.FixedOrder{}, 5, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 5 {
		_, _ = set.Add(live.Page{ChangeRate: float64(i + 1), Weight: 1})
	}
	before, _ := set.Rate(ctx, 3)
	_ = set.Remove(0)
	after, _ := set.Rate(ctx, 3)
	fmt.Printf("%.4f %.4f\n", before, after)
	// Output: 1.1379 1.3506
}
