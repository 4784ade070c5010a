package bench

import "testing"

// quickSizes returns growing sizes; with -short, without the largest.
func quickSizes[T any](sizes ...T) []T {
	if testing.Short() {
		return sizes[:len(sizes)-1]
	}
	return sizes
}
