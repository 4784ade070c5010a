// This file follows one pool: its robots, its queue, and how long each state lasts.

package watch

import (
	"bytes"
	"sync"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
)

// The states of a robot, as the page gets them.
const (
	resting  = '0'
	waiting  = '1' // active, but not fetching
	fetching = '2'
	dead     = '3'
)

// move is a page that moves on the picture: from a robot to the queue, from a robot to the
// floor, or out of the queue.
type move struct {
	Kind  string `json:"kind"` // "page", "lost" or "done"
	Robot int    `json:"robot"`
}

// keptMoves are as many as a reader wants to see between two pictures.
const keptMoves = 16

// live is a pool, and its last run.
type live struct {
	pool    string
	begin   time.Time // of the first run of any pool
	metrics *poolMetrics

	mu            sync.Mutex
	run           Run
	runs          int
	tally         tally
	last          time.Time // until when the present state has been counted
	queue, active int
	robots        []byte      // their states
	occupancy     [][]float64 // [active][queue] seconds
	moves         [keptMoves]move
	moved         int // all moves; the last ones are in moves, a ring

	latest  view
	history []point
	views   int // kept
	stride  int // views between points of history
}

func newLive(pool string, begin time.Time, m *poolMetrics) *live {
	return &live{pool: pool, begin: begin, metrics: m, stride: 1}
}

// start begins a run, and returns its observer.
func (l *live) start(r Run, now time.Time) crawl.Observer {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs > 0 {
		l.pass(now)
	}
	l.tally.start(r, now)
	l.run, l.last = r, now
	l.runs++
	number := l.runs
	l.queue, l.active = r.Switch.Counts()
	l.robots = bytes.Repeat([]byte{resting}, r.Robots)
	if len(l.occupancy) != r.Robots+1 || len(l.occupancy[0]) != r.Buffer+1 {
		l.occupancy = make([][]float64, r.Robots+1)
		for i := range l.occupancy {
			l.occupancy[i] = make([]float64, r.Buffer+1)
		}
	}
	l.metrics.start()
	return func(e crawl.Event) { l.observe(number, e) }
}

// observe takes an event of a run in.
func (l *live) observe(run int, e crawl.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if run != l.runs || e.At.After(l.tally.until) {
		return // of a run that has ended
	}
	l.pass(e.At)
	l.tally.meter.Observe(e)
	l.queue, l.active = e.Queue, e.Active
	switch e.Kind {
	case crawl.FetchBegun:
		l.robots[e.Robot] = fetching
	case crawl.FetchEnded:
		l.robots[e.Robot] = waiting
	case crawl.Delivered:
		l.move("page", e.Robot)
	case crawl.Lost:
		l.move("lost", e.Robot)
	case crawl.Indexed:
		l.move("done", 0)
	case crawl.RobotOn:
		l.robots[e.Robot] = waiting
	case crawl.RobotOff:
		l.robots[e.Robot] = resting
	case crawl.RobotDied:
		l.robots[e.Robot] = dead
	}
	l.metrics.observe(e)
}

func (l *live) move(kind string, robot int) {
	l.moves[l.moved%keptMoves] = move{kind, robot}
	l.moved++
}

// pass lets the present state last until now, or the end of the run.
func (l *live) pass(now time.Time) {
	t := &l.tally
	if now.After(t.until) {
		now = t.until
	}
	if l.last.Before(t.from) && now.After(t.from) {
		l.pass(t.from)
	}
	passed := now.Sub(l.last).Seconds()
	if passed <= 0 {
		return
	}
	t.advance(now)
	l.metrics.pass(passed, l.queue, l.active)
	if !l.last.Before(t.from) && l.active < len(l.occupancy) && l.queue <= l.run.Buffer {
		l.occupancy[l.active][l.queue] += passed
	}
	l.last = now
}
