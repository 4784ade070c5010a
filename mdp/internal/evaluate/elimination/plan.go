package elimination

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
)

// front is a step of an elimination in dense matrices. Its pivots are the states of a part
// of the dissection. Its border is the set of later states that can reach, or be reached from,
// the states eliminated so far in its branch. Eliminating the pivots changes only
// transitions within the border; the changes go to the parent, whose pivots and border
// contain it.
type front struct {
	first, last int     // the pivots are at places first … last−1
	border      []int32 // places, ascending
	children    []int32 // fronts

	// into says where each state of border is in the parent's front: the first inner
	// states of border are pivots there, and into has their numbers among the pivots;
	// for the others it has their numbers in the parent's border. One more element
	// stands for the exit.
	into  []int32
	inner int

	factors int // where its factors begin
}

// elements returns the number of elements of JJ, JB and BJ.
func (f *front) elements() int { return elements(f.last-f.first, len(f.border)) }

// elements and operations are those of a front with pivots and a border.
func elements(pivots, border int) int { return pivots * (pivots + 2*border + 1) }

func operations(pivots, border int) float64 {
	m, w := float64(pivots), float64(border)
	return m*m*m/3 + m*m*w + m*w*w
}

// handed returns the number of elements of BB.
func (f *front) handed() int { return len(f.border) * (len(f.border) + 1) }

// Plan serves all eliminations of chains with transitions in one graph: it has the order
// of the states, and the fronts in the order of elimination.
type Plan struct {
	Forecast Forecast // of each elimination

	order   []int32 // state at each place
	place   []int32 // place of each state
	front   []front
	factors int     // elements of all fronts together
	widest  int     // largest border
	most    float64 // bytes that an elimination may take
}

// NewPlan dissects an undirected graph: one in which every edge has its opposite,
// see [graph.Graph.Undirected]. If it finds that an elimination would take more
// operations than a limit, +Inf for none, or more memory than [MaxBytes] or than ctx leaves
// (see [limit.Bytes]), the plan is only a forecast. The error is the cause of the end of ctx.
func NewPlan(ctx context.Context, g *graph.Graph, operations float64) (*Plan, error) {
	n := g.NumStates()
	most := limit.Bytes(ctx, MaxBytes)
	widest := int(min(math.Cbrt(3*operations), math.Sqrt(most/8), math.MaxInt32))
	order, parts, done := dissect(ctx, g, widest)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !done {
		w := float64(widest)
		return &Plan{order: order, most: most, Forecast: Forecast{Bytes: 8 * w * w, Operations: w * w * w / 3, Partial: true}}, nil
	}
	p := &Plan{order: order, place: make([]int32, n), front: make([]front, len(parts)), most: most}
	for i, s := range order {
		p.place[s] = int32(i)
	}
	p.link(parts)
	if err := p.findBorders(ctx, g); err != nil {
		return nil, err
	}
	return p, nil
}

// Order returns the order of nested dissection of an undirected graph, or the cause of the
// end of ctx.
func Order(ctx context.Context, g *graph.Graph) ([]int32, error) {
	order, _, _ := dissect(ctx, g, math.MaxInt)
	return order, context.Cause(ctx)
}

// link makes the fronts and links them to their children.
func (p *Plan) link(parts []part) {
	children := make([]int32, 0, len(parts))
	var top []int32 // fronts without parent so far
	for i, part := range parts {
		f := &p.front[i]
		f.first, f.last = part.first, part.last
		begin := len(children)
		children = append(children, top[len(top)-part.children:]...)
		f.children = children[begin:len(children):len(children)]
		top = append(top[:len(top)-part.children], int32(i))
	}
}

// findBorders finds the border of each front, and its places in the parent. It stops once
// the elimination would take too much.
func (p *Plan) findBorders(ctx context.Context, g *graph.Graph) error {
	seen := make([]int32, len(p.place)) // one more than the last front in whose border the place is
	at := make([]int32, len(p.place))   // where in that border
	waiting, most := 0, 0               // elements of BB in memory at the same time
	for i := range p.front {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f := &p.front[i]
		add := func(place int32) {
			if int(place) >= f.last && seen[place] != int32(i+1) {
				seen[place] = int32(i + 1)
				f.border = append(f.border, place)
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
		slices.Sort(f.border)
		for k, place := range f.border {
			at[place] = int32(k)
		}
		waiting += f.handed()
		most = max(most, waiting)
		for _, c := range f.children {
			child := &p.front[c]
			waiting -= child.handed()
			child.into = make([]int32, len(child.border)+1)
			for k, place := range child.border {
				if int(place) < f.last {
					child.into[k] = place - int32(f.first)
					child.inner++
				} else {
					child.into[k] = at[place]
				}
			}
			child.into[len(child.border)] = int32(len(f.border))
		}
		f.factors = p.factors
		p.factors += f.elements()
		p.widest = max(p.widest, len(f.border))
		p.Forecast.Operations += operations(f.last-f.first, len(f.border))
		if p.Forecast.Bytes = 8 * float64(p.factors+most); p.Forecast.Bytes > p.most {
			p.Forecast.Partial = true // borders alone may need too much memory
			break
		}
	}
	return nil
}

// Forecast holds the operations and bytes that an elimination would take.
type Forecast struct {
	Bytes, Operations float64
	Partial           bool // the counts are of a part of the elimination, which is too much already
}

// ForecastLevels forecasts an elimination of a connected undirected graph by the levels of
// one search. That takes a fraction of the time of a plan, and is accurate enough where the graph
// is long and narrow.
func ForecastLevels(g *graph.Graph) Forecast {
	d := newDissection(context.Background(), g)
	_, last := d.components(0, g.NumStates())
	d.search(0, g.NumStates(), copy(d.queue, d.queue[last:]))
	var widths []int
	for _, s := range d.queue {
		if int(d.mark[s].level) == len(widths) {
			widths = append(widths, 0)
		}
		widths[len(widths)-1]++
	}
	f := Forecast{}
	for i, next := range append(widths[1:], 0) {
		f.Bytes += 8 * float64(elements(widths[i], next))
		f.Operations += operations(widths[i], next)
	}
	return f
}

// String returns the forecast for people.
func (f Forecast) String() string {
	text := fmt.Sprintf("%.2g multiplications and %.2g MB", f.Operations, f.Bytes/1e6)
	if f.Partial {
		return "more than " + text
	}
	return text
}
