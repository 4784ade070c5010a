package refresh

import (
	"math"
	"sync"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// optimizer makes passes over the pages of a problem.
type optimizer struct {
	*Problem
	*layout
	team    *parallel.Team
	fastest float64   // greatest rate of any page
	mean    float64   // rate
	buffers sync.Pool // of *buffer
	demands []demand  // by run
	passes  int
}

func newOptimizer(p *Problem, team *parallel.Team) *optimizer {
	_, fastest := p.limits()
	o := &optimizer{Problem: p, team: team, fastest: fastest, mean: p.Bandwidth / float64(p.Len()), layout: newLayout(p)}
	o.buffers.New = func() any { return new(buffer) }
	o.demands = make([]demand, len(o.runs))
	return o
}

// buffer holds the vectors of a chunk. pages, least and greatest are parts of
// the problem's, or of the numbers gathered here where pages are in an order of
// their own.
type buffer struct {
	pages           Pages
	least, greatest []float64

	gathered                   [4][chunk]float64
	rates, slopes              [chunk]float64 // the demand
	others                     [chunk]float64 // the demand at another multiplier
	settled, values, marginals [chunk]float64
}

// load makes the positions from … to−1 the pages of the buffer.
func (o *optimizer) load(b *buffer, from, to int) {
	if o.order == nil {
		b.pages = o.Slice(from, to)
		if o.Least != nil {
			b.least = o.Least[from:to]
		}
		if o.Greatest != nil {
			b.greatest = o.Greatest[from:to]
		}
		return
	}
	order := o.order[from:to]
	gather := func(space int, numbers []float64) []float64 {
		if numbers == nil {
			return nil
		}
		for i, page := range order {
			b.gathered[space][i] = numbers[page]
		}
		return b.gathered[space][:len(order)]
	}
	b.pages = Pages{gather(0, o.ChangeRates), gather(1, o.Weights)}
	b.least, b.greatest = gather(2, o.Least), gather(3, o.Greatest)
}

// ask fills rates and slopes with the demand of the buffer's pages, within
// their bounds.
func (o *optimizer) ask(b *buffer, rates, slopes []float64, multiplier float64) {
	o.Objective.Demand(rates, slopes, b.pages, multiplier)
	if b.least == nil && b.greatest == nil && math.IsInf(o.fastest, 1) {
		return
	}
	for i, rate := range rates {
		if bound := b.highest(i, o.fastest); rate >= bound {
			rates[i], slopes[i] = bound, 0
		}
		if bound := b.lowest(i); rate <= bound {
			rates[i], slopes[i] = bound, 0
		}
	}
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

// chunks calls body for each chunk of a run, with a buffer that holds its pages.
func (o *optimizer) chunks(r run, body func(b *buffer, from, to int)) {
	b := o.buffers.Get().(*buffer)
	for from := r.from; from < r.to; from += chunk {
		to := min(from+chunk, r.to)
		o.load(b, from, to)
		body(b, from, to)
	}
	o.buffers.Put(b)
}

// demand is what the pages of a run or a group ask for at one multiplier.
type demand struct {
	sum      accumulator
	slope    float64
	steepest float64
}

func (d *demand) merge(next demand) {
	d.sum.merge(next.sum)
	d.slope += next.slope
	d.steepest = max(d.steepest, next.steepest)
}

// demandPass finds the demand of each run whose group has a multiplier that is
// not NaN.
func (o *optimizer) demandPass(multipliers []float64) {
	o.passes++
	o.each(o.team, func(r int) {
		if multiplier := multipliers[o.runs[r].group]; !math.IsNaN(multiplier) {
			o.demands[r] = o.demandOf(r, multiplier)
		}
	})
}

// demandOf returns the demand of a run.
func (o *optimizer) demandOf(r int, multiplier float64) demand {
	d := demand{}
	o.chunks(o.runs[r], func(b *buffer, from, to int) {
		rates, slopes := b.rates[:to-from], b.slopes[:to-from]
		o.ask(b, rates, slopes, multiplier)
		o.note(&d, rates, slopes)
	})
	return d
}

// demandAt returns the demand of all pages of a problem without hosts.
func (o *optimizer) demandAt(multiplier float64) demand {
	o.demandPass([]float64{multiplier})
	all := demand{}
	for _, d := range o.demands {
		all.merge(d)
	}
	return all
}

// note adds what the pages of a chunk ask for.
func (o *optimizer) note(d *demand, rates, slopes []float64) {
	d.sum.add(rates)
	d.slope += plainSum(slopes)
	d.steepest = steepest(d.steepest, o.mean, rates, slopes)
}
