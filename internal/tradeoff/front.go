package tradeoff

import (
	"context"
	"slices"
)

// Front is the lower left edge of the pairs (x, y) of values that policies can have, as far as
// it is found: the policies that are best for some weights of x and y.
//
// Of two policies on it, either is as good as the other for the weights (y_B − y_A, x_A − x_B).
// If nothing is better for these, the two are neighbours; otherwise what is best lies between
// them, and each half is searched in the same way (M.J. Eisner and D.G. Severance, Mathematical
// techniques for efficient record segmentation in large shared databases, Journal of the ACM
// 23 (1976), 619-635). With v vertices that takes 2v−1 solves at most. The pair with the
// largest possible improvement between them comes first.
type Front[P any] struct {
	Vertices []Vertex[P] // x falls, y rises
	Solve    Oracle[P]
}

// Vertex is a policy on a [Front].
type Vertex[P any] struct {
	Point[P]
	At    [2]float64 // the weights for which it was found
	Lower float64    // proved for these, of all policies
	Next  [2]float64 // the weights for which it costs as much as the next vertex
	// Gap bounds what policies between this vertex and the next can save where the two cost
	// the same, relative to the magnitudes that add up there; not relative if these are 0.
	Gap    float64
	Joined bool // nothing better was found for these weights
}

// Run finds the front between two pairs of weights, the first of which counts y more: at most
// so many vertices, 0 for all. An error is that of the oracle; the front holds what is found
// by then.
func (f *Front[P]) Run(ctx context.Context, first, last [2]float64, most int) error {
	for _, weights := range [][2]float64{first, last} {
		v, err := f.find(ctx, weights)
		if err != nil {
			if len(f.Vertices) == 0 && v.Values != nil {
				f.Vertices = append(f.Vertices, v)
			}
			return err
		}
		if len(f.Vertices) > 0 && !f.Vertices[0].isLeft(&v) { // what is best for both
			continue
		}
		f.Vertices = append(f.Vertices, v)
	}
	f.bound(0)
	for most == 0 || len(f.Vertices) < most {
		at := -1
		for i := range f.Vertices {
			if v := &f.Vertices[i]; !v.Joined && v.Gap > Tie && (at < 0 || v.Gap > f.Vertices[at].Gap) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		if err := f.split(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

func (f *Front[P]) find(ctx context.Context, weights [2]float64) (Vertex[P], error) {
	point, lower, err := f.Solve(ctx, weights[:])
	return Vertex[P]{Point: point, At: weights, Lower: lower}, err
}

// isLeft reports whether w lies to the left of v, so that it follows v on the front, and is
// better than v for the weights of w.
func (v *Vertex[P]) isLeft(w *Vertex[P]) bool {
	size, own := weighed(w.At[:], v.Values)
	_, other := weighed(w.At[:], w.Values)
	return w.Values[0] < v.Values[0] && other < own-Tie*size
}

// bound sets Next and the gap after a vertex. Every policy costs s·Lower_v + t·Lower_w at least
// for the weights s·At_v + t·At_w.
func (f *Front[P]) bound(i int) {
	if i+1 >= len(f.Vertices) {
		return
	}
	v, w := &f.Vertices[i], &f.Vertices[i+1]
	c := [2]float64{w.Values[1] - v.Values[1], v.Values[0] - w.Values[0]}
	det := func(p, q [2]float64) float64 { return p[0]*q[1] - p[1]*q[0] }
	s, t := det(c, w.At)/det(v.At, w.At), det(v.At, c)/det(v.At, w.At)
	switch { // rounding must not lead out of the weights of the two
	case !(t > 0):
		c, s, t = v.At, 1, 0
	case !(s > 0):
		c, s, t = w.At, 0, 1
	}
	v.Next, v.Joined = c, false
	v.Gap = saving(v, w, s*v.Lower+t*w.Lower)
}

// saving returns the gap after v, if all policies cost lower at least for the weights Next.
func saving[P any](v, w *Vertex[P], lower float64) float64 {
	size, cost := weighed(v.Next[:], v.Values)
	other, _ := weighed(v.Next[:], w.Values)
	if size = max(size, other); size == 0 {
		size = 1
	}
	return max(0, cost-lower) / size
}

// split solves where vertices i and i+1 cost the same, and finds them to be neighbours or puts
// what it finds between them.
func (f *Front[P]) split(ctx context.Context, i int) error {
	v, w := &f.Vertices[i], &f.Vertices[i+1]
	between, err := f.find(ctx, v.Next)
	if err != nil {
		return err
	}
	if !v.isLeft(&between) {
		v.Gap, v.Joined = min(v.Gap, saving(v, w, between.Lower)), true
		return nil
	}
	switch { // at an end, where only one value counted, the other may be improved
	case between.Values[0] <= w.Values[0]:
		w.Point = between.Point
	case between.Values[1] <= v.Values[1]:
		v.Point = between.Point
	default:
		f.Vertices = slices.Insert(f.Vertices, i+1, between)
	}
	f.bound(i)
	f.bound(i + 1)
	return nil
}
