package live

// The search for the multiplier, on the window or over all pages.

import (
	"context"
	"errors"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/internal/dual"
)

const (
	// stepTolerance is the length of Newton's step, in ln λ, at which a search ends;
	// what it leaves is of the order of its square.
	stepTolerance = 0x1p-46

	// restTolerance is the difference between bandwidth and demand, in units of the mean
	// rate, up to which a page may cross a bound on Newton's last step.
	restTolerance = 0x1p-33

	// mostRounding is the rounding of a window's sums, relative to the bandwidth, from
	// which a new window is made. A page that joins and leaves at once, with a rate of
	// 10¹⁶ times the bandwidth, is enough to exceed it.
	mostRounding = 0x1p-50

	// maxObservations bounds the steps of a search on the window.
	maxObservations = 500
)

// solve finds the multiplier on the window. If it is not there, solve finds it over all
// pages and opens a new window.
func (s *Set) solve(ctx context.Context) error {
	if s.solved {
		return nil
	}
	if s.window != nil && s.window.rounding <= mostRounding*s.bandwidth && s.solveOnWindow() {
		s.solved = true
		return nil
	}
	return s.rebuild(ctx)
}

// solveOnWindow searches on the window, and reports whether the multiplier was found. If
// the demand is steep there or a page crosses a bound, it narrows the search down to
// adjacent float64.
func (s *Set) solveOnWindow() bool {
	polynomial := s.window.interpolate()
	mean := s.bandwidth / float64(s.pages.Len()-len(s.free))
	_, regularSlope := polynomial.at(0)
	search := dual.NewSearch(s.bandwidth, dual.SteepSlope*mean-1.01*regularSlope/halfWidth)
	tolerance, multiplier := stepTolerance, s.window.middle
	if s.end.At > 0 {
		multiplier = s.end.Multiplier()
	}
	critical := &s.several
	critical.gather(s.pages, s.critical...)
	for range maxObservations {
		u := min(max(s.window.position(multiplier), -1), 1)
		if math.Abs(u) == 1 {
			multiplier = s.window.at(u)
		}
		more, slope := polynomial.at(u)
		sum, slope := s.window.sums[0], slope/-halfWidth
		sum.Add(more)
		s.demandOf(critical, multiplier)
		for i, rate := range critical.rates {
			sum.Add(rate)
			slope += critical.slopes[i]
		}
		residual := sum.Below(s.bandwidth)
		if u == -1 && residual > 0 || u == 1 && residual < 0 {
			return false // the root is outside
		}
		search.Observe(dual.Point{Multiplier: multiplier, Residual: residual, Slope: slope})
		if search.Finished(tolerance) {
			s.end = search.End(tolerance)
			if tolerance == 0 || s.end.Share > 0 || math.Abs(residual) <= restTolerance*mean || !s.crossesBound() {
				return true
			}
			tolerance = 0
		}
		multiplier = search.Next()
	}
	return false
}

// crossesBound reports whether Newton's last step, with which the search has ended,
// leads a critical page to a bound or beyond, or away from one, perhaps with a jump.
func (s *Set) crossesBound() bool {
	after := s.end
	after.Step += math.Copysign(0x1p-50, after.Step)
	beyond := after.Multiplier()
	s.demandOf(&s.several, s.end.At)
	for i, rate := range s.several.rates {
		slope := s.several.slopes[i]
		if moved := rate + s.end.Step*slope; slope != 0 && (moved < 0 || moved > s.fastest) {
			return true
		}
		if slope == 0 {
			if there, _ := s.demand(int(s.critical[i]), beyond); there != rate {
				return true
			}
		}
	}
	return false
}

// rebuild solves for all pages and opens a window around their multiplier.
func (s *Set) rebuild(ctx context.Context) error {
	p := refresh.Problem{Pages: s.pages, Objective: s.objective, Bandwidth: s.bandwidth}
	settings := refresh.Settings{Workers: s.workers}
	if s.end.At > 0 {
		settings.Multiplier = s.end.Multiplier()
	}
	solution, err := refresh.Optimize(ctx, p, settings)
	if err != nil && !errors.Is(err, refresh.ErrPrecision) {
		return err
	}
	s.rebuilds++
	s.solved = true
	s.end = dual.Settlement{At: solution.Multiplier}
	s.critical, s.window = nil, nil
	for page, place := range s.places {
		if place != gone {
			s.places[page] = regular
		}
	}
	if solution.Multiplier > 0 {
		s.window = windowAround(solution.Multiplier)
		s.fillWindow()
		s.solveOnWindow() // if this fails, s.end keeps that multiplier
	}
	return nil
}

// chunk is the number of pages whose demand is asked for at a time.
const chunk = 512

// fillWindow divides the pages into regular and critical ones and sums the rates of
// the regular ones at the nodes.
func (s *Set) fillWindow() {
	type part struct {
		sums     [nodes]doubledouble.Accumulator
		critical []int32
	}
	cuts := parallel.Cuts(s.pages.Len(), 16*chunk)
	parts := make([]part, len(cuts)-1)
	parallel.For(s.workers, len(parts), func(block int) {
		p := &parts[block]
		for from := cuts[block]; from < cuts[block+1]; from += chunk {
			to := min(from+chunk, cuts[block+1])
			var buffers [3][chunk]float64
			low, high, slopes := buffers[0][:to-from], buffers[1][:to-from], buffers[2][:to-from]
			pages := s.pages.Slice(from, to)
			s.objective.Demand(low, slopes, pages, s.window.low)
			s.objective.Demand(high, slopes, pages, s.window.high)
			for i := range low {
				if !s.smooth(min(low[i], s.fastest), high[i]) {
					s.places[from+i] = 0 // to be numbered below
					p.critical = append(p.critical, int32(from+i))
				}
			}
			rates := low
			for j, multiplier := range s.window.multipliers {
				s.objective.Demand(rates, slopes, pages, multiplier)
				for i, rate := range rates {
					rates[i] = min(max(0, rate), s.fastest)
					if s.places[from+i] == 0 {
						rates[i] = 0
					}
				}
				p.sums[j].AddAll(rates)
			}
		}
	})
	for i := range parts {
		for j := range s.window.sums {
			s.window.sums[j].Merge(parts[i].sums[j])
		}
		s.critical = append(s.critical, parts[i].critical...)
	}
	for place, page := range s.critical {
		s.places[page] = int32(place)
	}
}
