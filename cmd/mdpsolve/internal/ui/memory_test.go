package ui

// Forecasts of memory, and what they refuse.

import (
	"context"
	"flag"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v2"
)

func TestMemory(t *testing.T) {
	assert.Positive(t, Memory(t.Context()))
	assert.InDelta(t, 1000, Memory(WithMemory(t.Context(), 1000)), 0)
	assert.InDelta(t, machineBytes(), Memory(WithMemory(t.Context(), 1<<60)), 0.2*machineBytes()) // other programs run
}

func TestMostWithin(t *testing.T) {
	square := func(n int) float64 { return float64(n) * float64(n) }
	for most := range 300 {
		assert.Equal(t, max(most, 1), MostWithin(square(most)+0.5, 2, square), most) // 1: not even 2
	}
}

func TestFitMemory(t *testing.T) {
	ctx := WithMemory(context.Background(), 1<<20)
	c := cli.NewContext(cli.NewApp(), flag.NewFlagSet("", flag.ContinueOnError), &cli.Context{Context: ctx})
	a := &Arguments{CLI: c}
	forecast := func(n int) float64 { return 1024 * float64(n) }
	a.FitMemory("robots", 1024, 1, forecast)
	for number, want := range map[int]string{
		1025: "--robots: 1025 is not valid: it takes about 1 MiB of memory, of 1 MiB that there are: use at most 1024",
		2048: "--robots: 2048 is not valid: it takes about 2 MiB of memory, of 1 MiB that there are: use at most 1024",
	} {
		fault := failure{}
		func() {
			defer func() { fault, _ = recover().(failure) }()
			a.FitMemory("robots", number, 1, forecast)
		}()
		require.EqualError(t, fault.err, want)
		assert.True(t, IsUsage(fault.err))
	}
}
