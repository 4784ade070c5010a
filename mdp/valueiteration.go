package mdp

import (
	"context"
	"fmt"
	"math"
)

// ValueIteration is successive approximation for [Discounted],
//
//	v ← T v,  (T v)(s) = min over a of { c(s,a) + β·Σ_j p(j|s,a)·v(j) }.
//
// Each sweep bounds the values by the least and the greatest of T v − v
// (MacQueen 1966), whose span falls faster than the values approach their
// limit: by the mixing of the chain on top of β. It needs no power of the model
// but Backup, and a round is one sweep.
type ValueIteration struct{}

// String returns "value iteration".
func (ValueIteration) String() string { return "value iteration" }

func (m ValueIteration) start(_ context.Context, task *task) (iteration, error) {
	return newDiscountedIteration(task, m, nil, 0)
}

// DefaultPartialSweeps is the number of sweeps of [ModifiedPolicyIteration]
// where none is set.
const DefaultPartialSweeps = 20

// partialSpan is the share of the span at which sweeps with a fixed policy end
// before their number is reached: what they would gain further is lost to the
// policy being another one.
const partialSpan = 0.05

// ModifiedPolicyIteration is value iteration for [Discounted] in which a sweep
// over all actions is followed by sweeps with the actions it found (Puterman
// and Shin 1978): these cost a fraction, and most policies are good long before
// their values are. It needs a model that is a [Follower]; a round is one sweep
// over all actions with those that follow it.
type ModifiedPolicyIteration struct {
	// Sweeps is the greatest number of sweeps with a fixed policy in a round;
	// 0 stands for DefaultPartialSweeps.
	Sweeps int
}

// String returns "modified policy iteration".
func (ModifiedPolicyIteration) String() string { return "modified policy iteration" }

func (m ModifiedPolicyIteration) start(_ context.Context, task *task) (iteration, error) {
	follower, ok := task.model.(Follower)
	if !ok {
		return nil, fmt.Errorf("mdp: modified policy iteration: %w: it cannot sweep with a fixed policy (interface Follower)", ErrUnsupported)
	}
	sweeps := m.Sweeps
	if sweeps == 0 {
		sweeps = DefaultPartialSweeps
	}
	if sweeps < 0 {
		return nil, fmt.Errorf("mdp: ModifiedPolicyIteration.Sweeps %d found; a number from 0 (default %d) up is allowed", m.Sweeps, DefaultPartialSweeps)
	}
	return newDiscountedIteration(task, m, follower, sweeps)
}

// discountedIteration iterates on x = β·v, which is what a backup wants.
type discountedIteration struct {
	task     *task
	discount float64
	follower Follower
	partial  int
	x, next  []float64
	policy   []int32 // of the last sweep over all actions; nil without partial sweeps
	middle   float64 // of v* − v as the last sweep bounds it
	rounds   int
	done     bool // the bounds of the last sweep are within the tolerance
	lost     bool // its span is lost in rounding
}

func newDiscountedIteration(task *task, method Method, follower Follower, partial int) (iteration, error) {
	criterion, ok := task.criterion.(Discounted)
	if !ok {
		return nil, fmt.Errorf("mdp: %s: %w: criterion %s found; discounted is allowed", method, ErrUnsupported, task.criterion)
	}
	n := task.model.NumStates()
	it := &discountedIteration{
		task:     task,
		discount: criterion.Discount,
		follower: follower,
		partial:  partial,
		x:        make([]float64, n),
		next:     make([]float64, n),
	}
	if partial > 0 {
		it.policy = make([]int32, n)
	}
	if task.settings.Values != nil {
		it.x = scaled(task.settings.Values, rateOf(task.model)*it.discount)
	}
	return it, nil
}

func (it *discountedIteration) round(ctx context.Context) (lower, upper float64, err error) {
	least, greatest := it.sweep(func(lo, hi int) { it.task.model.Backup(it.next, it.policy, it.x, lo, hi) })
	if math.IsNaN(least) || math.IsInf(least, 0) || math.IsInf(greatest, 0) {
		return 0, 0, errNaN
	}
	it.rounds++
	// least and greatest are of β·(T v − v), and x is β·T v: v* − T v lies
	// between them over 1−β.
	leave := 1 - it.discount
	rate := rateOf(it.task.model)
	it.middle = (least + (greatest-least)/2) / leave
	value := (it.x[0]/it.discount + it.middle) / rate
	radius := (greatest - least) / 2 / leave / rate
	it.settle(radius * rate)
	for sweeps := 0; sweeps < it.partial && !it.finished() && ctx.Err() == nil; sweeps++ {
		l, g := it.sweep(func(lo, hi int) { it.follower.BackupPolicy(it.next, it.policy, it.x, lo, hi) })
		it.middle = (l + (g-l)/2) / leave
		if g-l <= partialSpan*(greatest-least) {
			break
		}
	}
	return value - radius, value + radius, nil
}

// settle notes whether values that are off by at most the radius are good
// enough, or as good as float64 makes them.
func (it *discountedIteration) settle(radius float64) {
	largest := 0.0
	for _, x := range it.x {
		largest = max(largest, math.Abs(x/it.discount+it.middle))
	}
	it.done = it.task.met(largest-radius, largest+radius)
	if it.rounds%precisionInterval == 0 {
		it.lost = radius*(1-it.discount) <= stall*backupRounding(it.x)
	}
}

// sweep makes one sweep of the backup, sets x to β times its result, and
// returns the least and the greatest change of x.
func (it *discountedIteration) sweep(backup func(lo, hi int)) (least, greatest float64) {
	sweeper := it.task.sweeper
	sweeper.blocks(func(block, lo, hi int) {
		backup(lo, hi)
		sweeper.least[block], sweeper.most[block] = discount(it.next[lo:hi], it.x[lo:hi], it.discount)
	})
	it.x, it.next = it.next, it.x
	return sweeper.extremes()
}

// discount sets y to β·y and returns the least and the greatest of β·y − x.
func discount(y, x []float64, beta float64) (least, greatest float64) {
	least, greatest = math.Inf(1), math.Inf(-1)
	x = x[:len(y)]
	for i := range y {
		y[i] *= beta
		d := y[i] - x[i]
		if d < least {
			least = d
		}
		if d > greatest {
			greatest = d
		}
	}
	return least, greatest
}

func (it *discountedIteration) finished() bool { return it.done || it.lost }

func (it *discountedIteration) exhausted() bool { return it.lost }

func (it *discountedIteration) answer() answer {
	v := make([]float64, len(it.x))
	for i, x := range it.x {
		v[i] = x/it.discount + it.middle
	}
	return answer{values: values{high: v}, gain: math.NaN()}
}
