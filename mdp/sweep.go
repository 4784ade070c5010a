package mdp

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// parallelStates is the size below which a sweep stays on one core: it takes
// less time than starting goroutines and waiting for them.
const parallelStates = 8192

// sweeper sweeps a model block by block. Blocks are the same at any number of
// workers and write to disjoint parts, so results are the same to the bit.
type sweeper struct {
	model Model
	fused Sweeper // nil where the model does not offer it
	cuts  []int
	team  *parallel.Team
	least []float64 // by block
	most  []float64 // by block
}

func newSweeper(model Model, workers int) *sweeper {
	n := model.NumStates()
	cuts := parallel.Cuts(n, rows.BlockStates)
	if blocked, ok := model.(Blocked); ok {
		cuts = blocked.Blocks()
	}
	if n < parallelStates {
		workers = 1
	}
	s := &sweeper{
		model: model,
		cuts:  cuts,
		team:  parallel.NewTeam(min(workers, len(cuts)-1)),
		least: make([]float64, len(cuts)-1),
		most:  make([]float64, len(cuts)-1),
	}
	s.fused, _ = model.(Sweeper)
	return s
}

// blocks runs body for every block of states.
func (s *sweeper) blocks(body func(block, lo, hi int)) {
	s.team.For(len(s.cuts)-1, func(block int) {
		body(block, s.cuts[block], s.cuts[block+1])
	})
}

// close ends the goroutines of the sweeper.
func (s *sweeper) close() { s.team.Close() }

// sweep sets dst = v + damping·(T v − v) − shift and returns the least and the
// greatest of T v − v.
func (s *sweeper) sweep(dst, v []float64, damping, shift float64) (least, greatest float64) {
	s.blocks(func(block, lo, hi int) {
		if s.fused != nil {
			s.least[block], s.most[block] = s.fused.Sweep(dst, v, damping, shift, lo, hi)
			return
		}
		s.model.Backup(dst, nil, v, lo, hi)
		s.least[block], s.most[block] = update(dst[lo:hi], v[lo:hi], damping, shift)
	})
	return s.extremes()
}

// extremes returns the least of s.least and the greatest of s.most; NaN where
// there is one among them, so that no comparison takes it for an answer.
func (s *sweeper) extremes() (least, greatest float64) {
	least, greatest = math.Inf(1), math.Inf(-1)
	for i := range s.least {
		least, greatest = min(least, s.least[i]), max(greatest, s.most[i])
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
