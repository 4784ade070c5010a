package mdp

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/dense"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// elimination is the state-reduction factorization of an absorbing chain: one
// that is left for good, at its exits, with probability 1. With P the
// transition probabilities it factors
//
//	I − P = (I − F)·D·(I − G),
//
// F strictly below the diagonal, G strictly above, D diagonal, eliminating the
// states from first to last in the order of a plan. Eliminating state k adds to
// the probability of every transition i → j the probability of going there by
// way of k,
//
//	p_ij ← p_ij + p_ik·p_kj / S_k,  S_k = Σ_{j>k} p_kj + (probability of the exit),
//
// which is the algorithm of Grassmann, Taksar and Heyman (1985): the pivot S_k
// is a sum of the ways out of k instead of 1 − p_kk, so there is no
// subtraction anywhere, and every element of the factors has a relative error
// of at most some multiple of n·u, whatever the conditioning and the order
// (O'Cinneide 1993). Solutions for right-hand sides of one sign inherit that.
//
// The elimination goes front by front. With J the pivots of a front and B its
// border, the matrices of a front are
//
//	JJ   f_ij = p_ij/S_j (j < i), p_ij (j > i)
//	JB   p_ij, and the probability of the exit in one more column
//	BJ   f_ij = p_ij/S_j
//	BB   what the border is handed: Σ_{k in J} f_ik·p_kj and what came from the
//	     children, with one more column for the exit
//
// of which the first three are kept. Elements on the diagonals of JJ and BB are
// computed and of no meaning: the way back to where one is does not count.
type elimination struct {
	plan    *plan
	team    *parallel.Team
	end     int32   // a root to go to which is to exit at once, and to which the plan has no edges; noRoot for none
	leaving float64 // probability of leaving for good, beside the transitions, from every state that is no root
	factors []float64
	pivot   []float64      // S, by place
	out     []float64      // probability of leaving the pivots of the front, by place
	handed  []dense.Matrix // BB of the fronts whose parent is not done
	stacks  [][]float64    // room for handed, by run
	sums    []float64
}

// maxEliminationBytes bounds the memory of one elimination.
const maxEliminationBytes = 8 << 30

// newElimination makes room for eliminations by a plan.
func newElimination(p *plan, team *parallel.Team) (*elimination, error) {
	if p.forecast.partial || p.forecast.bytes > maxEliminationBytes {
		return nil, fmt.Errorf("mdp: %w: exact evaluation of %d states would take %s; %g MB are allowed",
			ErrTooLarge, len(p.order), p.forecast, float64(maxEliminationBytes)/1e6)
	}
	e := &elimination{
		plan:    p,
		team:    team,
		end:     noRoot,
		factors: make([]float64, p.factors),
		pivot:   make([]float64, len(p.order)),
		out:     make([]float64, len(p.order)),
		handed:  make([]dense.Matrix, len(p.front)),
		stacks:  make([][]float64, len(p.runs)),
		sums:    make([]float64, p.sums),
	}
	for i, t := range p.runs {
		e.stacks[i] = make([]float64, t.stack)
	}
	return e, nil
}

// stuckError says that the chain, once in a state, leaves what comes before it
// in the elimination with a probability that is too small for float64.
type stuckError struct{ state int32 }

func (e *stuckError) Error() string {
	return fmt.Sprintf("mdp: exact evaluation: the probability of ever leaving for good from state %d is too small for float64", e.state)
}

// Unwrap returns [ErrPrecisionLimit].
func (e *stuckError) Unwrap() error { return ErrPrecisionLimit }

// factor factors the chain in which each state of roots is an exit: it is left
// for good in the next step. Every state must be able to reach one of them.
func (e *elimination) factor(ctx context.Context, chain *chain, roots []int32) error {
	in := &absorbing{chain: chain, entering: chain.entering(), root: make([]bool, chain.numStates()), end: e.end, leaving: e.leaving}
	for _, s := range roots {
		in.root[s] = true
	}
	errs := make([]error, len(e.plan.runs))
	e.team.For(len(e.plan.runs), func(i int) { errs[i] = e.eliminateRun(ctx, in, i) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	for _, i := range e.plan.top {
		f := &e.plan.front[i]
		if err := e.eliminate(ctx, in, int(i), make([]float64, f.handed()), e.team); err != nil {
			return err
		}
		for _, c := range f.children {
			e.handed[c] = dense.Matrix{}
		}
	}
	return nil
}

// eliminateRun eliminates the fronts of a run. What a front hands on is put on
// top of a stack, where that of its children is, and then takes their place.
func (e *elimination) eliminateRun(ctx context.Context, in *absorbing, run int) error {
	r, stack := e.plan.runs[run], e.stacks[run]
	top := 0
	for i := r.from; i < r.to; i++ {
		f := &e.plan.front[i]
		size := f.handed()
		if err := e.eliminate(ctx, in, i, stack[top:top+size], nil); err != nil {
			return err
		}
		for _, c := range f.children {
			top -= e.plan.front[c].handed()
		}
		copy(stack[top:], e.handed[i].Data)
		e.handed[i].Data = stack[top : top+size]
		top += size
	}
	return nil
}
