package soon

// Work that is waited for after the context has ended.

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	result, err := Do(ctx, time.Hour, func() (int, error) { return 7, nil })
	require.NoError(t, err)
	assert.Equal(t, 7, result)

	failure := errors.New("no disk")
	_, err = Do(ctx, time.Hour, func() (int, error) { return 0, failure })
	require.ErrorIs(t, err, failure)
	assert.Panics(t, func() { _, _ = Do(ctx, time.Hour, func() (int, error) { panic("here") }) })

	cancel()
	result, err = Do(ctx, time.Hour, func() (int, error) { // it has an answer before the patience is over
		time.Sleep(10 * time.Millisecond)
		return 8, nil
	})
	require.NoError(t, err)
	assert.Equal(t, 8, result)

	never := make(chan struct{})
	defer close(never)
	begin := time.Now()
	result, err = Do(ctx, 20*time.Millisecond, func() (int, error) {
		<-never
		return 9, nil
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, result)
	assert.Less(t, time.Since(begin), 10*time.Second)
}
