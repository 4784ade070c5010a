package refresh

import (
	"context"
	"math"
	"slices"
)

// solver finds the multipliers of the bandwidth and of the groups.
type solver struct {
	*optimizer
	multipliers []float64 // of a pass, by group
	plenty      bool      // the bandwidth is more than the pages can use
	start       float64   // the first multiplier to look at

	steepened   int      // observations up to the last call of steepen
	whole       search   // for Σ_g min(S_g(λ), C_g) = R
	over, under []demand // of the groups, at the two sides of whole
	last        []demand // at the last point: over or under
	own         []search // for S_g(λ) = C_g, of capped groups
	capped      []bool

	tolerance     int     // of whole, an index of tolerances
	ownTolerances []uint8 // of own, indices of ownTolerances
	tallies       []tally // by group
}

func newSolver(o *optimizer) *solver {
	return &solver{
		optimizer:   o,
		multipliers: make([]float64, o.groups),
		over:        make([]demand, o.groups), under: make([]demand, o.groups),
		own: make([]search, o.groups), capped: make([]bool, o.groups),
		ownTolerances: make([]uint8, o.groups),
		tallies:       make([]tally, o.groups),
	}
}

// prepare checks that there is a solution and decides where to begin.
func (s *solver) prepare(guess float64) error {
	if s.Least != nil {
		s.demandsAt(math.Inf(1), s.under)
		for g, d := range s.under {
			if sum := d.sum.value(); sum > s.caps[g] {
				return &InfeasibleError{slices.Index(s.groupOf, int32(g)), sum, s.caps[g]} // the only host of the group
			}
		}
	}
	least := s.total(s.under)
	if sum := least.sum.value(); sum > s.Bandwidth {
		return &InfeasibleError{-1, sum, s.Bandwidth}
	}
	s.whole = newSearch(max(0, least.sum.below(s.Bandwidth)))
	for g := range s.own {
		s.own[g] = newSearch(max(0, s.under[g].sum.below(s.caps[g])))
	}

	s.start = guess
	found := guess > 0 && !math.IsInf(guess, 1)
	if !found {
		s.start, found = s.sampled()
	}
	if !found || s.Greatest != nil || s.order != nil || s.fastest < s.Bandwidth {
		s.demandsAt(0, s.over)
		if all := s.total(s.over); all.sum.below(s.Bandwidth) >= 0 {
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
	s.demandPass(s.multipliers)
	s.collect(totals)
}

// collect adds the runs of each group that took part in a pass.
func (s *solver) collect(totals []demand) {
	for g, multiplier := range s.multipliers {
		if !math.IsNaN(multiplier) {
			totals[g] = demand{}
		}
	}
	for r, d := range s.demands {
		if g := s.runs[r].group; !math.IsNaN(s.multipliers[g]) {
			totals[g].merge(d)
		}
	}
}

// total returns the demand of all groups, each within its cap.
func (s *solver) total(totals []demand) demand {
	all := demand{}
	for g, d := range totals {
		if d.sum.below(s.caps[g]) < 0 {
			d = demand{sum: accumulator{high: s.caps[g]}}
		}
		all.merge(d)
	}
	return all
}

// find searches until Newton's steps are within the tolerances.
func (s *solver) find(ctx context.Context) error {
	tolerance := tolerances[s.tolerance]
	for n := 0; !s.plenty && !s.whole.arrived(tolerance) && !s.whole.closed() && n < maxObservations; n++ {
		if err := ctx.Err(); err != nil {
			s.pickCapped()
			return err
		}
		switch {
		case s.whole.observed == 0:
			s.look(s.start)
		case s.isSteep():
			s.steepen(ctx)
		default:
			s.look(s.whole.next())
		}
	}
	if s.whole.under.multiplier == 0 {
		s.plenty = true // found only now, since the search began with a guess
	}
	s.pickCapped()
	return s.findOwn(ctx)
}

// look observes the demand at a multiplier.
func (s *solver) look(multiplier float64) {
	totals := make([]demand, s.groups)
	s.demandsAt(multiplier, totals)
	s.observe(multiplier, totals)
}

// observe takes up the demand of each group at a multiplier.
func (s *solver) observe(multiplier float64, totals []demand) {
	all := s.total(totals)
	residual := all.sum.below(s.Bandwidth)
	s.whole.observe(point{multiplier, residual, all.slope, all.steepest})
	s.last = totals
	if residual >= 0 {
		s.under = totals
	} else {
		s.over = totals
	}
}

// pickCapped decides which groups are capped: those that ask for more than their
// cap at the multiplier at which the search for the whole ended.
func (s *solver) pickCapped() {
	totals, multiplier := s.under, s.whole.under.multiplier
	switch {
	case s.plenty:
		multiplier = 0
	case s.whole.arrived(tolerances[s.tolerance]):
		totals, multiplier = s.last, s.whole.last.multiplier
	}
	for g, d := range totals {
		s.capped[g] = d.sum.below(s.caps[g]) < 0
		if s.capped[g] && s.own[g].observed == 0 && !s.own[g].closed() && multiplier > 0 {
			s.own[g].observe(point{multiplier, d.sum.below(s.caps[g]), d.slope, d.steepest})
		}
	}
}

// findOwn searches for the multipliers of the capped groups: of those of one run
// each on its own, while its pages are in the cache, then of all others at the
// same time.
func (s *solver) findOwn(ctx context.Context) error {
	if s.order == nil {
		return nil
	}
	s.findSmall(ctx)
	totals := make([]demand, s.groups)
	for range maxObservations {
		open := false
		for g := range s.multipliers {
			s.multipliers[g] = math.NaN()
			if s.isOpen(g) {
				open = true
				s.multipliers[g] = s.nextOwn(g)
			}
		}
		if !open {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.demandPass(s.multipliers)
		s.collect(totals)
		for g, multiplier := range s.multipliers {
			if !math.IsNaN(multiplier) {
				s.own[g].observe(point{multiplier, totals[g].sum.below(s.caps[g]), totals[g].slope, totals[g].steepest})
			}
		}
	}
	return nil
}

// isOpen reports whether a group is capped and still searched for.
func (s *solver) isOpen(group int) bool {
	return s.capped[group] && !s.own[group].arrived(s.ownTolerance(group)) && !s.own[group].closed()
}

func (s *solver) ownTolerance(group int) float64 {
	return ownTolerances[s.ownTolerances[group]]
}

func (s *solver) nextOwn(group int) float64 {
	if s.own[group].observed == 0 {
		return s.start
	}
	return s.own[group].next()
}

func (s *solver) findSmall(ctx context.Context) {
	s.passes++
	s.each(s.team, func(r int) {
		g := s.runs[r].group
		if s.starts[g+1]-s.starts[g] > block {
			return
		}
		for n := 0; s.isOpen(g) && n < maxObservations && ctx.Err() == nil; n++ {
			multiplier := s.nextOwn(g)
			d := s.demandOf(r, multiplier)
			s.own[g].observe(point{multiplier, d.sum.below(s.caps[g]), d.slope, d.steepest})
		}
	})
}
