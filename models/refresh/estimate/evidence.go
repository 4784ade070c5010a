package estimate

// This file has the likelihood of a change rate.

import "math"

// evidence is what a history says of the change rate Δ of its page: an access after a gap τ finds
// the page unchanged with the probability e^{−Δτ}, and changed with 1 − e^{−Δτ}.
type evidence struct {
	idle, busy float64 // sum of the gaps without a change, and with one
	groups     []evidenceGroup
}

// An evidenceGroup is some gaps with a change, of the same length.
type evidenceGroup struct{ count, gap float64 }

// take replaces the evidence by that of a history.
func (e *evidence) take(h *History) {
	*e = evidence{idle: h.idle(), groups: e.groups[:0]}
	for i := range h.groups {
		if g := &h.groups[i]; g.Changed {
			e.add(float64(g.Count), g.mean())
		}
	}
}

// add takes up gaps with a change.
func (e *evidence) add(count, gap float64) {
	e.busy += count * gap
	e.groups = append(e.groups, evidenceGroup{count, gap})
}

// changes returns the number of gaps with a change.
func (e *evidence) changes() float64 {
	count := 0.
	for i := range e.groups {
		count += e.groups[i].count
	}
	return count
}

// log returns the logarithm of the likelihood of a rate.
func (e *evidence) log(rate float64) float64 {
	sum := -rate * e.idle
	product := 1. // of probabilities, whose logarithm is not yet in sum
	for i := range e.groups {
		g := &e.groups[i]
		if changed := -math.Expm1(-rate * g.gap); g.count == 1 {
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
func (e *evidence) slopes(rate float64) (first, second float64) {
	first = -e.idle
	for i := range e.groups {
		g := &e.groups[i]
		odds := 1 / math.Expm1(rate*g.gap) // of no change against one
		first += g.count * g.gap * odds
		second -= g.count * g.gap * g.gap * (1 + odds) * odds
	}
	return first, second
}

// maxNewton bounds the steps of Newton's method. It is never reached.
const maxNewton = 200

// likeliest returns the rate of maximum likelihood: see [History.Estimate]. Far from the root,
// where the left side is Σ1/Δ or Σ e^{−Δτ}, each step multiplies Δ by 1 plus the logarithm of
// the ratio of both sides, or is right at once; near it convergence is quadratic.
func (e *evidence) likeliest() float64 {
	rate := math.Log1p(e.busy/e.idle) * (e.changes() / e.busy)
	for range maxNewton {
		first, second := e.slopes(rate)
		left := first + e.idle
		next := rate + math.Log(left/e.idle)*left/-second
		if !(next > rate*(1+1e-15)) {
			break
		}
		rate = next
	}
	return rate
}
