package dual

import (
	"context"
	"math"
	"slices"
)

// solver finds the multipliers of the bandwidth and of the groups.
type solver struct {
	sweeper     *sweeper
	multipliers []float64 // of a pass, by group
	plenty      bool      // the bandwidth is more than the pages can use
	start       float64   // the first multiplier to look at

	whole       Search     // for Σ_g min(S_g(λ), C_g) = R
	level       int        // of whole, in tolerances
	end         Settlement // of the whole
	narrowed    int        // observations up to the last call of onInterval
	over, under []demand   // of the groups, at the two sides of whole
	last        []demand   // at the last point: over or under
	groups      []group
}

// group is a host with a cap, or all pages without one.
type group struct {
	cap    float64
	capped bool   // asks for more than the cap at the multiplier of the whole
	search Search // for S(λ) = cap, where capped
	level  int    // of search, in tolerances
	tally  tally
}

// tolerances are the lengths of Newton's step, in ln λ, at which a search ends, one
// after the other as long as the rates do not pass the test. What the last step
// leaves is of the order of its square. With 0, two neighbouring float64 have to
// enclose the root. Groups begin with the second: they have few pages, which leave
// more to chance and take less time.
var tolerances = [...]float64{0x1p-28, 0x1p-48, 0}

func (s *solver) tolerance() float64 { return tolerances[s.level] }
func (g *group) tolerance() float64  { return tolerances[g.level] }

// maxObservations ends a search that rounding keeps from its end.
const maxObservations = 500

func newSolver(w *sweeper) *solver {
	n := len(w.layout.caps)
	s := &solver{
		sweeper: w, multipliers: make([]float64, n),
		over: make([]demand, n), under: make([]demand, n), groups: make([]group, n),
	}
	for g, most := range w.layout.caps {
		s.groups[g].cap, s.groups[g].level = most, 1
	}
	return s
}

// prepare checks that there is a solution and decides where to begin.
func (s *solver) prepare(guess float64) error {
	p := s.sweeper.problem
	if p.Least != nil {
		s.demandsAt(math.Inf(1), s.under)
		for g, d := range s.under {
			if sum := d.sum.Sum(); sum > s.groups[g].cap {
				return &InfeasibleError{slices.Index(s.sweeper.layout.groupOf, int32(g)), sum, s.groups[g].cap} // the only host of the group
			}
		}
	}
	least := s.total(s.under)
	if sum := least.sum.Sum(); sum > p.Bandwidth {
		return &InfeasibleError{-1, sum, p.Bandwidth}
	}
	steep := SteepSlope * s.sweeper.mean
	s.whole = NewSearch(max(0, least.sum.Below(p.Bandwidth)), steep+8*p.Bandwidth)
	for g := range s.groups {
		s.groups[g].search = NewSearch(max(0, s.under[g].sum.Below(s.groups[g].cap)), steep)
	}

	s.start = guess
	found := guess > 0 && !math.IsInf(guess, 1)
	if !found {
		s.start, found = s.sweeper.sampled()
	}
	if !found || p.Greatest != nil || p.Hosts != nil || p.Fastest < p.Bandwidth {
		s.demandsAt(0, s.over)
		if all := s.total(s.over); all.sum.Below(p.Bandwidth) >= 0 {
			s.plenty = true
			copy(s.under, s.over)
		}
	}
	return nil
}

// demandsAt fills totals with the demand of each group at a multiplier.
func (s *solver) demandsAt(multiplier float64, totals []demand) {
	for g := range s.multipliers {
		s.multipliers[g] = multiplier
	}
	s.sweeper.demandPass(s.multipliers)
	s.collect(totals)
}

// collect adds the runs of each group that took part in a pass.
func (s *solver) collect(totals []demand) {
	for g, multiplier := range s.multipliers {
		if !math.IsNaN(multiplier) {
			totals[g] = demand{}
		}
	}
	for r, d := range s.sweeper.demands {
		if g := s.sweeper.layout.runs[r].group; !math.IsNaN(s.multipliers[g]) {
			totals[g].merge(d)
		}
	}
}

