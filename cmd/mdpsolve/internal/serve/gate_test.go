package serve

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// In a gate for one quick solve and one that is not.
func TestGate(t *testing.T) {
	defer goleak.VerifyNone(t)
	const quick = 20 * time.Millisecond
	g := newGate(limits{solves: 1, queue: 1, turn: 5 * time.Second, quick: quick})
	first, leaveFirst, ok := g.enter(t.Context())
	require.True(t, ok)

	// The second enters once the first is no longer quick, which goes on.
	begin := time.Now()
	second, leaveSecond, ok := g.enter(t.Context())
	require.True(t, ok)
	assert.GreaterOrEqual(t, time.Since(begin), quick/2)
	require.NoError(t, first.Err())

	// Now both are full. Nobody waits, and the second goes on; then somebody does, and
	// it has to end.
	time.Sleep(3 * quick)
	require.NoError(t, second.Err())
	entered := make(chan func())
	go func() {
		_, leave, _ := g.enter(context.Background())
		entered <- leave
	}()
	<-second.Done()
	require.NoError(t, first.Err())

	_, _, ok = g.enter(t.Context()) // one more than may wait
	assert.False(t, ok)
	leaveSecond()
	leaveThird := <-entered
	leaveThird()
	leaveFirst()

	// Whoever stops waiting is not let in.
	g = newGate(limits{solves: 1, queue: 1, turn: time.Hour, quick: time.Hour})
	_, leave, ok := g.enter(t.Context())
	require.True(t, ok)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, ok = g.enter(gone)
	assert.False(t, ok)
	leave()
	assert.Empty(t, g.quick)
	assert.Empty(t, g.long)
	assert.Zero(t, g.queued.Load())
}

func TestDiskSpace(t *testing.T) {
	d := diskSpace{most: 10}
	assert.True(t, d.take(6))
	assert.False(t, d.take(5))
	assert.True(t, d.take(4))
	d.giveBack(6)
	assert.True(t, d.take(6))
}
