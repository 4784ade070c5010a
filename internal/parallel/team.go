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
	helpers conc.WaitGroup

	// The round. body and the end of each share are written before its left, and read only
	// by a worker that has taken a block. The round does not end, and the next one does not
	// begin, until that block is done.
	body    func(block int)
	shares  []share      // by worker
	pending atomic.Int64 // blocks not yet done
	caught  panics.Catcher

	mu       sync.Mutex // held to change what the conditions wait for
	begun    sync.Cond  // blocks are left or closed
	finished sync.Cond  // pending = 0
	closed   atomic.Bool
}

// share is what one worker does in a round unless others are done before: the same
// neighboring blocks in each round, whose data are in the cache of its core.
type share struct {
	end  int          // the block after the last
	left atomic.Int64 // blocks not yet taken; may fall below 0
	_    [48]byte     // workers write to different cache lines
}

// NewTeam returns a team of the given number of workers, the caller being one
// of them: it starts workers−1 goroutines, and none for workers ≤ 1.
func NewTeam(workers int) *Team {
	t := &Team{shares: make([]share, max(1, workers))}
	t.begun.L, t.finished.L = &t.mu, &t.mu
	for worker := 1; worker < workers; worker++ {
		t.helpers.Go(func() { t.help(worker) })
	}
	return t
}

// For calls body(0), …, body(blocks−1), each once, and returns when all are
// done. With one worker or one block it does so in order on the caller's
// goroutine. Otherwise each worker has a share of them, and takes those of others when it
// is done with it. The caller never waits for a worker that has not begun a block.
//
// The first panic in body reaches the caller: with one worker at once, with
// several after the other blocks are done and as a *panics.Recovered of
// github.com/sourcegraph/conc, which holds the value and the stack. The team
// can be used again after it.
func (t *Team) For(blocks int, body func(block int)) {
	if len(t.shares) <= 1 || blocks <= 1 {
		for block := range blocks {
			body(block)
		}
		return
	}
	t.body = body
	t.pending.Store(int64(blocks))
	t.mu.Lock()
	begin := 0
	for worker := range t.shares {
		s := &t.shares[worker]
		s.end = blocks * (worker + 1) / len(t.shares)
		s.left.Store(int64(s.end - begin))
		begin = s.end
	}
	t.begun.Broadcast()
	t.mu.Unlock()

	t.take(0)
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

func (t *Team) help(worker int) {
	for !t.closed.Load() {
		if !spin(t.hasBegun) {
			t.mu.Lock()
			for !t.hasBegun() {
				t.begun.Wait()
			}
			t.mu.Unlock()
		}
		t.take(worker)
	}
}

// take works on the blocks of a worker's own share, then on those that are left of others.
func (t *Team) take(worker int) {
	for i := range t.shares {
		s := &t.shares[(worker+i)%len(t.shares)]
		for left := s.left.Add(-1); left >= 0; left = s.left.Add(-1) {
			t.run(s.end - 1 - int(left))
		}
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

func (t *Team) hasBegun() bool {
	for i := range t.shares {
		if t.shares[i].left.Load() > 0 {
			return true
		}
	}
	return t.closed.Load()
}

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
