package elimination

import (
	"context"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/dense"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// The elimination of one front; the package comment names its matrices.

// frontFactors are the matrices of a front that are kept.
type frontFactors struct {
	pivots, border, back dense.Matrix // JJ, JB, BJ
}

func (e *Factorization) factorsOf(f *front) frontFactors {
	m, w := f.pivots(), len(f.border)
	pm, pw := padded(m), padded(w+1)
	x := e.factors[f.factors:]
	return frontFactors{
		pivots: dense.Matrix{Data: x[:m*pm], Stride: pm},
		border: dense.Matrix{Data: x[m*pm : m*(pm+pw)], Stride: pw},
		back:   dense.Matrix{Data: x[m*(pm+pw) : m*(pm+pw)+w*pm], Stride: pm},
	}
}

// eliminate eliminates the pivots of front i. handed is the memory for its BB. team
// shares the work if the front is large; nil for none.
func (e *Factorization) eliminate(ctx context.Context, in *absorbing, i int, handed []float64, team *parallel.Team) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f := &e.Plan.front[i]
	x := e.factorsOf(f)
	rest := dense.Matrix{Data: handed, Stride: padded(len(f.border) + 1)}
	e.handed[i] = rest
	clear(x.pivots.Data)
	clear(x.border.Data)
	clear(x.back.Data)
	clear(handed)
	in.assemble(e.Plan, f, x)
	for _, c := range f.children {
		e.Plan.front[c].handOn(e.handed[c], x, rest)
	}
	if err := e.eliminatePivots(ctx, f, x); err != nil {
		return err
	}
	substituteBorder(f, x)
	e.eliminateBorder(f, x, rest, team)
	return nil
}

// absorbing is a chain with the rows of its roots replaced by an exit.
type absorbing struct {
	chain    *graph.Chain
	entering *graph.Chain // with every transition turned around
	root     []bool
	end      int32   // see Factorization.End
	leaving  float64 // see Factorization.Leaving
}

// assemble adds the transitions of the chain between the pivots of a front, and
// between them and its border.
func (a *absorbing) assemble(p *Plan, f *front, x frontFactors) {
	find := func(place int32) int {
		k, found := slices.BinarySearch(f.border, place)
		if !found {
			panic("elimination: a transition that is not in the graph of the plan")
		}
		return k
	}
	for k := range f.pivots() {
		s := p.order[f.first+k]
		if a.root[s] {
			x.border.Row(k, len(f.border), len(f.border)+1)[0] = 1
		} else {
			x.border.Row(k, len(f.border), len(f.border)+1)[0] = a.leaving
			columns, probabilities := a.chain.Row(s)
			for i, j := range columns {
				switch place := p.place[j]; {
				case j == a.end:
					x.border.Data[k*x.border.Stride+len(f.border)] += probabilities[i]
				case int(place) >= f.last:
					x.border.Data[k*x.border.Stride+find(place)] += probabilities[i]
				case int(place) >= f.first:
					x.pivots.Data[k*x.pivots.Stride+int(place)-f.first] += probabilities[i]
				}
			}
		}
		if s == a.end {
			continue
		}
		states, probabilities := a.entering.Row(s)
		for i, j := range states {
			if place := p.place[j]; int(place) >= f.last && !a.root[j] {
				x.back.Data[find(place)*x.back.Stride+k] += probabilities[i]
			}
		}
	}
}

// handOn adds the BB of a front to the matrices of its parent.
func (f *front) handOn(handed dense.Matrix, x frontFactors, rest dense.Matrix) {
	inner, outer := f.into[:f.inner], f.into[f.inner:]
	for i, to := range f.into[:len(f.border)] {
		row := handed.Row(i, 0, len(f.into))
		pivots, border := x.pivots, x.border
		if i >= f.inner {
			pivots, border = x.back, rest
		}
		left := pivots.Row(int(to), 0, pivots.Stride)
		for k, j := range inner {
			left[j] += row[k]
		}
		right := border.Row(int(to), 0, border.Stride)
		row = row[len(inner):]
		for k, j := range outer {
			right[j] += row[k]
		}
	}
}

