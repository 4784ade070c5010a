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

	whole        gridSearch           // for Σ_g min(S_g(λ), C_g) = R
	level        int                  // of whole, in grids
	end          Settlement           // of the whole
	next         float64              // the root as the demand on an interval has it; 0 for none
	jump         float64              // where it jumps, as that demand has it; 0 for none
	narrowed     int                  // observations up to the last call of onInterval
	ahead        map[float64][]Demand // of the groups, at multipliers that may be looked at next
	over, under  []Demand             // of the groups, at the two sides of whole
	last, before []Demand             // at the last two points
	rest         float64              // of the bandwidth, in the end
	groups       []group
}

// group is a host with a cap, or all pages without one.
type group struct {
	cap    float64
	rest   float64 // what its least rates leave of the cap
	capped bool    // asks for more than the cap at the multiplier of the whole
	search Search  // for S(λ) = cap, where capped
	level  int     // of search, in tolerances
	tally  Tally
}

// tolerances are the lengths of Newton's step, in ln λ, at which the search of a group
// ends, one after the other as long as the rates do not pass the test. With 0, two
// neighbouring float64 have to enclose the root.
var tolerances = [...]float64{0x1p-48, 0}

func (s *solver) grid() grid        { return s.whole.grid }
func (g *group) tolerance() float64 { return tolerances[g.level] }

// maxObservations ends a search that rounding keeps from its end.
const maxObservations = 500

func newSolver(w *sweeper) *solver {
	n := len(w.layout.caps)
	s := &solver{
		sweeper: w, multipliers: make([]float64, n),
		over: make([]Demand, n), under: make([]Demand, n), groups: make([]group, n),
	}
	for g, most := range w.layout.caps {
		s.groups[g].cap = most
	}
	return s
}

// prepare checks that there is a solution and decides where to begin.
func (s *solver) prepare(guess float64) error {
	p := s.sweeper.problem
	if p.Least != nil {
		s.demandsAt(math.Inf(1), s.under)
		for g, d := range s.under {
			if sum := d.Sum.Float(s.sweeper.scales[g]); sum > s.groups[g].cap {
				return &InfeasibleError{slices.Index(s.sweeper.layout.groupOf, int32(g)), sum, s.groups[g].cap} // the only host of the group
			}
		}
	}
	if err := s.sweeper.err; err != nil {
		return err
	}
	least := s.total(s.under)
	if sum := least.Sum.Float(s.sweeper.scale); sum > p.Bandwidth {
		return &InfeasibleError{-1, sum, p.Bandwidth}
	}
	steep := SteepSlope * s.sweeper.mean
	if p.Flanks || p.Len() <= block {
		s.level = 1
	}
	s.whole = newGridSearch(max(0, least.Sum.Below(s.sweeper.scale, p.Bandwidth)), steep+8*p.Bandwidth, grids[s.level])
	for g := range s.groups {
		s.groups[g].rest = max(0, s.under[g].Sum.Below(s.sweeper.scales[g], s.groups[g].cap))
	}

	s.start = guess
	found := guess > 0 && !math.IsInf(guess, 1)
	if !found {
		s.start, found = s.sweeper.sampled()
	}
	if !found || p.Greatest != nil || p.Hosts != nil || p.Fastest < p.Bandwidth {
		s.demandsAt(0, s.over)
		if all := s.total(s.over); all.Sum.Below(s.sweeper.scale, p.Bandwidth) >= 0 {
			s.plenty = true
			copy(s.under, s.over)
		}
	}
	return nil
}

// lookAhead finds the demand at several multipliers in one pass.
func (s *solver) lookAhead(multipliers []float64) {
	slices.Sort(multipliers)
	multipliers = slices.Compact(multipliers) // a point of two grids is one
	s.ahead = make(map[float64][]Demand, len(multipliers))
	for _, multiplier := range multipliers {
		s.ahead[multiplier] = make([]Demand, len(s.groups))
	}
	for r, points := range s.sweeper.points(multipliers) {
		for i, d := range points {
			s.ahead[multipliers[i]][s.sweeper.layout.runs[r].group].merge(d)
		}
	}
}

// demandsAt fills totals with the demand of each group at a multiplier.
func (s *solver) demandsAt(multiplier float64, totals []Demand) {
	if known, found := s.ahead[multiplier]; found {
		copy(totals, known)
		return
	}
	for g := range s.multipliers {
		s.multipliers[g] = multiplier
	}
	s.sweeper.demandPass(s.multipliers)
	s.collect(totals)
}

// collect adds the runs of each group that took part in a pass.
func (s *solver) collect(totals []Demand) {
	for g, multiplier := range s.multipliers {
		if !math.IsNaN(multiplier) {
			totals[g] = Demand{}
		}
	}
	for r, d := range s.sweeper.demands {
		if g := s.sweeper.layout.runs[r].group; !math.IsNaN(s.multipliers[g]) {
			totals[g].merge(d)
		}
	}
}

