package elimination

import (
	"context"

	"github.com/mdpsolve/mdpsolve/internal/dense"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// Factorization is the factored form of a chain, and room for that of others with
// transitions in the graph of the same plan.
type Factorization struct {
	Plan *Plan
	Team *parallel.Team // that shares the work

	// End is a root to go to which is to exit at once, and to which the plan has no
	// edges; None for none.
	End int32
	// Leaving is the probability of leaving for good, beside the transitions, from
	// every state that is no root.
	Leaving float64

	factors []float64
	pivot   []float64      // S, by place
	out     []float64      // probability of leaving the pivots of the front, by place
	handed  []dense.Matrix // BB of the fronts whose parent is not done
	stacks  [][]float64    // room for handed, by run
	sums    []float64
}

// None stands for no state.
const None = -1

// MaxBytes bounds the memory of one elimination.
const MaxBytes = 8 << 30

// New makes room for eliminations by a plan, done by a team. The error is a
// [TooLargeError] where that would take more than [MaxBytes].
func New(p *Plan, team *parallel.Team) (*Factorization, error) {
	if p.Forecast.Partial || p.Forecast.Bytes > MaxBytes {
		return nil, &TooLargeError{States: len(p.order), Forecast: p.Forecast}
	}
	e := &Factorization{
		Plan:    p,
		End:     None,
		Team:    team,
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

// Factor factors the chain in which each state of roots is an exit: it is left
// for good in the next step. Every state must be able to reach one of them, or
// Leaving be above 0. The error is a [StuckError] where that has a probability too
// small for float64, or the cause of the end of ctx.
func (e *Factorization) Factor(ctx context.Context, chain *graph.Chain, roots []int32) error {
	in := &absorbing{chain: chain, entering: chain.Entering(), root: make([]bool, chain.NumStates()), end: e.End, leaving: e.Leaving}
	for _, s := range roots {
		in.root[s] = true
	}
	errs := make([]error, len(e.Plan.runs))
	e.Team.For(len(e.Plan.runs), func(i int) { errs[i] = e.eliminateRun(ctx, in, i) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	for _, i := range e.Plan.top {
		f := &e.Plan.front[i]
		if err := e.eliminate(ctx, in, int(i), make([]float64, f.handed()), e.Team); err != nil {
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
func (e *Factorization) eliminateRun(ctx context.Context, in *absorbing, run int) error {
	r, stack := e.Plan.runs[run], e.stacks[run]
	top := 0
	for i := r.from; i < r.to; i++ {
		f := &e.Plan.front[i]
		size := f.handed()
		if err := e.eliminate(ctx, in, i, stack[top:top+size], nil); err != nil {
			return err
		}
		for _, c := range f.children {
			top -= e.Plan.front[c].handed()
		}
		copy(stack[top:], e.handed[i].Data)
		e.handed[i].Data = stack[top : top+size]
		top += size
	}
	return nil
}
