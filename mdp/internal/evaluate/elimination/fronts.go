package elimination

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
)

// The elimination of a chain, front by front.

// Factorization holds the factors of a chain, and can be used again for other chains
// with transitions in the graph of the same plan.
type Factorization struct {
	Plan    *Plan
	factors []float64
	handed  []blas64.General // BB of the fronts whose parent is not done
}

// MaxBytes bounds the memory of one elimination.
const MaxBytes = 8 << 30

// New allocates the memory for eliminations by a plan. The error is [limit.ErrTooLarge] if
// that would be more than the plan allows.
func New(p *Plan) (*Factorization, error) {
	if p.Forecast.Partial || p.Forecast.Bytes > p.most {
		return nil, fmt.Errorf("mdp: %w: exact evaluation of %d states would take %s: the limit is %.4g MB", limit.ErrTooLarge, len(p.order), p.Forecast, p.most/1e6)
	}
	return &Factorization{
		Plan: p, factors: make([]float64, p.factors), handed: make([]blas64.General, len(p.front)),
	}, nil
}

// Factor factors an absorbing chain: exit is the weight of each state for leaving the
// chain. The transitions of a state with exit +Inf are ignored. From every state the chain
// must be able to leave. The error is a [StuckError] if the probability of leaving is too
// small for float64, or the cause of the end of ctx.
func (e *Factorization) Factor(ctx context.Context, chain *graph.Chain, exit []float64) error {
	entering := chain.Entering()
	for i := range e.Plan.front {
		if err := e.eliminate(ctx, i, chain, entering, exit); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// kept holds the matrices of a front that stay in memory.
type kept struct {
	pivots, border, back blas64.General // JJ, JB, BJ
}

func (e *Factorization) keptOf(f *front) kept {
	m, w := f.last-f.first, len(f.border)
	x := e.factors[f.factors : f.factors+f.elements()]
	return kept{
		pivots: blas64.General{Rows: m, Cols: m, Stride: m, Data: x[:m*m]},
		border: blas64.General{Rows: m, Cols: w + 1, Stride: w + 1, Data: x[m*m : m*(m+w+1)]},
		back:   blas64.General{Rows: w, Cols: m, Stride: m, Data: x[m*(m+w+1):]},
	}
}

// eliminate eliminates the pivots of front i.
func (e *Factorization) eliminate(ctx context.Context, i int, chain, entering *graph.Chain, exit []float64) error {
	f := &e.Plan.front[i]
	x, w := e.keptOf(f), len(f.border)
	rest := blas64.General{Rows: w, Cols: w + 1, Stride: w + 1, Data: make([]float64, w*(w+1))}
	clear(e.factors[f.factors : f.factors+f.elements()])
	e.Plan.assemble(f, x, chain, entering, exit)
	for _, c := range f.children {
		e.Plan.front[c].handOn(e.handed[c], x, rest)
		e.handed[c] = blas64.General{}
	}
	leave := make([]float64, x.pivots.Rows)
	for k := range leave {
		leave[k] = -floats.Sum(row(x.border, k))
	}
	if stuck := FactorDense(ctx, x.pivots, leave); stuck >= 0 {
		return &StuckError{State: e.Plan.order[f.first+stuck]}
	}
	subtractPivots(ctx, x.pivots, x.border, x.back, rest)
	e.handed[i] = rest
	return nil
}

// assemble adds the transitions of a chain between the pivots of a front, and
// between them and its border.
func (p *Plan) assemble(f *front, x kept, chain, entering *graph.Chain, exit []float64) {
	find := func(place int32) int {
		k, found := slices.BinarySearch(f.border, place)
		if !found {
			panic("elimination: a transition that is not in the graph of the plan")
		}
		return k
	}
	for k, s := range p.order[f.first:f.last] {
		pivots, border := row(x.pivots, k), row(x.border, k)
		isRoot := math.IsInf(exit[s], 1)
		if border[len(f.border)] = -exit[s]; isRoot {
			border[len(f.border)] = -1
		}
		columns, probabilities := chain.Row(s)
		for i, j := range columns {
			switch place := p.place[j]; {
			case isRoot:
			case int(place) >= f.last:
				border[find(place)] -= probabilities[i]
			case int(place) >= f.first:
				pivots[int(place)-f.first] -= probabilities[i]
			}
		}
		columns, probabilities = entering.Row(s)
		for i, j := range columns {
			if place := p.place[j]; int(place) >= f.last && !math.IsInf(exit[j], 1) {
				row(x.back, find(place))[k] -= probabilities[i]
			}
		}
	}
}

// handOn adds the BB of a front to the matrices of its parent.
func (f *front) handOn(handed blas64.General, x kept, rest blas64.General) {
	inner, outer := f.into[:f.inner], f.into[f.inner:]
	for i, to := range f.into[:len(f.border)] {
		pivots, border := x.pivots, x.border
		if i >= f.inner {
			pivots, border = x.back, rest
		}
		from, left, right := row(handed, i), row(pivots, int(to)), row(border, int(to))
		for k, j := range inner {
			left[j] += from[k]
		}
		for k, j := range outer {
			right[j] += from[len(inner)+k]
		}
	}
}