// total returns the demand of all groups, each within its cap.
func (s *solver) total(totals []Demand) Demand {
	all := Demand{}
	on := s.sweeper.scale
	for g, d := range totals {
		its := s.sweeper.scales[g]
		if d.Sum.Below(its, s.groups[g].cap) < 0 {
			all.Sum.Add(on, s.groups[g].cap)
			continue
		}
		all.Sum.AddSum(on, d.Sum, its)
		all.Slope.AddSum(on, d.Slope, its)
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

// stopped returns the error that ends the search, if there is one.
func (s *solver) stopped(ctx context.Context) error {
	if s.sweeper.err != nil {
		return s.sweeper.err
	}
	return ctx.Err()
}

func (s *solver) findWhole(ctx context.Context) error {
	for n := 0; !s.plenty && n < maxObservations; n++ {
		if s.whole.finished() {
			if !s.whole.jumps() || !s.raise() {
				break
			}
			if s.jump > 0 {
				s.lookAtJump()
			}
			continue
		}
		if err := s.stopped(ctx); err != nil {
			s.end = s.whole.end()
			return err
		}
		if s.next == 0 && s.onFlank() {
			s.onInterval()
			continue
		}
		multiplier := s.grid().nearest(min(max(s.start, 0x1p-1000), 0x1p1000))
		switch {
		case s.next > 0:
			multiplier = s.whole.within(s.next)
			s.next = 0
			if s.sweeper.problem.Remote != nil { // another multiplier is cheaper than another pass
				s.lookAhead([]float64{multiplier, s.grid().step(multiplier, -1), s.grid().step(multiplier, 1)})
			}
		case s.whole.observed > 0:
			multiplier = s.whole.next()
		}
		totals := make([]Demand, len(s.groups))
		s.demandsAt(multiplier, totals)
		s.observe(multiplier, totals)
	}
	s.end = s.whole.end()
	return nil
}

// raise goes on to the next grid, and to other multipliers of groups with it. It returns
// false if there is none.
func (s *solver) raise() bool {
	if s.level == len(grids)-1 {
		return false
	}
	s.level++
	s.whole.grid, s.whole.stride = grids[s.level], 1
	for g := range s.groups {
		s.groups[g].level = 0
	}
	return true
}

// observe takes up the demand of each group at a multiplier.
func (s *solver) observe(multiplier float64, totals []Demand) {
	all := s.total(totals)
	s.whole.Observe(all.at(s.sweeper.scale, multiplier, s.sweeper.problem.Bandwidth))
	s.before, s.last = s.last, totals
	if s.whole.last.Residual >= 0 {
		s.under = totals
	} else {
		s.over = totals
	}
}

// pickCapped decides which groups are capped: those that ask for more than their cap
// at the multiplier at which the search for the whole ended. Their own searches begin
// there.
func (s *solver) pickCapped() {
	totals, multiplier := s.under, s.whole.under.Multiplier
	switch w := &s.whole; {
	case s.plenty:
		multiplier = 0
	case s.end.Share > 0:
	case w.last.Multiplier == s.end.At:
		totals, multiplier = s.last, w.last.Multiplier
	case w.before.Multiplier == s.end.At:
		totals, multiplier = s.before, w.before.Multiplier
	case w.over.Multiplier == s.end.At:
		totals, multiplier = s.over, w.over.Multiplier
	}
	for i, d := range totals {
		g, on := &s.groups[i], s.sweeper.scales[i]
		g.capped = d.Sum.Below(on, g.cap) < 0
		g.search = NewSearch(g.rest, SteepSlope*s.sweeper.mean)
		if g.capped && !g.search.closed() && multiplier > 0 {
			g.search.Observe(d.at(on, multiplier, g.cap))
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
	totals := make([]Demand, len(s.groups))
	for range maxObservations {
		anyOpen := false
		for g := range s.groups {
			s.multipliers[g] = math.NaN()
			if s.groups[g].open() {
				anyOpen = true
				s.multipliers[g] = s.groups[g].next()
			}
		}
		if !anyOpen {
			return nil
		}
		if err := s.stopped(ctx); err != nil {
			return err
		}
		s.sweeper.demandPass(s.multipliers)
		s.collect(totals)
		for g, multiplier := range s.multipliers {
			if !math.IsNaN(multiplier) {
				s.groups[g].search.Observe(totals[g].at(s.sweeper.scales[g], multiplier, s.groups[g].cap))
			}
		}
	}
	return nil
}

func (s *solver) findSmall(ctx context.Context) {
	if s.sweeper.problem.Remote != nil {
		return // it looks at all of them at the same time
	}
	s.sweeper.pass(func(run int) {
		i := s.sweeper.layout.runs[run].group
		if s.sweeper.layout.starts[i+1]-s.sweeper.layout.starts[i] > block {
			return
		}
		g := &s.groups[i]
		for n := 0; g.open() && n < maxObservations && ctx.Err() == nil; n++ {
			multiplier := g.next()
			d := s.sweeper.demandOf(run, multiplier)
			g.search.Observe(d.at(s.sweeper.scales[i], multiplier, g.cap))
		}
	})
}

// open reports whether a group is capped and its multiplier still to be found.
func (g *group) open() bool { return g.capped && !g.search.Finished(g.tolerance()) }

func (g *group) next() float64 {
	if g.search.observed == 0 {
		return 1 // the bandwidth is plenty, and no multiplier known
	}
	return g.search.Next()
}