// total returns the demand of all groups, each within its cap.
func (s *solver) total(totals []demand) demand {
	all := demand{}
	for g, d := range totals {
		if d.sum.Below(s.groups[g].cap) < 0 {
			d = demand{}
			d.sum.Add(s.groups[g].cap)
		}
		all.merge(d)
	}
	return all
}

// find searches for the multiplier of the whole, and then for those of groups.
func (s *solver) find(ctx context.Context) error {
	err := s.findWhole(ctx)
	if s.whole.under.Multiplier == 0 {
		s.plenty = true // found only now, since the search began with a guess
	}
	if s.plenty {
		s.end = Settlement{}
	}
	s.pickCapped()
	if err != nil {
		return err
	}
	return s.findGroups(ctx)
}

func (s *solver) findWhole(ctx context.Context) error {
	for n := 0; !s.plenty && !s.whole.Finished(s.tolerance()) && n < maxObservations; n++ {
		if err := ctx.Err(); err != nil {
			s.end = s.whole.End(s.tolerance())
			return err
		}
		if s.onFlank() && s.onInterval() {
			return nil
		}
		multiplier := s.start
		if s.whole.observed > 0 {
			multiplier = s.whole.Next()
		}
		totals := make([]demand, len(s.groups))
		s.demandsAt(multiplier, totals)
		s.observe(multiplier, totals)
	}
	s.end = s.whole.End(s.tolerance())
	return nil
}

// observe takes up the demand of each group at a multiplier.
func (s *solver) observe(multiplier float64, totals []demand) {
	all := s.total(totals)
	s.whole.Observe(all.at(multiplier, s.sweeper.problem.Bandwidth))
	s.last = totals
	if s.whole.last.Residual >= 0 {
		s.under = totals
	} else {
		s.over = totals
	}
}

// pickCapped decides which groups are capped: those that ask for more than their cap
// at the multiplier at which the search for the whole ended.
func (s *solver) pickCapped() {
	totals, multiplier := s.under, s.whole.under.Multiplier
	switch {
	case s.plenty:
		multiplier = 0
	case s.end.Share == 0 && s.whole.last.Multiplier == s.end.At:
		totals, multiplier = s.last, s.whole.last.Multiplier
	}
	for i, d := range totals {
		g := &s.groups[i]
		g.capped = d.sum.Below(g.cap) < 0
		if g.capped && g.search.observed == 0 && !g.search.closed() && multiplier > 0 {
			g.search.Observe(d.at(multiplier, g.cap))
		}
	}
}

// findGroups searches for the multipliers of the capped groups: of those of one run
// each on its own, while its pages are in the cache, then of all others at the same
// time.
func (s *solver) findGroups(ctx context.Context) error {
	if s.sweeper.problem.Hosts == nil {
		return nil
	}
	s.findSmall(ctx)
	totals := make([]demand, len(s.groups))
	for range maxObservations {
		anyOpen := false
		for g := range s.groups {
			s.multipliers[g] = math.NaN()
			if s.groups[g].open() {
				anyOpen = true
				s.multipliers[g] = s.groups[g].next(s.start)
			}
		}
		if !anyOpen {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.sweeper.demandPass(s.multipliers)
		s.collect(totals)
		for g, multiplier := range s.multipliers {
			if !math.IsNaN(multiplier) {
				s.groups[g].search.Observe(totals[g].at(multiplier, s.groups[g].cap))
			}
		}
	}
	return nil
}

func (s *solver) findSmall(ctx context.Context) {
	s.sweeper.pass(func(run int) {
		i := s.sweeper.layout.runs[run].group
		if s.sweeper.layout.starts[i+1]-s.sweeper.layout.starts[i] > block {
			return
		}
		g := &s.groups[i]
		for n := 0; g.open() && n < maxObservations && ctx.Err() == nil; n++ {
			multiplier := g.next(s.start)
			d := s.sweeper.demandOf(run, multiplier)
			g.search.Observe(d.at(multiplier, g.cap))
		}
	})
}

// open reports whether a group is capped and its multiplier still to be found.
func (g *group) open() bool { return g.capped && !g.search.Finished(g.tolerance()) }

func (g *group) next(start float64) float64 {
	if g.search.observed == 0 {
		return start
	}
	return g.search.Next()
}
