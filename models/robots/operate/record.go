// This file keeps what an Adaptive has cost, and what its policies had promised.

package operate

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/confidence"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Performance is what an [Adaptive] has seen since it began.
type Performance struct {
	// Time is what it has run for.
	Time float64

	// Measures are averages over that time; Gain is the cost per unit of time. RobotsMin,
	// RobotsMax and Distribution are not set.
	Measures robots.Measures

	// Promised is the average of the gains of the policies in force, each at the rates
	// that it was made for, or of those in the worst case where they are Careful.
	Promised float64

	// Regret is Measures.Gain − Promised: what was paid beyond what is optimal at the
	// rates that were believed. It is made of noise, of changes that were not known yet, and of
	// what departs from the model. Its interval, of the Confidence of the
	// [AdaptiveSettings], takes parts of the time, 16 to 32 of equal length, as
	// independent; that holds when parts are much longer than the queue's memory. The
	// half width is NaN before there are two parts.
	Regret Interval
}

// record integrates over time.
type record struct {
	time, promised float64
	sums           robots.Measures // integrals and counts
	parts          []float64       // regret in each
	length         float64         // of a part
	rest           float64         // what is left of the last one
}

// mostParts is the number of parts at which pairs of them are put together.
const mostParts = 32

func newRecord(classes int, length float64) record {
	return record{sums: robots.Measures{RobotsMeanByClass: make([]float64, classes)}, length: length}
}

// pass lets time pass with counts that do not change.
func (r *record) pass(step float64, queue int, active []int, costs robots.Parameters, promised float64) {
	now := robots.Measures{PagesMean: float64(queue)}
	if queue == 0 {
		now.Starvation = 1
	}
	for c, n := range active {
		r.sums.RobotsMeanByClass[c] += float64(n) * step
		now.RobotsMean += float64(n)
	}
	r.time += step
	r.promised += promised * step
	r.sums.Starvation += now.Starvation * step
	r.sums.PagesMean += now.PagesMean * step
	r.spread(step, costs.Cost(now)-promised)
}

// spread adds a cost at a constant rate to the parts that it falls into.
func (r *record) spread(step, rate float64) {
	for step > mostParts*r.length {
		r.halve()
	}
	for step > 0 {
		if r.rest <= 0 {
			if len(r.parts) == mostParts {
				r.halve()
			}
			r.parts, r.rest = append(r.parts, 0), r.length
		}
		d := min(step, r.rest)
		r.parts[len(r.parts)-1] += rate * d
		r.rest -= d
		step -= d
	}
}

// halve puts pairs of parts together.
func (r *record) halve() {
	n := len(r.parts)
	for i := 0; i < n; i += 2 {
		r.parts[i/2] = r.parts[i]
		if i+1 < n {
			r.parts[i/2] += r.parts[i+1]
		}
	}
	if n%2 == 1 {
		r.rest += r.length
	}
	r.parts, r.length = slices.Delete(r.parts, (n+1)/2, n), 2*r.length
}

// lose counts a page that was lost, which costs 1.
func (r *record) lose() {
	r.sums.LossRate++
	r.add(1)
}

// activate counts an activation.
func (r *record) activate(cost float64) {
	r.sums.ActivationRate++
	r.add(cost)
}

// add adds a cost at this instant.
func (r *record) add(cost float64) {
	if len(r.parts) == 0 {
		r.parts, r.rest = append(r.parts, 0), r.length
	}
	r.parts[len(r.parts)-1] += cost
}

// Performance returns what was seen so far.
func (a *Adaptive) Performance() Performance {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pass()
	r := &a.record
	p := Performance{Time: r.time, Measures: r.sums, Promised: r.promised / r.time}
	m := &p.Measures
	m.RobotsMeanByClass = slices.Clone(m.RobotsMeanByClass)
	for _, sum := range m.RobotsMeanByClass {
		m.RobotsMean += sum
	}
	for _, sum := range averages(m) {
		*sum /= r.time
	}
	for c := range m.RobotsMeanByClass {
		m.RobotsMeanByClass[c] /= r.time
	}
	m.Gain = a.costs.Cost(*m)
	whole := r.parts
	if r.rest > 0 && len(whole) > 0 {
		whole = whole[:len(whole)-1]
	}
	_, halfWidth := confidence.Mean(whole, a.settings.Confidence)
	p.Regret = Interval{m.Gain - p.Promised, halfWidth / r.length}
	return p
}
