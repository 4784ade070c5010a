package ui

// Forecasts of memory, and what they refuse.

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v2"
)

func TestMemory(t *testing.T) {
	assert.Positive(t, Memory(t.Context()))
	assert.InDelta(t, 1000, Memory(InService(t.Context(), 1000)), 0)
	assert.InDelta(t, available(), Memory(InService(t.Context(), 1<<60)), 0.2*available()) // other programs run
}

func TestMostThatFits(t *testing.T) {
	square := func(n int) float64 { return float64(n) * float64(n) }
	for most := range 300 {
		use := fmt.Sprintf("use at most %d", most)
		if most < 2 {
			use = "use a smaller problem"
		}
		err := FitMemory(InService(t.Context(), int64(most*most)), "robots", 1000, 2, square, "")
		require.ErrorContains(t, err, use)
		assert.NotContains(t, err.Error(), use+"0")
	}
}

func TestFitMemory(t *testing.T) {
	ctx := InService(t.Context(), 1<<20)
	forecast := func(n int) float64 { return 1024 * float64(n) }
	require.NoError(t, FitMemory(ctx, "robots", 1024, 1, forecast, ""))
	err := FitMemory(ctx, "robots", 2048, 1, forecast, "--method rvi")
	require.EqualError(t, err, "--robots: 2048 takes about 2 MiB of memory, and 1 MiB are free: use at most 1024, or --method rvi")
	assert.True(t, IsUsage(err))
	require.ErrorContains(t, FitMemory(ctx, "buffer", 1<<20, 1025, forecast, ""), "use a smaller problem")
}

// Commands use the processors of the machine, or those they are given, unless a flag says
// otherwise.
func TestWorkers(t *testing.T) {
	for _, test := range []struct {
		ctx  context.Context
		args []string
		want int
	}{
		{t.Context(), nil, Processors},
		{WithProcessors(t.Context(), 3), nil, 3},
		{WithProcessors(t.Context(), 0), nil, 1},
		{WithProcessors(t.Context(), 3), []string{"--workers", "5"}, 5},
	} {
		got := 0
		app := &cli.App{Flags: []cli.Flag{WorkersFlag()}, Action: Action(func(a *Arguments) error {
			got = a.Workers()
			return nil
		})}
		require.NoError(t, app.RunContext(test.ctx, append([]string{"test"}, test.args...)))
		assert.Equal(t, test.want, got)
	}
}
