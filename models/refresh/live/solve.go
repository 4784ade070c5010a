package live

// The search for a multiplier: that of all pages, or that of a host.

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
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

	// maxObservations bounds the steps of a search.
	maxObservations = 500
)

// solve finds the multiplier of bandwidth: on the windows or, where it is outside,
// over all pages.
func (s *Set) solve(ctx context.Context) error {
	if s.overfull > 0 {
		return s.overfullHost()
	}
	if s.open.solved {
		return nil
	}
	if s.solveOnWindows() {
		return nil
	}
	return s.rebuild(ctx)
}

// overfullHost returns the error for a host whose least rates exceed its cap.
func (s *Set) overfullHost() error {
	for number, h := range s.hosts[1:] {
		if h.overfull {
			return &refresh.InfeasibleError{Host: number + 1, Least: h.least.Sum(), Allowed: h.most}
		}
	}
	return nil
}

// solveOnWindows finds the multiplier of bandwidth near the present one, and reports
// whether it is there.
func (s *Set) solveOnWindows() bool {
	g := &s.open
	for k, l := range g.levels {
		if l.rounding <= mostRounding*s.bandwidth {
			continue
		}
		if k == 0 {
			return false
		}
		s.refine(g, k, l.middle)
		break
	}
	start := g.end.Multiplier()
	if len(g.levels) == 0 {
		if s.effort(g, g.rest) > mostRest {
			return false
		}
	} else if !s.moveTo(g, start) {
		return false
	}
	s.narrow(g, start)
	at := func(sum *doubledouble.Accumulator, multiplier float64) (slope, smoothSlope float64) {
		s.moveTo(g, multiplier)
		slope, smoothSlope = s.addTo(sum, g, multiplier)
		hosts, smoothHosts := s.addHosts(sum, multiplier)
		return slope + hosts, smoothSlope + smoothHosts
	}
	present := s.pages.Len() - len(s.free)
	resting := func() []int32 {
		pages := slices.Clone(g.rest)
		for _, number := range s.critical {
			pages = append(pages, s.hosts[number].group.rest...)
		}
		return pages
	}
	atInfinity := s.bandwidth
	if start == 0 || len(g.levels) == 0 {
		sum := doubledouble.Accumulator{}
		at(&sum, 0)
		if sum.Below(s.bandwidth) >= 0 {
			g.end, g.solved = dual.Settlement{}, true
			s.settleCritical()
			return true
		}
		if len(g.levels) > 0 {
			return false
		}
		sum = doubledouble.Accumulator{}
		at(&sum, math.Inf(1))
		if atInfinity = sum.Below(s.bandwidth); !(atInfinity > 0) {
			return false
		}
		if start == 0 {
			start = s.evenPrice(resting(), s.bandwidth/float64(present))
		}
	}
	if !s.search(g, s.bandwidth, atInfinity, present, start, at, resting) {
		return false
	}
	g.solved = true
	s.settleCritical()
	return true
}

// solveHost finds the multiplier of a host whose pages ask for more than its cap at
// that of bandwidth.
func (s *Set) solveHost(h *host) {
	g := &h.group
	if g.solved {
		return
	}
	g.solved = true
	if h.least.Below(h.most) <= 0 || h.most == 0 {
		g.end = dual.Settlement{At: math.Inf(1)}
		return
	}
	for k, l := range g.levels {
		if l.rounding > mostRounding*h.most {
			s.refine(g, k, l.middle)
			break
		}
	}
	start := g.end.Multiplier()
	if start == 0 || math.IsInf(start, 1) {
		start = s.evenPrice(h.pages, h.most/float64(len(h.pages)))
	}
	s.moveTo(g, start)
	s.narrow(g, start)
	at := func(sum *doubledouble.Accumulator, multiplier float64) (slope, smoothSlope float64) {
		return s.askHost(sum, h, multiplier)
	}
	s.search(g, h.most, h.least.Below(h.most), len(h.pages), start, at, func() []int32 { return g.rest })
}

