package implicit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/mdpsolve/mdpsolve/mdp/internal/average"
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Values and the sweeps over them, from which implicit steps start.

// swept holds values and the results of the last sweep over them, for discounted costs or,
// with a discount of 1, the average.
type swept struct {
	task     *method.Task
	discount float64

	values   vector.Vector
	x        []float64 // values times the discount
	extended bool      // values have a second part, and sweeps are in double-double

	residual    []float64 // T v − v
	least, most float64   // of residual
	policy      []int32   // attains T v
	before      []int32   // the policy of the sweep before
	changed     int       // the number of states in which they differ
	size        float64   // largest magnitude of a value
	mean        float64   // of the values

	count []int     // changed, by block
	sums  []float64 // sums of values, by block
	sizes []float64 // largest magnitudes, by block
}

func newSwept(task *method.Task, v []float64) swept {
	n, blocks := len(v), len(task.Sweeper.Least)
	s := swept{
		task: task, discount: task.Discount, values: vector.Vector{High: v}, x: v,
		residual: make([]float64, n), policy: make([]int32, n), before: make([]int32, n),
		count: make([]int, blocks), sums: make([]float64, blocks), sizes: make([]float64, blocks),
	}
	if s.discount < 1 {
		s.x = vector.Scaled(v, s.discount)
	}
	return s
}

// differences returns the number of states in which two policies differ.
func differences(a, b []int32) int {
	count := 0
	for s := range a {
		if a[s] != b[s] {
			count++
		}
	}
	return count
}

// sweep finds the residual of the values, and the policy that attains it.
func (s *swept) sweep() error {
	s.policy, s.before = s.before, s.policy
	s.task.Sweeper.Blocks(func(block, lo, hi int) {
		if s.extended {
			s.sweepExtended(block, lo, hi)
		} else {
			s.sweepPlain(block, lo, hi)
		}
		s.count[block] = differences(s.policy[lo:hi], s.before[lo:hi])
		s.sums[block], s.sizes[block] = floats.Sum(s.values.High[lo:hi]), vector.LargestMagnitude(s.values.High[lo:hi])
	})
	s.least, s.most = s.task.Sweeper.Extremes()
	s.changed = 0
	for _, changed := range s.count {
		s.changed += changed
	}
	s.mean, s.size = floats.Sum(s.sums)/float64(len(s.x)), slices.Max(s.sizes)
	return method.CheckFinite(s.least, s.most)
}

// sweepPlain is sweep over a block in float64.
func (s *swept) sweepPlain(block, lo, hi int) {
	s.task.Model.Backup(s.residual, s.policy, s.x, lo, hi)
	least, greatest := math.Inf(1), math.Inf(-1)
	for i := lo; i < hi; i++ {
		s.residual[i] -= s.values.High[i]
		least, greatest = min(least, s.residual[i]), max(greatest, s.residual[i])
	}
	s.task.Sweeper.Least[block], s.task.Sweeper.Most[block] = least, greatest
}

// sweepExtended is sweep over a block in double-double. It keeps the actions that
// no other beats by more than rounding.
func (s *swept) sweepExtended(block, lo, hi int) {
	model := bound.Lister{Lister: s.task.Listed.Lister, Discount: s.task.By}
	least, greatest := math.Inf(1), math.Inf(-1)
	var row []rows.Entry
	for i := lo; i < hi; i++ {
		b := model.Best(s.values, s.before, i, &row)
		s.policy[i], s.residual[i] = b.Action, b.Value.Hi
		least, greatest = min(least, b.Floor), max(greatest, b.Ceiling)
	}
	s.task.Sweeper.Least[block], s.task.Sweeper.Most[block] = least, greatest
}

// advance adds the residual to the values: a step of value iteration.
func (s *swept) advance() {
	if s.discount < 1 {
		s.add(s.residual, 1, 0)
		return
	}
	s.add(s.residual, average.Damping, -average.Damping*(s.least+(s.most-s.least)/2))
}

// add adds factor·x and a number to the values.
func (s *swept) add(x []float64, factor, number float64) {
	v := s.values
	s.task.Sweeper.Blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			more := float64(factor*x[i]) + number
			if s.extended {
				v.Set(i, v.At(i).AddFloat(more))
			} else {
				v.High[i] += more
			}
		}
		s.rescale(lo, hi)
	})
}

// rescale sets x to the values times the discount.
func (s *swept) rescale(lo, hi int) {
	if s.discount == 1 {
		return
	}
	for i := lo; i < hi; i++ {
		s.x[i] = s.discount * s.values.High[i]
	}
}

// noise estimates the rounding of a residual in float64.
func (s *swept) noise() float64 { return 4 * rounding.Unit * s.size }

// snapshot holds values and the extremes of their residual.
type snapshot struct {
	values      vector.Vector
	least, most float64
}

// noSnapshot has an infinite span.
func noSnapshot() snapshot { return snapshot{least: math.Inf(-1), most: math.Inf(1)} }

func (s *snapshot) span() float64 { return s.most - s.least }

// keep copies the values to a snapshot.
func (s *swept) keep(to *snapshot) {
	to.least, to.most = s.least, s.most
	to.values.High = append(to.values.High[:0], s.values.High...)
	if s.extended {
		to.values.Low = append(to.values.Low[:0], s.values.Low...)
	}
}

// goBack restores the values of a snapshot and sweeps.
func (s *swept) goBack(to *snapshot) error {
	copy(s.values.High, to.values.High)
	if s.extended {
		clear(s.values.Low)
		copy(s.values.Low, to.values.Low)
	}
	s.rescale(0, len(s.x))
	return s.sweep()
}

// bounds returns the bounds of a snapshot on the gain, or on the value of state 0.
func (s *swept) bounds(of *snapshot) (lower, upper float64) {
	if s.discount == 1 {
		return of.least, of.most
	}
	leave, rate := 1-s.discount, s.task.Rate
	return (of.values.High[0] + of.least/leave) / rate, (of.values.High[0] + of.most/leave) / rate
}

// met reports whether the bounds of a snapshot are within the tolerance; bounds on the
// gain are first moved outward by a margin.
func (s *swept) met(of *snapshot, margin float64) bool {
	if s.discount == 1 {
		return s.task.IsMet(of.least-margin, of.most+margin)
	}
	leave := 1 - s.discount
	middle := (of.least + of.span()/2) / leave
	radius := of.span() / 2 / leave / s.task.Rate
	return s.task.IsMetBy(radius, slices.Min(of.values.High)+middle, slices.Max(of.values.High)+middle)
}
