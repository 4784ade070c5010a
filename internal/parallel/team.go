package parallel

import (
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
)

// spins is the number of times that a worker checks its condition before it sleeps:
// some 10 µs, which is longer than the serial part between two sweeps
// of a solver and shorter than the time to wake a sleeping thread.
const spins = 20_000

// Team is a group of workers for many rounds of blocks in quick succession, such as the
// sweeps of a solver. Its workers are still awake when the next round begins, so that
// rounds of 10 µs already profit from threads, where [For] needs 100 µs.
//
// A Team belongs to one goroutine, which calls its methods, but not from within a
// round, and works on blocks too. Make one with [NewTeam], and Close it when done.
type Team struct {
	workers int
	helpers conc.WaitGroup

	// The round. body and blocks are written before left is set, and read only by a
	// worker that has taken a block from left. The round does not end, and the next one
	// does not begin, until that block is done.
	body    func(block int)
	blocks  int
	left    atomic.Int64 // blocks not yet taken; may fall below 0
	pending atomic.Int64 // blocks not yet done
	caught  panics.Catcher

	mu       sync.Mutex // held to change what the conditions wait for
	begun    sync.Cond  // left > 0 or closed
	finished sync.Cond  // pending = 0
	closed   atomic.Bool
}

// NewTeam returns a team of the given number of workers, the caller being one
// of them: it starts workers−1 goroutines, and none for workers ≤ 1.
func NewTeam(workers int) *Team {
	t := &Team{workers: workers}
	t.begun.L, t.finished.L = &t.mu, &t.mu
	for range workers - 1 {
		t.helpers.Go(t.help)
	}
	return t
}

// For calls body(0), …, body(blocks−1), each once, and returns when all are
// done. With one worker or one block it does so in order on the caller's
// goroutine. Otherwise each worker takes the next block as soon as it is free. The
// caller never waits for a worker that has not begun a block.
//
// The first panic in body reaches the caller: with one worker at once, with
// several after the other blocks are done and as a *panics.Recovered of
// github.com/sourcegraph/conc, which holds the value and the stack. The team
// can be used again after it.
func (t *Team) For(blocks int, body func(block int)) {
	if t.workers <= 1 || blocks <= 1 {
		for block := range blocks {
			body(block)
		}
		return
	}
	t.body, t.blocks = body, blocks
	t.pending.Store(int64(blocks))
	t.mu.Lock()
	t.left.Store(int64(blocks))
	t.begun.Broadcast()
	t.mu.Unlock()

	t.take()
	if !spin(t.isFinished) {
		t.mu.Lock()
		for !t.isFinished() {
			t.finished.Wait()
		}
		t.mu.Unlock()
	}
	t.body = nil
	if recovered := t.caught.Recovered(); recovered != nil {
		t.caught = panics.Catcher{}
		panic(recovered)
	}
}

// Close ends the team's goroutines and returns when they have ended.
func (t *Team) Close() {
	t.mu.Lock()
	t.closed.Store(true)
	t.begun.Broadcast()
	t.mu.Unlock()
	t.helpers.Wait()
}

func (t *Team) help() {
	for !t.closed.Load() {
		if !spin(t.hasBegun) {
			t.mu.Lock()
			for !t.hasBegun() {
				t.begun.Wait()
			}
			t.mu.Unlock()
		}
		t.take()
	}
}

func (t *Team) take() {
	for {
		left := t.left.Add(-1)
		if left < 0 {
			return
		}
		t.run(t.blocks - 1 - int(left))
	}
}

func (t *Team) run(block int) {
	defer func() {
		if t.pending.Add(-1) == 0 {
			t.mu.Lock() // so that the caller is not between its test and its sleep
			t.finished.Signal()
			t.mu.Unlock()
		}
	}()
	t.caught.Try(func() { t.body(block) })
}

func (t *Team) hasBegun() bool   { return t.left.Load() > 0 || t.closed.Load() }
func (t *Team) isFinished() bool { return t.pending.Load() == 0 }

// spin waits for the condition for a limited time, and reports whether it came true.
func spin(condition func() bool) bool {
	for range spins {
		if condition() {
			return true
		}
	}
	return false
}
