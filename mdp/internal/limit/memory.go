package limit

import (
	"context"
	"math"
)

// The memory of a program, in the context of its solves.

type memoryKey struct{}

// WithMemory returns ctx for solves in a program that may take so many bytes in all.
func WithMemory(ctx context.Context, bytes float64) context.Context {
	return context.WithValue(ctx, memoryKey{}, bytes)
}

// Bytes returns the memory that one elimination may take: half of that of the program, since
// the model and a second elimination need some, but no more than most.
func Bytes(ctx context.Context, most float64) float64 {
	memory, ok := ctx.Value(memoryKey{}).(float64)
	if !ok {
		memory = math.Inf(1)
	}
	return min(most, memory/2)
}
