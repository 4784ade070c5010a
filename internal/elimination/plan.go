package elimination

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/dense"
	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// front is a step of an elimination that is done in one dense matrix: its
// pivots are the states of a part of the dissection, and its border are those
// states after them that can be reached from, or reach, what has been
// eliminated up to it. Nothing else is touched by eliminating the pivots. What
// it does to transitions within the border is handed on to the parent, whose
// pivots and border contain it (multifrontal elimination: Duff and Reid 1983).
type front struct {
	first, last int     // the pivots are at places first … last−1
	border      []int32 // places, ascending
	children    []int32 // fronts

	// into says where each of border is in the parent's front: the first inner
	// of them are pivots of it, by number, the others in its border. One more
	// element stands for the exit.
	into  []int32
	inner int

	factors int // where its factors begin, see elimination
	sums    int // where its part of a vector for the border begins
}

func (f *front) pivots() int { return f.last - f.first }

// Plan is what all eliminations of chains with transitions in one graph have in
// common: the order, and the fronts in the order of elimination.
type Plan struct {
	Forecast Forecast // of any of them

	order []int32 // state at each place
	place []int32 // place of each state
	front []front
	// runs are fronts that need nothing from outside their run, so that runs can
	// be worked on at the same time. The fronts of top come after all of them.
	runs []frontRun
	top  []int32

	factors, sums int // elements of all fronts together
	widest        int // largest border
	deepest       int // most pivots of a front
}

// frontRun is the fronts from … to−1.
type frontRun struct {
	from, to int
	stack    int // elements that what they hand on takes at most
}

// The states of a run are at most a share of all of them, or so few that
// cutting them further is not worth it.
const (
	runShares = 16
	runStates = 512
)

// padded returns the least width that a dense matrix of n columns can have.
func padded(n int) int { return (n + dense.Lane - 1) / dense.Lane * dense.Lane }

// NewPlan dissects an undirected graph: one in which every edge has its opposite,
// see [graph.Graph.Undirected]. Where it finds out on the way that an elimination
// would take more operations than a limit, +Inf for none, or more memory than
// [MaxBytes], the plan is a forecast only. The error is the cause of the end of
// ctx.
func NewPlan(ctx context.Context, g *graph.Graph, workers int, operations float64) (*Plan, error) {
	n := g.NumStates()
	widest := int(min(math.Cbrt(3*operations), math.MaxInt32))
	order, parts, done := dissect(ctx, g, workers, widest)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !done {
		w := float64(widest)
		return &Plan{order: order, Forecast: Forecast{Bytes: 8 * w * w, Operations: operations, Partial: true}}, nil
	}
	p := &Plan{order: order, place: make([]int32, n), front: make([]front, len(parts))}
	for i, s := range order {
		p.place[s] = int32(i)
	}
	p.link(parts)
	if err := p.findBorders(ctx, g); err != nil {
		return nil, err
	}
	if !p.Forecast.Partial {
		p.schedule(parts)
	}
	return p, nil
}

// link makes the fronts and links them to their children.
func (p *Plan) link(parts []part) {
	var open []int32 // fronts that have no parent yet
	children := make([]int32, 0, len(parts))
	for i, part := range parts {
		f := &p.front[i]
		f.first, f.last = part.first, part.last
		begin := len(children)
		children = append(children, open[len(open)-part.children:]...)
		f.children = children[begin:len(children):len(children)]
		open = append(open[:len(open)-part.children], int32(i))
	}
}

// findBorders finds what borders on each front, and where it is in the parent.
func (p *Plan) findBorders(ctx context.Context, g *graph.Graph) error {
	seen := make([]int32, len(p.place)) // one more than the last front in whose border the place is
	at := make([]int32, len(p.place))   // where in that border
	for i := range p.front {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f := &p.front[i]
		var border []int32
		add := func(place int32) {
			if int(place) >= f.last && seen[place] != int32(i+1) {
				seen[place] = int32(i + 1)
				border = append(border, place)
			}
		}
		for _, s := range p.order[f.first:f.last] {
			for _, j := range g.Next(s) {
				add(p.place[j])
			}
		}
		for _, c := range f.children {
			for _, place := range p.front[c].border {
				add(place)
			}
		}
		slices.Sort(border)
		f.border = border
		for k, place := range border {
			at[place] = int32(k)
		}
		for _, c := range f.children {
			child := &p.front[c]
			child.into = make([]int32, len(child.border)+1)
			for k, place := range child.border {
				if int(place) < f.last {
					child.into[k] = place - int32(f.first)
					child.inner++
				} else {
					child.into[k] = at[place]
				}
			}
			child.into[len(child.border)] = int32(len(border))
		}
		pivots, width := f.pivots(), len(border)
		f.factors, f.sums = p.factors, p.sums
		p.factors += pivots*(padded(pivots)+padded(width+1)) + width*padded(pivots)
		p.sums += width
		p.widest = max(p.widest, width)
		p.deepest = max(p.deepest, pivots)
		m, w := float64(pivots), float64(width)
		p.Forecast.Operations += m*m*m/3 + m*m*w + m*w*w
		if p.Forecast.Bytes = 8 * (float64(p.factors) + w*w); p.Forecast.Bytes > MaxBytes {
			p.Forecast.Partial = true // borders alone may be more than can be held
			break
		}
	}
	return nil
}

// schedule cuts the fronts into runs.
func (p *Plan) schedule(parts []part) {
	limit := max(runStates, len(p.order)/runShares)
	for i := len(parts) - 1; i >= 0; {
		if parts[i].last-parts[i].begin > limit {
			p.top = append(p.top, int32(i))
			i--
			continue
		}
		t := frontRun{to: i + 1}
		for i >= 0 && parts[i].first >= parts[t.to-1].begin {
			i--
		}
		t.from = i + 1
		t.stack = p.stackOf(t)
		p.runs = append(p.runs, t)
	}
	slices.Reverse(p.runs)
	slices.Reverse(p.top)
	p.Forecast.Bytes = 8 * float64(p.factors)
	for _, t := range p.runs {
		p.Forecast.Bytes += 8 * float64(t.stack)
	}
	for _, i := range p.top {
		p.Forecast.Bytes += 8 * float64(p.front[i].handed())
	}
}

// handed returns the number of elements of what the front hands on.
func (f *front) handed() int { return len(f.border) * padded(len(f.border)+1) }

// stackOf returns what the fronts of a run hand on takes at most, when that of
// the children of a front makes room for that of the front once it is done.
func (p *Plan) stackOf(t frontRun) (most int) {
	var open []int // sizes
	used := 0
	for i := t.from; i < t.to; i++ {
		f := &p.front[i]
		size := f.handed()
		most = max(most, used+size)
		for range f.children {
			used -= open[len(open)-1]
			open = open[:len(open)-1]
		}
		open = append(open, size)
		used += size
	}
	return most
}

// Forecast is what an elimination would take.
type Forecast struct {
	Bytes, Operations float64
	Partial           bool // of a part of it, which is too much already
}

// String returns the forecast for people.
func (f Forecast) String() string {
	text := fmt.Sprintf("%.2g multiplications and %.2g MB", f.Operations, f.Bytes/1e6)
	if f.Partial {
		return "more than " + text
	}
	return text
}
