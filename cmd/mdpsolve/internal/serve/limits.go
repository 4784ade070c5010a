package serve

// How much one request, and all together, may ask for.

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// limits bound what requests may take.
type limits struct {
	time   time.Duration // of a solve
	solves int           // at a time
	queue  int           // that wait for their turn
	turn   time.Duration // that they wait
	upload int64         // bytes of the files of a request, and of each unpacked
	disk   int64         // bytes of the files of all requests
	answer int           // bytes of an answer
}

func defaultLimits() limits {
	return limits{
		time:   30 * time.Second,
		solves: max(2, runtime.GOMAXPROCS(0)),
		queue:  32,
		turn:   10 * time.Second,
		upload: 32 << 20,
		disk:   256 << 20,
		answer: 64 << 20,
	}
}

// gate lets a few solves in at a time, and a few more wait.
type gate struct {
	free    chan struct{} // holds a token for each solve that may begin
	waiting chan struct{} // holds a token for each request in the queue
}

func newGate(solves, queue int) *gate {
	return &gate{free: make(chan struct{}, solves), waiting: make(chan struct{}, solves+queue)}
}

// enter waits for a turn. Where there is one, leave ends it.
func (g *gate) enter(ctx context.Context, patience time.Duration) (leave func(), ok bool) {
	select {
	case g.waiting <- struct{}{}:
	default:
		return nil, false
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case g.free <- struct{}{}:
		return func() { <-g.free; <-g.waiting }, true
	case <-timer.C:
	case <-ctx.Done():
	}
	<-g.waiting
	return nil, false
}

// diskSpace counts the bytes of files that requests have sent.
type diskSpace struct {
	most int64
	used atomic.Int64
}

// take reports whether there is room for more bytes; they are to be given back.
func (d *diskSpace) take(bytes int64) bool {
	if d.used.Add(bytes) <= d.most {
		return true
	}
	d.used.Add(-bytes)
	return false
}

func (d *diskSpace) giveBack(bytes int64) { d.used.Add(-bytes) }
