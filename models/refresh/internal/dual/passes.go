package dual

import (
	"math"
	"sync"

	"github.com/mdpsolve/mdpsolve/internal/fixedpoint"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// sweeper makes passes over the pages of a problem.
type sweeper struct {
	problem *Problem
	layout  *layout
	team    *parallel.Team
	mean    float64 // rate
	scale   *fixedpoint.Scale
	scales  []*fixedpoint.Scale // by group: of its cap, or scale
	buffers sync.Pool           // of *buffer
	demands []Demand            // by run
	passes  int
	err     error // of a pass over pages elsewhere, which ends the search
}

func newSweeper(p *Problem, team *parallel.Team) *sweeper {
	w := &sweeper{problem: p, layout: newLayout(p), team: team, mean: p.Bandwidth / float64(p.Len())}
	w.buffers.New = func() any { return new(buffer) }
	w.demands = make([]Demand, len(w.layout.runs))
	whole := fixedpoint.NewScale(p.Bandwidth)
	w.scale, w.scales = &whole, make([]*fixedpoint.Scale, len(w.layout.caps))
	for g, most := range w.layout.caps {
		w.scales[g] = w.scale
		if most > 0 && most < p.Bandwidth {
			own := fixedpoint.NewScale(most)
			w.scales[g] = &own
		}
	}
	return w
}

// buffer holds the vectors of a chunk of pages. The numbers of the pages are parts of
// the problem's slices, or gathered here where pages are in an order of their own.
type buffer struct {
	changeRates, weights []float64
	least, greatest      []float64

	gathered                   [4][chunk]float64
	rates, slopes              [chunk]float64 // the demand
	others                     [chunk]float64 // the demand at another multiplier
	settled, values, marginals [chunk]float64
}

// load makes the positions from … to−1 the pages of the buffer.
func (w *sweeper) load(b *buffer, from, to int) {
	p := w.problem
	gather := func(space int, numbers []float64) []float64 {
		if numbers == nil || w.layout.order == nil {
			return part(numbers, from, to)
		}
		for i, page := range w.layout.order[from:to] {
			b.gathered[space][i] = numbers[page]
		}
		return b.gathered[space][:to-from]
	}
	b.changeRates, b.weights = gather(0, p.ChangeRates), gather(1, p.Weights)
	b.least, b.greatest = gather(2, p.Least), gather(3, p.Greatest)
}

// ask fills rates and slopes with the demand of the buffer's pages, within their
// bounds.
func (w *sweeper) ask(b *buffer, rates, slopes []float64, multiplier float64) {
	w.problem.Objective.Demand(rates, slopes, b.changeRates, b.weights, multiplier)
	if w.unbounded(b) {
		return
	}
	for i, rate := range rates {
		if bound := b.highest(i, w.problem.Fastest); rate >= bound {
			rates[i], slopes[i] = bound, 0
		}
		if bound := b.lowest(i); rate <= bound {
			rates[i], slopes[i] = bound, 0
		}
	}
}

// unbounded reports whether the pages of a buffer may have any rates.
func (w *sweeper) unbounded(b *buffer) bool {
	return b.least == nil && b.greatest == nil && math.IsInf(w.problem.Fastest, 1)
}

func (b *buffer) lowest(i int) float64 {
	if b.least == nil {
		return 0
	}
	return b.least[i]
}

func (b *buffer) highest(i int, fastest float64) float64 {
	if b.greatest == nil {
		return fastest
	}
	return min(fastest, b.greatest[i])
}

// pass calls body for each run, on several workers.
func (w *sweeper) pass(body func(run int)) {
	w.passes++
	w.layout.each(w.team, body)
}

// chunks calls body for each chunk of a run, with a buffer that holds its pages.
func (w *sweeper) chunks(run int, body func(b *buffer, from, to int)) {
	r := w.layout.runs[run]
	b := w.buffers.Get().(*buffer)
	for from := r.from; from < r.to; from += chunk {
		to := min(from+chunk, r.to)
		w.load(b, from, to)
		body(b, from, to)
	}
	w.buffers.Put(b)
}

// Demand is what some pages ask for at one multiplier, on the scale of their group.
type Demand struct{ Sum, Slope fixedpoint.Sum }

// add adds a chunk.
func (d *Demand) add(on *fixedpoint.Scale, rates, slopes []float64) {
	d.Sum.AddAll(on, rates)
	d.Slope.AddRough(on, slopes)
}

func (d *Demand) merge(next Demand) {
	d.Sum.Merge(next.Sum)
	d.Slope.Merge(next.Slope)
}

// at returns the point of a search for a budget.
func (d *Demand) at(on *fixedpoint.Scale, multiplier, budget float64) Point {
	return Point{multiplier, d.Sum.Below(on, budget), d.Slope.Float(on)}
}

// demandPass finds the demand of each run whose group has a multiplier that is not
// NaN.
func (w *sweeper) demandPass(multipliers []float64) {
	if w.problem.Remote != nil {
		w.demands = remotely(w, w.demands, func(r Remote) ([]Demand, error) { return r.Demand(multipliers) })
		return
	}
	w.pass(func(run int) {
		if multiplier := multipliers[w.layout.runs[run].group]; !math.IsNaN(multiplier) {
			w.demands[run] = w.demandOf(run, multiplier)
		}
	})
}

// demandOf returns the demand of a run.
func (w *sweeper) demandOf(run int, multiplier float64) Demand {
	d, on := Demand{}, w.scales[w.layout.runs[run].group]
	w.chunks(run, func(b *buffer, from, to int) {
		rates, slopes := b.rates[:to-from], b.slopes[:to-from]
		w.ask(b, rates, slopes, multiplier)
		d.add(on, rates, slopes)
	})
	return d
}

// Points are the demands of a run at several multipliers.
type Points []Demand

// points finds the demand of each run at several multipliers.
func (w *sweeper) points(multipliers []float64) []Points {
	found := make([]Points, len(w.layout.runs))
	if w.problem.Remote != nil {
		return remotely(w, found, func(r Remote) ([]Points, error) { return r.Points(multipliers) })
	}
	w.pass(func(run int) {
		for _, multiplier := range multipliers {
			found[run] = append(found[run], w.demandOf(run, multiplier))
		}
	})
	return found
}

// demandAt returns the demand of all pages of a problem without hosts.
func (w *sweeper) demandAt(multiplier float64) Demand {
	w.demandPass([]float64{multiplier})
	all := Demand{}
	for _, d := range w.demands {
		all.merge(d)
	}
	return all
}
