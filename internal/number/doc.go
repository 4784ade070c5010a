// Package number reads numbers as people write them and carries the few
// computations that need more digits than a float64 has.
package number
