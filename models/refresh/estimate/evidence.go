package estimate

// This file has the likelihood of a change rate where changes may be signalled.

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// evidence is what a history says of the change rate Δ of its page, given how good signals
// are. With recall ν and false signals at rate φ, n signals come in a gap τ, and the page is
// found changed, with the probability
//
//	e^{−φτ}·τⁿ/n! · (A^n·e^{−νΔτ} − φⁿ·e^{−Δτ}) = e^{−φτ}·τⁿ/n! · A^n·e^{−νΔτ}·(1 − e^{−y}),
//	A = νΔ + φ,   y = (1−ν)Δτ + n·ln(A/φ),
//
// and unchanged with e^{−φτ}·(φτ)ⁿ/n!·e^{−Δτ}. The times of the signals in a gap say no more.
//
// Source: R. Busa-Fekete et al., 2025, where e^{−y} is the probability that the copy is still
// fresh before it is looked at.
type evidence struct {
	idle, busy  float64 // sum of the gaps without a change, and with one
	idleSignals float64
	groups      []evidenceGroup
}

// An evidenceGroup is some gaps with a change: of the same length, with as many signals.
type evidenceGroup struct{ count, gap, signals float64 }

// quality is how good change signals are.
type quality struct{ recall, falseRate float64 }

// take replaces the evidence by that of a history.
func (e *evidence) take(h *History) {
	*e = evidence{groups: e.groups[:0]}
	idle := doubledouble.Number{}
	for i := range h.groups {
		g := &h.groups[i]
		if g.Kind == sawNone {
			idle = idle.Add(g.Sum)
			e.idleSignals += float64(g.Signals)
		} else {
			e.add(float64(g.Count), g.mean(), float64(g.Signals)/float64(g.Count))
		}
	}
	e.idle = idle.Float()
}

// add takes up gaps with a change, if there are any.
func (e *evidence) add(count, gap, signals float64) {
	if count > 0 {
		e.busy += count * gap
		e.groups = append(e.groups, evidenceGroup{count, gap, signals})
	}
}

// changes returns the number of gaps with a change.
func (e *evidence) changes() float64 {
	count := 0.
	for i := range e.groups {
		count += e.groups[i].count
	}
	return count
}

// log returns the logarithm of the likelihood of a rate, without what does not depend on it.
func (e *evidence) log(rate float64, q quality) float64 {
	sum := -rate * (e.idle + q.recall*e.busy)
	product := 1. // of probabilities, whose logarithm is not yet in sum
	for i := range e.groups {
		g := &e.groups[i]
		y := (1 - q.recall) * rate * g.gap
		if g.signals > 0 && q.recall > 0 {
			a := q.recall*rate + q.falseRate
			sum += g.count * g.signals * math.Log(a)
			y += g.signals * math.Log(a/q.falseRate)
		}
		if changed := -math.Expm1(-y); g.count == 1 {
			product *= changed
		} else {
			sum += g.count * math.Log(changed)
		}
		if product < 1e-200 {
			sum += math.Log(product)
			product = 1
		}
	}
	return sum + math.Log(product)
}

// slopes returns the first two derivatives of log by the rate. The second is negative: the
// logarithm of the likelihood is concave in the rate.
func (e *evidence) slopes(rate float64, q quality) (first, second float64) {
	first = -(e.idle + q.recall*e.busy)
	for i := range e.groups {
		g := &e.groups[i]
		y, y1, y2 := (1-q.recall)*rate*g.gap, (1-q.recall)*g.gap, 0.
		if g.signals > 0 && q.recall > 0 {
			a := q.recall*rate + q.falseRate
			slope := g.signals * q.recall / a
			curve := -slope * q.recall / a
			first += g.count * slope
			second += g.count * curve
			y, y1, y2 = y+g.signals*math.Log(a/q.falseRate), y1+slope, curve
		}
		odds := 1 / math.Expm1(y) // of fresh against not
		first += g.count * y1 * odds
		second += g.count * (y2 - y1*y1*(1+odds)) * odds
	}
	return first, second
}

// maxNewton is never reached.
const maxNewton = 200

// likeliest returns the rate of maximum likelihood, without signals: see [History.Estimate].
// Far from the root, where the left side is Σ1/Δ or Σ e^{−Δτ}, each step multiplies Δ by 1
// plus the logarithm of the ratio of both sides, or is right at once; near it convergence is
// quadratic.
func (e *evidence) likeliest() float64 {
	rate := math.Log1p(e.busy/e.idle) * (e.changes() / e.busy)
	for range maxNewton {
		first, second := e.slopes(rate, quality{})
		left := first + e.idle
		next := rate + math.Log(left/e.idle)*left/-second
		if !(next > rate*(1+1e-15)) {
			break
		}
		rate = next
	}
	return rate
}

// constant returns what log leaves out, but for what depends on the gaps alone.
func (e *evidence) constant(q quality) float64 {
	if q.recall == 0 {
		return 0
	}
	constant := -q.falseRate * (e.idle + e.busy)
	if e.idleSignals > 0 {
		constant += e.idleSignals * math.Log(q.falseRate)
	}
	return constant
}

// qualitySlopes returns the derivatives of log + constant by recall and by the rate of false
// signals, which are positive.
func (e *evidence) qualitySlopes(rate float64, q quality) (byRecall, byFalseRate float64) {
	byRecall = -rate * e.busy
	byFalseRate = -(e.idle + e.busy) + e.idleSignals/q.falseRate
	a := q.recall*rate + q.falseRate
	for i := range e.groups {
		g := &e.groups[i]
		y := (1-q.recall)*rate*g.gap + g.signals*math.Log(a/q.falseRate)
		odds := 1 / math.Expm1(y)
		byRecall += g.count * (g.signals*rate/a + (g.signals*rate/a-rate*g.gap)*odds)
		byFalseRate += g.count * g.signals * (1/a + (1/a-1/q.falseRate)*odds)
	}
	return byRecall, byFalseRate
}
