// Package sweep sweeps over models block by block, on several cores.
package sweep

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Model can apply its Bellman operator to a range of states. Every mdp.Model is one.
type Model interface {
	NumStates() int
	Backup(dst []float64, act []int32, v []float64, lo, hi int)
}

// PolicyBackuper is a Model that can sweep with a fixed policy.
type PolicyBackuper interface {
	Model
	BackupPolicy(dst []float64, act []int32, v []float64, lo, hi int)
}

// fused is a Model that does backup, damping and span in one pass.
type fused interface {
	Model
	Sweep(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64)
}

// ParallelStates is the size below which a sweep runs on one core: it takes
// less time than starting goroutines and waiting for them.
const ParallelStates = 8192

// Sweeper sweeps over a model block by block. Blocks are the same for any number of
// workers and write to disjoint parts, so results are the same to the bit.
type Sweeper struct {
	Team  *parallel.Team
	Least []float64 // by block, for bodies of Blocks to write to
	Most  []float64 // by block

	model Model
	fused fused // nil if the model is not fused
	cuts  []int
}

// New returns a sweeper of a model. The caller closes it.
func New(model Model, workers int) *Sweeper {
	n := model.NumStates()
	cuts := parallel.Cuts(n, rows.BlockStates)
	if blocked, ok := model.(interface{ Blocks() []int }); ok {
		cuts = blocked.Blocks()
	}
	if n < ParallelStates {
		workers = 1
	}
	s := &Sweeper{
		model: model,
		cuts:  cuts,
		Team:  parallel.NewTeam(min(workers, len(cuts)-1)),
		Least: make([]float64, len(cuts)-1),
		Most:  make([]float64, len(cuts)-1),
	}
	s.fused, _ = model.(fused)
	return s
}

// Close ends the goroutines of the sweeper.
func (s *Sweeper) Close() { s.Team.Close() }

// IsFused reports whether a sweep takes little more time than its backup.
func (s *Sweeper) IsFused() bool { return s.fused != nil }

// Blocks runs body for every block of states.
func (s *Sweeper) Blocks(body func(block, lo, hi int)) {
	s.Team.For(len(s.cuts)-1, func(block int) {
		body(block, s.cuts[block], s.cuts[block+1])
	})
}

// Sweep sets dst = v + damping·(T v − v) − shift and returns the least and the
// greatest of T v − v.
func (s *Sweeper) Sweep(dst, v []float64, damping, shift float64) (least, greatest float64) {
	s.Blocks(func(block, lo, hi int) {
		if s.fused != nil {
			s.Least[block], s.Most[block] = s.fused.Sweep(dst, v, damping, shift, lo, hi)
			return
		}
		s.model.Backup(dst, nil, v, lo, hi)
		s.Least[block], s.Most[block] = update(dst[lo:hi], v[lo:hi], damping, shift)
	})
	return s.Extremes()
}

// Extremes returns the least of s.Least and the greatest of s.Most, or NaN if one of them
// is NaN, so that every comparison with them fails.
func (s *Sweeper) Extremes() (least, greatest float64) {
	least, greatest = math.Inf(1), math.Inf(-1)
	for i := range s.Least {
		least, greatest = min(least, s.Least[i]), max(greatest, s.Most[i])
	}
	return least, greatest
}

// update is the part of a sweep after the backup: x is T v before it, and the
// new values after it.
func update(x, v []float64, damping, shift float64) (least, greatest float64) {
	least, greatest = math.Inf(1), math.Inf(-1)
	v = v[:len(x)]
	for i := range x {
		d := x[i] - v[i]
		if d < least {
			least = d
		}
		if d > greatest {
			greatest = d
		}
		x[i] = v[i] + float64(damping*d) - shift
	}
	return least, greatest
}
