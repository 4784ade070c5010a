package replicate_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/replicate"
)

func draw(random *rand.Rand) (uint64, error) { return random.Uint64(), nil }

func TestRun(t *testing.T) {
	var count atomic.Int64
	want, err := replicate.Run(t.Context(), 50, 1, 7, draw, func() { count.Add(1) })
	require.NoError(t, err)
	assert.EqualValues(t, 50, count.Load())
	seeds := rand.NewPCG(7, 0)
	for _, x := range want {
		assert.Equal(t, rand.New(rand.NewPCG(seeds.Uint64(), seeds.Uint64())).Uint64(), x)
	}
	found, err := replicate.Run(t.Context(), 50, 8, 7, draw, nil)
	require.NoError(t, err)
	assert.Equal(t, want, found)
}

func TestRunThatFails(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	broken, stop := errors.New("broken"), errors.New("stop")
	left := 3
	run := func(random *rand.Rand) (uint64, error) {
		if left--; left < 0 {
			return 0, broken
		}
		return random.Uint64(), nil
	}
	found, err := replicate.Run(ctx, 5, 1, 7, run, nil)
	require.ErrorIs(t, err, broken)
	assert.Empty(t, found)
	left = 3
	cancel(stop)
	found, err = replicate.Run(ctx, 5, 1, 7, run, nil)
	assert.Equal(t, stop, err)
	assert.Len(t, found, 3)
}
