package ui

// Forecasts of memory, and what they refuse.

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMemory(t *testing.T) {
	assert.Positive(t, Memory(t.Context()))
	assert.InDelta(t, 1000, Memory(WithMemory(t.Context(), 1000)), 0)
	assert.InDelta(t, available(), Memory(WithMemory(t.Context(), 1<<60)), 0.2*available()) // other programs run
}

func TestMostWithin(t *testing.T) {
	square := func(n int) float64 { return float64(n) * float64(n) }
	for most := range 300 {
		assert.Equal(t, max(most, 1), MostWithin(square(most)+0.5, 2, square), most) // 1: not even 2
	}
}

func TestFitMemory(t *testing.T) {
	ctx := WithMemory(t.Context(), 1<<20)
	forecast := func(n int) float64 { return 1024 * float64(n) }
	require.NoError(t, FitMemory(ctx, "robots", 1024, 1, forecast, ""))
	err := FitMemory(ctx, "robots", 2048, 1, forecast, "--method rvi")
	require.EqualError(t, err, "--robots: 2048 is not valid: it takes about 2 MiB of memory, of 1 MiB that there are: use at most 1024, or --method rvi")
	assert.True(t, IsUsage(err))
	require.ErrorContains(t, FitMemory(ctx, "buffer", 1<<20, 1025, forecast, ""), "use a smaller problem")
}
