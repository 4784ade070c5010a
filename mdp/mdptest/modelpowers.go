package mdptest

import (
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// following looks at BackupPolicy: with the actions that a sweep has found it
// gives what the sweep gave, and with others what their rows give.
func (i *inspection) following(w swept) {
	follower, ok := i.model.(mdp.PolicyBackuper)
	if !ok || slices.Min(w.act) < 0 {
		return
	}
	for _, r := range i.ranges() {
		i.part(w, "BackupPolicy", r, w.tv, func(dst []float64, act []int32, v []float64) {
			follower.BackupPolicy(dst, act, v, r[0], r[1])
		})
	}
	explicit, ok := i.model.(mdp.Explicit)
	if !ok {
		return
	}
	policy := make([]int32, i.n)
	for s := range policy {
		policy[s] = int32(i.random.IntN(max(explicit.NumActions(s), 1)))
	}
	dst := make([]float64, i.n)
	i.called = fmt.Sprintf("BackupPolicy of states 0 … %d", i.n-1)
	follower.BackupPolicy(dst, policy, w.v, 0, i.n)
	for _, s := range i.states {
		x := value(explicit, s, int(policy[s]), w.v)
		if math.Abs(x-dst[s]) > closeness*(w.size+math.Abs(x)) {
			i.fault("BackupPolicy", "state %d, action %d: %v found, where its row gives %v", s, policy[s], dst[s], x)
		}
	}
}

// fused looks at Sweep: what it writes and what it returns.
func (i *inspection) fused(w swept) {
	sweeper, ok := i.model.(mdp.Sweeper)
	if !ok {
		return
	}
	for k, r := range i.ranges() {
		damping, shift := []float64{1, 0.9, 0.5}[k%3], float64(k%4)*w.tv[0]/4
		want := make([]float64, i.n)
		least, greatest := math.Inf(1), math.Inf(-1)
		size := largest(w.v)
		for s := range want {
			d := w.tv[s] - w.v[s]
			want[s] = w.v[s] + damping*d - shift
			if r[0] <= s && s < r[1] {
				least, greatest = min(least, d), max(greatest, d)
				size = max(size, math.Abs(w.tv[s]))
			}
		}
		// shift may be larger than what it is taken from.
		moved := swept{v: w.v, tv: make([]float64, i.n), size: w.size}
		for s := range moved.tv {
			moved.tv[s] = math.Abs(w.tv[s]) + math.Abs(shift)
		}
		var l, g float64
		i.part(moved, "Sweep", r, want, func(dst []float64, _ []int32, v []float64) {
			l, g = sweeper.Sweep(dst, v, damping, shift, r[0], r[1])
		})
		near := func(x, y float64) bool { return x == y || math.Abs(x-y) <= 2*closeness*size }
		if !near(l, least) || !near(g, greatest) {
			i.fault("Sweep", "range %d … %d: returns %v and %v, where T v − v goes from %v to %v", r[0], r[1], l, g, least, greatest)
		}
	}
}
