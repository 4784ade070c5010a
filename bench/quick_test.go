package bench

import "testing"

// quickSizes returns sizes that grow, with -short without the largest of them.
func quickSizes[T any](sizes ...T) []T {
	if testing.Short() {
		return sizes[:len(sizes)-1]
	}
	return sizes
}
