package vector

import "math"

// Plain vectors.

// Scaled returns x·factor, in float64.
func Scaled(x []float64, factor float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = x[i] * factor
	}
	return y
}

// LargestMagnitude returns the largest of |x|, or NaN if an element is NaN.
func LargestMagnitude(x []float64) float64 {
	largest := 0.0
	for _, y := range x {
		largest = max(largest, math.Abs(y))
	}
	return largest
}

// Gather returns the elements of x that indices name.
func Gather[T any](x []T, indices []int32) []T {
	y := make([]T, len(indices))
	for i, j := range indices {
		y[i] = x[j]
	}
	return y
}

// Scatter sets the elements of dst that indices name.
func Scatter[T any](dst, x []T, indices []int32) {
	for i, j := range indices {
		dst[j] = x[i]
	}
}
