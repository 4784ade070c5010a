// This file holds the fast sweep of the plain process.

package robots

import "github.com/mdpsolve/mdpsolve/models/robots/internal/sweep"

// sweepPlain is [Model.Sweep] for the plain process. It rounds as the sweep of
// variants does, so that it gives the same bits, and is many times as fast.
func (m *Model) sweepPlain(p *sweep.Pass, dst, v []float64, lo, hi int) {
	for lo < hi {
		queue := (lo + 1) / m.layout.mixes.count
		end := min(hi, m.layout.begin(queue+1))
		m.sweepPlainRow(p, dst, v, queue, lo, end)
		lo = end
	}
}

// sweepPlainRow does the part of a sweep that is states lo … hi−1, of queue length
// q. The states with no robot active or all of them lack a neighbour and are done
// one by one.
func (m *Model) sweepPlainRow(p *sweep.Pass, dst, v []float64, q, lo, hi int) {
	stride := m.layout.mixes.count // between the indexes of (q,r) and (q+1,r)
	origin := q*stride - 1         // index of (q,0)
	if lo == origin {
		p.Update(&dst[lo], v[lo], m.plainValue(v, q, 0))
		lo++
	}
	if last := origin + stride - 1; hi > last && lo <= last {
		p.Update(&dst[last], v[last], m.plainValue(v, q, stride-1))
		hi = last
	}
	if lo >= hi {
		return
	}
	below, above := stride, stride // distances
	if q == 0 {
		below = 0 // departures have probability 0, any value serves
	}
	if q == m.layout.buffer {
		above = 0
	}
	p.Pairs(dst[lo:hi], v[lo:hi], v[lo-below:hi-below+1], v[lo+above-1:hi+above],
		m.plain.At(q).Rows(lo-origin, hi-origin))
}

// plainValue returns (T v)(q,r), where r is 0 or N.
func (m *Model) plainValue(v []float64, q, r int) float64 {
	stride := m.layout.mixes.count
	index, next := q*stride+r-1, m.plain.At(q)
	var departed, arrived float64
	if q > 0 {
		departed = v[max(index-stride, 0)] // at (1,0) a robot must be activated: (0,1)
		if r == 0 && q > 1 {
			departed = min(departed, v[index-stride+1])
		}
	}
	if r > 0 {
		active := index // after an arrival with reactivation
		if q < m.layout.buffer {
			active += stride
		}
		arrived = min(v[active-1], v[active])
	}
	return float64(next.Departure*departed) + float64(next.Arrival[r]*arrived) +
		float64(next.Fictitious[r]*v[index]) + next.Cost[r]
}
