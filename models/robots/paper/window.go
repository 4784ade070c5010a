// This file sweeps over the states (q,r,s), row by row.

package paper

import "github.com/mdpsolve/mdpsolve/models/robots/internal/sweep"

// A sweep over the states (q,r,s) needs the expectation W of the values for the
// queue lengths q−1, q and q+1 only. It computes each row of W once, keeps three
// of them where a first-level cache holds them, and never stores W as a whole.

// window is the rows of W at q−1, q and q+1. Each has the elements
// r = 0 … N+1; the last equals that at N, and that at (0,0), which is no pair,
// equals that at (0,1). So the two actions of (q,N,0), and the one action of
// (1,0,0), need no case of their own.
type window struct{ below, here, above []float64 }

func newWindow(robots int) *window {
	n := robots + 2
	w := make([]float64, 3*n)
	return &window{w[:n], w[n : 2*n], w[2*n:]}
}

// expect sets row to W(q,·), where v is the values of all states.
func (m *EventModel) expect(row, v []float64, q int) {
	n, next := m.parameters.Robots, m.law.At(q)
	a, f := m.origin(q, Arrival), m.origin(q, Fictitious)
	d := f // with an empty queue departures have probability 0, any value serves
	if q > 0 {
		d = m.origin(q, Departure)
	}
	sweep.Expect(row[1:n+1], v[d+1:d+n+1], v[a+1:a+n+1], v[f+1:f+n+1], next.Rows(1, n+1))
	row[0], row[n+1] = row[1], row[n]
	if q > 0 {
		row[0] = float64(next.Departure*v[d]) + float64(next.Fictitious[0]*v[f])
	}
}

// segment is a range of states lo … hi−1 of one queue length and event: their
// cost, and W after action 0 and after action 1.
type segment struct {
	lo, hi       int
	idle, active []float64
	cost         float64
}

// segments calls visit for the segments of the states lo … hi−1, in order.
func (m *EventModel) segments(v []float64, lo, hi int, visit func(segment)) {
	if lo >= hi {
		return
	}
	full := m.parameters.Buffer
	w := m.window.Get().(*window)
	defer m.window.Put(w)
	first, last := m.queue(lo), m.queue(hi-1)
	if first > 0 {
		m.expect(w.below, v, first-1)
	}
	m.expect(w.here, v, first)
	for q := first; q <= last; q++ {
		above := w.here
		if q < full {
			above = w.above
			m.expect(above, v, q+1)
		}
		for e := Departure; e <= Fictitious; e++ {
			if q == 0 && e == Departure {
				continue
			}
			origin := m.origin(q, e)
			s := segment{
				lo:   max(lo, m.first(q, e)),
				hi:   min(hi, origin+m.parameters.Robots+1),
				cost: m.cost(q, e),
			}
			if s.lo >= s.hi {
				continue
			}
			r, end := s.lo-origin, s.hi-origin
			switch e {
			case Departure:
				s.idle, s.active = w.below[r:end], w.below[r+1:end+1]
			case Arrival:
				s.idle, s.active = above[r-1:end-1], above[r:end]
			case Fictitious:
				s.idle, s.active = w.here[r:end], w.here[r:end]
			}
			visit(s)
		}
		w.below, w.here, w.above = w.here, w.above, w.below
	}
}
