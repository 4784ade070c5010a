package limits_test

import (
	"fmt"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
)

// How long a crawler waits after the first, second, third and tenth failure in a row.
func ExampleRetry() {
	rule := limits.Retry{First: 15 * time.Minute, Factor: 2, Greatest: 24 * time.Hour}
	fmt.Println(rule.Wait(1), rule.Wait(2), rule.Wait(3), rule.Wait(10))
	// Output: 15m0s 30m0s 1h0m0s 24h0m0s
}

// The rule for pages that are gone, where nothing else is said.
func ExampleRetries() {
	retries := limits.Retries{Copies: limits.Never}.WithDefaults()
	rule, _ := retries.Of(estimate.Gone)
	fmt.Println(rule.Wait(1), rule.Wait(20))
	// Output: 168h0m0s 2160h0m0s
}
