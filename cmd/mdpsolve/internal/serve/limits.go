package serve

// How much one request, and all together, may ask for.

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// limits bound what requests may take.
type limits struct {
	time   time.Duration // of a solve
	memory int64         // bytes that it may take
	solves int           // at a time that are quick, and as many that are not
	quick  time.Duration // of a solve that is quick
	queue  int           // that wait for their turn
	turn   time.Duration // that they wait
	upload int64         // bytes of the files of a request, and of each unpacked
	disk   int64         // bytes of the files of all requests
	answer int           // bytes of an answer
}

func defaultLimits() limits {
	return limits{
		time:   30 * time.Second,
		memory: 256 << 20,
		quick:  time.Second / 2,
		solves: max(2, runtime.GOMAXPROCS(0)),
		queue:  32,
		turn:   10 * time.Second,
		upload: 32 << 20,
		disk:   256 << 20,
		answer: 64 << 20,
	}
}

// gate lets a few solves in at a time, and a few more wait. A solve that goes on for long
// makes room for others: so quick answers come while others take their time. Where there
// are too many of that kind, and others wait, it ends with the best it has found.
type gate struct {
	limits limits
	quick  chan struct{} // holds a token for each solve that has begun lately
	long   chan struct{} // holds a token for each of the others
	queued atomic.Int64
}

func newGate(l limits) *gate {
	return &gate{limits: l, quick: make(chan struct{}, l.solves), long: make(chan struct{}, l.solves)}
}

// enter waits for a turn. Where there is one, the solve is to end with the context
// returned, and to call leave.
func (g *gate) enter(ctx context.Context) (turn context.Context, leave func(), ok bool) {
	defer g.queued.Add(-1)
	if g.queued.Add(1) > int64(g.limits.queue) {
		return nil, nil, false
	}
	timer := time.NewTimer(g.limits.turn)
	defer timer.Stop()
	select {
	case g.quick <- struct{}{}:
		turn, leave = g.begin(ctx)
		return turn, leave, true
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil, nil, false
}

// begin watches a solve that is let in.
func (g *gate) begin(ctx context.Context) (turn context.Context, leave func()) {
	turn, cancel := context.WithCancel(ctx)
	var mutex sync.Mutex
	place, left := g.quick, false
	var watch *time.Timer
	mutex.Lock()
	defer mutex.Unlock()
	watch = time.AfterFunc(g.limits.quick, func() {
		mutex.Lock()
		defer mutex.Unlock()
		if left {
			return
		}
		select {
		case g.long <- struct{}{}:
			<-g.quick
			place = g.long
			return
		default:
		}
		if g.queued.Load() > 0 {
			cancel()
			return
		}
		watch.Reset(g.limits.quick / 4)
	})
	return turn, func() {
		mutex.Lock()
		defer mutex.Unlock()
		left = true
		watch.Stop()
		cancel()
		<-place
	}
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
