package catalogue

import (
	"testing"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// How much slower than the best of the others the method that Solve chooses may
// be, where it takes longer than is noticed.
const (
	slowness = 5
	quick    = 50 * time.Millisecond
)

// The method that Solve chooses is never much slower than one that it does not.
func TestDefaultMethodIsNotSlow(t *testing.T) {
	for _, problem := range catalogue() {
		if problem.NumStates() > 1000 && !*long {
			continue
		}
		for _, form := range problem.forms(t) {
			own := form.time(t, 0, 0)
			if own <= quick {
				continue
			}
			t.Logf("%v: %v", form, own)
			for _, method := range methods(problem.Criterion)[1:] {
				if took := form.time(t, method, own/slowness); took > 0 {
					t.Errorf("%v: the default method takes %v, %v %v", form, own, method, took)
				}
			}
		}
	}
}

// time returns the best time of three of a method; 0 where it does not converge
// within a limit. A first time that is short is the only one.
func (f form) time(t *testing.T, method mdp.Method, limit time.Duration) time.Duration {
	t.Helper()
	var best time.Duration
	for range 3 {
		begin := time.Now()
		_, err := mdp.Solve(t.Context(), f.model, f.criterion, mdp.Settings{Method: method, TimeLimit: limit, MaxIterations: 20_000})
		took := time.Since(begin)
		if limit > 0 && (err != nil || took > limit) {
			return best
		}
		if best == 0 || took < best {
			best = took
		}
		if best <= quick {
			return best
		}
	}
	return best
}