// search finds the multiplier at which a demand meets a budget. If the demand is steep
// there or a page crosses a bound, it narrows the search down to adjacent float64. It
// returns false where the multiplier is outside the windows.
func (s *Set) search(
	g *group, budget, atInfinity float64, pages int, start float64,
	at func(sum *doubledouble.Accumulator, multiplier float64) (slope, smoothSlope float64),
	resting func() []int32,
) bool {
	mean := budget / float64(pages)
	var search dual.Search
	tolerance, multiplier := stepTolerance, start
	low, high := 0.0, math.Inf(1)
	if g == &s.open && len(g.levels) > 0 {
		low, high = g.levels[0].at(-1), g.levels[0].at(1)
	}
	for n := range maxObservations {
		multiplier = min(max(multiplier, low), high)
		sum := doubledouble.Accumulator{}
		slope, smoothSlope := at(&sum, multiplier)
		if n == 0 {
			search = dual.NewSearch(atInfinity, dual.SteepSlope*mean+1.01*smoothSlope)
		}
		residual := sum.Below(budget)
		if multiplier == low && residual > 0 || multiplier == high && residual < 0 {
			return false
		}
		search.Observe(dual.Point{Multiplier: multiplier, Residual: residual, Slope: slope})
		if search.Finished(tolerance) {
			g.end = search.End(tolerance)
			if tolerance == 0 || g.end.Share > 0 || math.Abs(residual) <= restTolerance*mean || !s.crossesBound(resting(), g.end) {
				return true
			}
			tolerance = 0
		}
		multiplier = search.Next()
	}
	return false
}

// evenPrice returns the mean of the marginal values of pages that are all accessed at
// one rate, or 1 where that is no multiplier to begin with.
func (s *Set) evenPrice(pages []int32, rate float64) float64 {
	d := &s.several
	d.gather(s, pages)
	for i := range d.rates {
		d.rates[i] = min(rate, d.greatest[i])
	}
	s.objective.Measure(d.slopes, d.marginals, d.pages, d.rates)
	mean := 0.0
	for _, marginal := range d.marginals {
		mean += marginal / float64(len(pages))
	}
	if !(mean > 0) || math.IsInf(mean, 1) {
		return 1
	}
	return mean
}

// crossesBound reports whether Newton's last step, with which a search has ended, leads
// a page at rest to a bound or beyond, or away from one, perhaps with a jump.
func (s *Set) crossesBound(pages []int32, end dual.Settlement) bool {
	after := end
	after.Step += math.Copysign(0x1p-50, after.Step)
	beyond := after.Multiplier()
	d := &demands{}
	d.gather(s, pages)
	s.ask(d, end.At)
	for i, rate := range d.rates {
		slope := d.slopes[i]
		if moved := rate + end.Step*slope; slope != 0 && (moved < d.least[i] || moved > d.greatest[i]) {
			return true
		}
		if slope == 0 {
			if there, _ := s.demand(pages[i], beyond); there != rate {
				return true
			}
		}
	}
	return false
}

// rebuild solves for all pages and makes new windows around their multiplier.
func (s *Set) rebuild(ctx context.Context) error {
	p := refresh.Problem{Pages: s.pages, Objective: s.objective, Bandwidth: s.bandwidth, Least: s.least, Greatest: s.greatest}
	if s.hostOf != nil {
		p.Hosts, p.HostCaps = s.hostOf, make([]float64, len(s.hosts))
		p.HostCaps[0] = math.Inf(1)
		for number, h := range s.hosts[1:] {
			p.HostCaps[number+1] = h.most
		}
	}
	settings := refresh.Settings{Workers: s.workers}
	if at := s.open.end.Multiplier(); at > 0 && !math.IsInf(at, 1) {
		settings.Multiplier = at
	}
	solution, err := refresh.Optimize(ctx, p, settings)
	if err != nil && !errors.Is(err, refresh.ErrPrecision) {
		return err
	}
	s.rebuilds++
	s.open = group{}
	s.critical = s.critical[:0]
	for number, h := range s.hosts[1:] {
		if h.uncapped() {
			h.level = 0
			continue
		}
		s.rest(h)
		s.makeCritical(int32(number + 1))
		h.group.end = dual.Settlement{At: solution.HostMultipliers[number+1]}
	}
	for page, level := range s.levelOf {
		if number := s.numberOf(int32(page)); level != gone && (number == 0 || s.hosts[number].uncapped()) {
			s.open.rest = append(s.open.rest, int32(page))
		}
	}
	s.refine(&s.open, 0, solution.Multiplier)
	s.open.end = dual.Settlement{At: solution.Multiplier}
	if !s.solveOnWindows() { // then that multiplier has to do
		s.open.solved = true
		s.settleCritical()
	}
	return nil
}