// blockPivots is how many pivots are eliminated from a matrix at a time, so
// that each element of it is loaded once for all of them.
const blockPivots = 16

// SmallestPivot is the smallest normal float64: below it S has lost digits, and
// 1/S may overflow.
const SmallestPivot = 0x1p-1022

// eliminatePivots factors JJ. Of the transitions that leave J, to the border or by the
// exit, it needs only the total probability for each pivot (out).
func (e *Factorization) eliminatePivots(ctx context.Context, f *front, x frontFactors) error {
	m, pivots := f.pivots(), x.pivots
	pivot, out := e.pivot[f.first:f.last], e.out[f.first:f.last]
	for i := range out {
		out[i] = dense.Sum(x.border.Row(i, 0, len(f.border)+1))
	}
	for a := 0; a < m; a += blockPivots {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b := min(a+blockPivots, m)
		for i := a; i < m; i++ {
			row := pivots.Row(i, 0, m)
			for k := a; k < min(i, b); k++ {
				factor := row[k] / pivot[k]
				row[k] = factor
				out[i] += float64(factor * out[k])
				dense.AddScaled(row[k+1:b], factor, pivots.Row(k, k+1, b))
			}
			if i >= b {
				continue
			}
			if b < m {
				dense.MultiplyAdd(pivots.From(i, b), pivots.From(i, a), pivots.From(a, b), 1, pivots.Stride-b, i-a)
			}
			pivot[i] = out[i] + dense.Sum(row[i+1:])
			if !(pivot[i] >= SmallestPivot) {
				return &StuckError{State: e.Plan.order[f.first+i]}
			}
		}
		if b < m {
			dense.MultiplyAdd(pivots.From(b, b), pivots.From(b, a), pivots.From(a, b), m-b, pivots.Stride-b, b-a)
		}
	}
	return nil
}

// substituteBorder updates JB by the elimination of the pivots.
func substituteBorder(f *front, x frontFactors) {
	m, width := f.pivots(), x.border.Stride
	for a := 0; a < m; a += blockPivots {
		b := min(a+blockPivots, m)
		for i := a + 1; i < b; i++ {
			dense.MultiplyAdd(x.border.From(i, 0), x.pivots.From(i, a), x.border.From(a, 0), 1, width, i-a)
		}
		if b < m {
			dense.MultiplyAdd(x.border.From(b, 0), x.pivots.From(b, a), x.border.From(a, 0), m-b, width, b-a)
		}
	}
}

// From shareOperations multiplications on, the rows of a border are shared by the
// team, shareRows at a time.
const (
	shareOperations = 1 << 20
	shareRows       = 32
)

// eliminateBorder computes BJ, and adds Σ f_ik·p_kj to BB.
func (e *Factorization) eliminateBorder(f *front, x frontFactors, rest dense.Matrix, team *parallel.Team) {
	w := len(f.border)
	if team == nil || w*w*f.pivots() < shareOperations {
		e.eliminateRows(f, x, rest, 0, w)
		return
	}
	cuts := parallel.Cuts(w, shareRows)
	team.For(len(cuts)-1, func(i int) { e.eliminateRows(f, x, rest, cuts[i], cuts[i+1]) })
}

// eliminateRows is eliminateBorder for rows lo … hi−1.
func (e *Factorization) eliminateRows(f *front, x frontFactors, rest dense.Matrix, lo, hi int) {
	if lo == hi {
		return
	}
	m, pivot := f.pivots(), e.pivot[f.first:f.last]
	for a := 0; a < m; a += blockPivots {
		b := min(a+blockPivots, m)
		for i := lo; i < hi; i++ {
			row := x.back.Row(i, 0, m)
			for k := a; k < b; k++ {
				factor := row[k] / pivot[k]
				row[k] = factor
				dense.AddScaled(row[k+1:b], factor, x.pivots.Row(k, k+1, b))
			}
		}
		if b < m {
			dense.MultiplyAdd(x.back.From(lo, b), x.back.From(lo, a), x.pivots.From(a, b), hi-lo, x.back.Stride-b, b-a)
		}
	}
	dense.MultiplyAdd(rest.From(lo, 0), x.back.From(lo, 0), x.border, hi-lo, rest.Stride, m)
}
