package elimination

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/dense"
)

// Solve returns x with (I − P)·x = b: the expected sum of b over the visits
// before the exit, from each state. b and x are by state.
func (e *Factorization) Solve(b []float64) []float64 {
	return e.twoWays(b, e.forward, e.backward)
}

// SolveTransposed returns y with yᵀ·(I − P) = bᵀ: the expected number of
// visits to each state before the exit, where b ≥ 0 says how often the chain is
// entered at each. Where that overflows, it scales: y is scale times as large.
func (e *Factorization) SolveTransposed(b []float64) (y []float64, scale float64) {
	y = e.twoWays(b, e.forwardTransposed, e.backwardTransposed)
	for _, x := range y {
		if !(x <= large) {
			return e.solveTransposedScaled(b)
		}
	}
	return y, 1
}

// large is the largest number of visits that is not scaled down.
const large = 0x1p500

// room is what solving with one front after the other needs: vectors for its
// pivots and its border, of the widths of its matrices.
type room struct {
	pivots, border []float64
}

func (p *Plan) newRoom() *room {
	return &room{pivots: make([]float64, padded(p.deepest)), border: make([]float64, padded(p.widest+1))}
}

// twoWays solves with the factor of the fronts in their order, and then with
// the other one in the opposite order.
func (e *Factorization) twoWays(b []float64, up, down func(y []float64, f *front, r *room)) []float64 {
	p := e.Plan
	y := byPlace(b, p.order)
	e.Team.For(len(p.runs), func(i int) {
		r := p.newRoom()
		for k := p.runs[i].from; k < p.runs[i].to; k++ {
			up(y, &p.front[k], r)
		}
	})
	r := p.newRoom()
	for _, k := range p.top {
		up(y, &p.front[k], r)
	}
	for _, k := range slices.Backward(p.top) {
		down(y, &p.front[k], r)
	}
	e.Team.For(len(p.runs), func(i int) {
		r := p.newRoom()
		for k := p.runs[i].to - 1; k >= p.runs[i].from; k-- {
			down(y, &p.front[k], r)
		}
	})
	return byState(y, p.order)
}

// byPlace reorders a vector by state.
func byPlace(x []float64, order []int32) []float64 {
	y := make([]float64, len(x))
	for place, s := range order {
		y[place] = x[s]
	}
	return y
}

// byState reorders a vector by place.
func byState(x []float64, order []int32) []float64 {
	y := make([]float64, len(x))
	for place, s := range order {
		y[s] = x[place]
	}
	return y
}

// take adds what the children of a front have left for its pivots, and returns
// what they have left for its border. That is kept apart from y so that runs
// do not meet in the states that they border on.
func (e *Factorization) take(y []float64, f *front) (pivots, border []float64) {
	pivots, border = y[f.first:f.last], e.sums[f.sums:f.sums+len(f.border)]
	clear(border)
	for _, c := range f.children {
		child := &e.Plan.front[c]
		left := e.sums[child.sums : child.sums+len(child.border)]
		for i, x := range left[:child.inner] {
			pivots[child.into[i]] += x
		}
		for i, x := range left[child.inner:] {
			border[child.into[child.inner+i]] += x
		}
	}
	return pivots, border
}

// fill copies x and pads it with zeros up to the given width.
func fill(dst, x []float64, width int) []float64 {
	dst = dst[:width]
	clear(dst[copy(dst, x):])
	return dst
}

// gatherBorder returns the elements of y on the border of a front, padded with
// zeros up to the given width.
func (r *room) gatherBorder(y []float64, f *front, width int) []float64 {
	border := r.border[:width]
	for i, place := range f.border {
		border[i] = y[place]
	}
	clear(border[len(f.border):])
	return border
}

// forward solves with I − F for the pivots of a front.
func (e *Factorization) forward(y []float64, f *front, r *room) {
	x := e.factorsOf(f)
	pivots, border := e.take(y, f)
	for i := range pivots {
		pivots[i] += dense.Dot(x.pivots.Row(i, 0, i), pivots)
	}
	dense.MultiplyVector(border, x.back, fill(r.pivots, pivots, x.back.Stride))
}

// backward solves with D·(I − G) for the pivots of a front.
func (e *Factorization) backward(y []float64, f *front, r *room) {
	x, pivots := e.factorsOf(f), y[f.first:f.last]
	dense.MultiplyVector(pivots, x.border, r.gatherBorder(y, f, x.border.Stride))
	for i := len(pivots) - 1; i >= 0; i-- {
		pivots[i] = (pivots[i] + dense.Dot(x.pivots.Row(i, i+1, len(pivots)), pivots[i+1:])) / e.pivot[f.first+i]
	}
}

// forwardTransposed solves with (D·(I − G))ᵀ for the pivots of a front.
func (e *Factorization) forwardTransposed(y []float64, f *front, r *room) {
	x := e.factorsOf(f)
	pivots, border := e.take(y, f)
	for k := range pivots {
		pivots[k] /= e.pivot[f.first+k]
		dense.AddScaled(pivots[k+1:], pivots[k], x.pivots.Row(k, k+1, len(pivots)))
	}
	sums := fill(r.border, border, x.border.Stride)
	dense.MultiplyAdd(dense.Matrix{Data: sums}, dense.Matrix{Data: pivots}, x.border, 1, len(sums), len(pivots))
	copy(border, sums)
}

// backwardTransposed solves with (I − F)ᵀ for the pivots of a front.
func (e *Factorization) backwardTransposed(y []float64, f *front, r *room) {
	x, pivots := e.factorsOf(f), y[f.first:f.last]
	sums := fill(r.pivots, pivots, x.pivots.Stride)
	border := r.gatherBorder(y, f, len(f.border))
	dense.MultiplyAdd(dense.Matrix{Data: sums}, dense.Matrix{Data: border}, x.back, 1, len(sums), len(border))
	copy(pivots, sums)
	for k := range slices.Backward(pivots) {
		dense.AddScaled(pivots[:k], pivots[k], x.pivots.Row(k, 0, k))
	}
}

// solveTransposedScaled is SolveTransposed with all of y scaled down whenever an
// element of it is large.
func (e *Factorization) solveTransposedScaled(b []float64) (y []float64, scale float64) {
	places := byPlace(b, e.Plan.order)
	scale = 1
	shrink := func(place int) {
		for places[place] = min(places[place], math.MaxFloat64); places[place] > large; {
			for k := range places {
				places[k] *= 1 / large
			}
			scale *= 1 / large
		}
	}
	for i := range e.Plan.front {
		f := &e.Plan.front[i]
		x, pivots := e.factorsOf(f), places[f.first:f.last]
		for k := range pivots {
			pivots[k] /= e.pivot[f.first+k]
			shrink(f.first + k)
			dense.AddScaled(pivots[k+1:], pivots[k], x.pivots.Row(k, k+1, len(pivots)))
			row := x.border.Row(k, 0, len(f.border))
			for j, place := range f.border {
				places[place] += float64(pivots[k] * row[j])
			}
		}
	}
	for i := len(e.Plan.front) - 1; i >= 0; i-- {
		f := &e.Plan.front[i]
		x, pivots := e.factorsOf(f), places[f.first:f.last]
		for k, place := range f.border {
			dense.AddScaled(pivots, places[place], x.back.Row(k, 0, len(pivots)))
		}
		for k := range slices.Backward(pivots) {
			shrink(f.first + k)
			dense.AddScaled(pivots[:k], pivots[k], x.pivots.Row(k, 0, k))
		}
	}
	return byState(places, e.Plan.order), scale
}
