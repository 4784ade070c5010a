package refresh

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// chebyshev are the coefficients of a polynomial in Chebyshev's polynomials.
type chebyshev [nodes]float64

// interpolate returns the polynomial through the sums at the nodes, less that at
// the first: the rounding of its coefficients is that of a small difference.
func (s *LiveSet) interpolate() chebyshev {
	var c chebyshev
	for j, sum := range s.sums {
		sum.merge(accumulator{-s.sums[0].high, -s.sums[0].low})
		for k := range c {
			c[k] += sum.value() * math.Cos(math.Pi*float64(k)*(float64(j)+0.5)/nodes)
		}
	}
	for k := range c {
		c[k] *= 2.0 / nodes
	}
	c[0] /= 2
	return c
}

// at returns the value and the derivative at u, by the recurrences of
// Chebyshev's polynomials T_k and of T_k′.
func (c chebyshev) at(u float64) (value, slope float64) {
	t, before := u, 1.0
	dt, dBefore := 1.0, 0.0
	value, slope = c[0]+c[1]*u, c[1]
	for _, coefficient := range c[2:] {
		t, before, dt, dBefore = 2*u*t-before, t, 2*t+2*u*dt-dBefore, dt
		value += coefficient * t
		slope += coefficient * dt
	}
	return value, slope
}

// rebuild solves for all pages and opens a window around their multiplier.
func (s *LiveSet) rebuild(ctx context.Context) error {
	team := parallel.NewTeam(s.workers)
	defer team.Close()
	p := &Problem{Pages: s.pages, Objective: s.objective, Bandwidth: s.bandwidth}
	full := newSolver(newOptimizer(p, team))
	full.tolerance = 1 // it is not tested afterwards
	guess := 0.0
	if s.end.at > 0 {
		guess = s.end.multiplier()
	}
	if err := full.prepare(guess); err != nil {
		return err
	}
	if err := full.find(ctx); err != nil {
		return err
	}
	s.rebuilds++
	s.solved = true
	s.end = full.whole.end(tolerances[full.tolerance])
	if full.plenty {
		s.end, s.window = settlement{}, window{middle: math.NaN()}
		s.critical = nil
		for page, place := range s.places {
			if place != gone {
				s.places[page] = regular
			}
		}
		return nil
	}
	s.window = windowAround(s.end.multiplier())
	s.sortOut(full.optimizer)
	s.solveOnWindow() // so that the end is always of one kind; that of find, if it is not to be had
	return nil
}

// sortOut divides the pages into regular and critical ones and sums the rates
// of the regular ones at the nodes.
func (s *LiveSet) sortOut(o *optimizer) {
	type part struct {
		sums     [nodes]accumulator
		critical []int32
	}
	parts := make([]part, len(o.runs))
	o.each(o.team, func(r int) {
		p := &parts[r]
		o.chunks(o.runs[r], func(b *buffer, from, to int) {
			n := to - from
			low, high, rates, slopes := b.settled[:n], b.others[:n], b.rates[:n], b.slopes[:n]
			o.ask(b, low, slopes, s.window.low)
			o.ask(b, high, slopes, s.window.high)
			for i := range n {
				if s.places[from+i] != gone {
					s.places[from+i] = regular
				}
				if !s.smooth(low[i], high[i]) {
					s.places[from+i] = 0 // to be numbered below
					p.critical = append(p.critical, int32(from+i))
				}
			}
			for j, multiplier := range s.window.multipliers {
				o.ask(b, rates, slopes, multiplier)
				for i := range n {
					if s.places[from+i] == 0 {
						rates[i] = 0
					}
				}
				p.sums[j].add(rates)
			}
		})
	})
	s.sums, s.rounding = [nodes]accumulator{}, 0
	s.critical = s.critical[:0]
	for r := range parts {
		for j := range s.sums {
			s.sums[j].merge(parts[r].sums[j])
		}
		s.critical = append(s.critical, parts[r].critical...)
	}
	for place, page := range s.critical {
		s.places[page] = int32(place)
	}
}
