package rates

// The multipliers of the bandwidth and of the hosts.

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// source is where the pages are: in memory, or in shards. What it finds is by group.
type source interface {
	// sample returns some of the pages, evenly taken.
	sample() refresh.Pages
	// demand finds what each group asks for at its multiplier, if that is not NaN.
	demand(multipliers []float64) ([]demand, error)
	// between looks at both ends of an interval.
	between(low, high float64) ([]between, error)
	// settle gives the pages their rates.
	settle(ends []settlement) ([]tally, error)
}

// sizes is what a solver has to know of the pages.
type sizes struct {
	pages   int
	caps    []float64 // of groups
	least   bool      // pages have least rates
	bounded bool      // the bandwidth may be more than the pages can use
}

// solver finds the multipliers of the bandwidth and of the groups.
type solver struct {
	problem *refresh.Problem // without pages where they are in shards
	pages   source
	size    sizes
	team    *parallel.Team // for what is found here

	whole       search // for Σ_g min(S_g(λ), C_g) = R
	plenty      bool   // the bandwidth is more than the pages can use
	end         settlement
	over, under []demand // of the groups, at the two sides of whole, or of its end
	rest        float64  // of the bandwidth, in the end
	groups      []group
	passes      int

	// See narrow.
	tried      int     // points that whole had observed after the last interval
	widest     float64 // half the next interval, at most
	root, half float64 // of the last interval that had the root; 0 for none
}

// group is a host with a cap, or all pages without one.
type group struct {
	cap        float64
	left       float64 // what its least rates leave of the cap
	capped     bool    // asks for more than the cap at the multiplier of the whole
	search     search  // for S(λ) = cap, where capped
	used       doubledouble.Accumulator
	multiplier float64
}

// The greatest relative errors of the conditions of optimality, of the bandwidth
// and caps, and of the value beside its bound: those that the search works for, and
// those that [Optimize] promises.
const (
	accuracy = 1e-13
	promise  = 1e-12
)

// leastShare is how well the bandwidth is met where the demand jumps, relative to the jump:
// pages on it have rates of that accuracy.
const leastShare = 0x1p-34

func newSolver(p *refresh.Problem, pages source, size sizes, team *parallel.Team) *solver {
	s := &solver{problem: p, pages: pages, size: size, team: team, widest: widestInterval}
	s.under, s.over = make([]demand, len(size.caps)), make([]demand, len(size.caps))
	s.groups = make([]group, len(size.caps))
	for g, most := range size.caps {
		s.groups[g].cap = most
	}
	return s
}

// solve finds the best rates, beginning with a guess of the multiplier, if it is above 0.
// If ctx ends, its error comes with a solution that keeps to all limits.
func (s *solver) solve(ctx context.Context, guess float64) (*Solution, error) {
	start, err := s.prepare(guess)
	if err != nil {
		return nil, err
	}
	for {
		stop := s.find(ctx, start)
		if stop != nil && ctx.Err() == nil {
			return nil, stop
		}
		solution, err := s.finish()
		if err != nil {
			return nil, err
		}
		switch {
		case stop != nil:
			return solution, stop
		case s.root > 0 && s.half*narrower >= leastInterval && !s.done(solution):
			continue // on a shorter interval
		case !s.met(solution, promise):
			return solution, ErrPrecision
		}
		return solution, nil
	}
}

// prepare checks that there is a solution and decides where to begin.
func (s *solver) prepare(guess float64) (start float64, err error) {
	if s.size.least {
		if s.under, err = s.demandAt(math.Inf(1)); err != nil {
			return 0, err
		}
	}
	all := doubledouble.Accumulator{}
	for g, d := range s.under {
		if sum := d.Sum.Sum(); sum > s.groups[g].cap {
			return 0, &InfeasibleError{Host: g, Least: sum, Allowed: s.groups[g].cap} // the caller knows the host of the group
		}
		s.groups[g].left = max(0, d.Sum.Below(s.groups[g].cap))
		all.Merge(d.Sum)
	}
	if sum := all.Sum(); sum > s.problem.Bandwidth {
		return 0, &InfeasibleError{Host: -1, Least: sum, Allowed: s.problem.Bandwidth}
	}
	s.whole = newSearch(max(0, all.Below(s.problem.Bandwidth)))
	start, found := guess, guess > 0 && !math.IsInf(guess, 1)
	if !found {
		start, found = s.guess()
	}
	if !found || s.size.bounded {
		if s.over, err = s.demandAt(0); err != nil {
			return 0, err
		}
		if all := s.total(s.over); all.Sum.Below(s.problem.Bandwidth) >= 0 {
			s.plenty, s.under = true, s.over
		}
	}
	return min(max(start, 0x1p-1000), 0x1p1000), nil
}

// sampleRounds and sampleDistance, a length of Newton's step, end the search on a sample.
const (
	sampleRounds   = 40
	sampleDistance = 0x1p-12
)

// guess looks for the multiplier on a sample. It reports whether any page of it gains from
// accesses.
func (s *solver) guess() (multiplier float64, found bool) {
	pages := s.pages.sample()
	p := &refresh.Problem{Pages: pages, Objective: s.problem.Objective, Bandwidth: s.problem.Bandwidth * (float64(pages.Len()) / float64(s.size.pages))}
	multiplier = evenPrice(p)
	if multiplier == 0 || math.IsInf(multiplier, 1) {
		return 1, false
	}
	if pages.Len() == s.size.pages {
		return multiplier, true
	}
	sample, of := newMemory(p, s.team), newSearch(p.Bandwidth)
	for range sampleRounds {
		d := sample.demandAt(multiplier)[0]
		of.observe(point{multiplier, d.Sum.Below(p.Bandwidth), d.Slope})
		if multiplier = of.next(); math.Abs(of.last.step()) <= sampleDistance {
			break
		}
	}
	return multiplier, true
}

// evenPrice returns the mean of the pages' marginal values where all are accessed at
// one rate; the multiplier lies between the least and the greatest of them.
func evenPrice(p *refresh.Problem) float64 {
	n := p.Pages.Len()
	_, fastest := p.Limits()
	rates, values, marginals := make([]float64, chunk), make([]float64, chunk), make([]float64, chunk)
	for i := range rates {
		rates[i] = min(p.Bandwidth/float64(n), fastest)
	}
	mean := 0.0
	for from := 0; from < n; from += chunk {
		size := min(chunk, n-from)
		p.Objective.Measure(values[:size], marginals[:size], p.Pages.Slice(from, from+size), rates[:size])
		for _, marginal := range marginals[:size] {
			mean += marginal / float64(n)
		}
	}
	return mean
}

// demandAt returns the demand of each group at one multiplier.
func (s *solver) demandAt(multiplier float64) ([]demand, error) {
	s.passes++
	return s.pages.demand(slices.Repeat([]float64{multiplier}, len(s.groups)))
}

// total returns the demand of all groups, each within its cap.
func (s *solver) total(totals []demand) demand {
	all := demand{}
	for g := range totals {
		if totals[g].Sum.Below(s.groups[g].cap) < 0 {
			all.Sum.Add(s.groups[g].cap)
			continue
		}
		all.merge(&totals[g])
	}
	return all
}

// point returns what the demand of each group at a multiplier is for the whole search.
func (s *solver) point(multiplier float64, totals []demand) point {
	all := s.total(totals)
	return point{multiplier, all.Sum.Below(s.problem.Bandwidth), all.Slope}
}

// observe takes up the demand of each group at a multiplier.
func (s *solver) observe(multiplier float64, totals []demand) {
	s.whole.observe(s.point(multiplier, totals))
	if s.whole.last.residual >= 0 {
		s.under = totals
	} else {
		s.over = totals
	}
}

// find searches for the multiplier of the whole, and then for those of groups.
func (s *solver) find(ctx context.Context, start float64) error {
	err := s.findWhole(ctx, start)
	if s.plenty = s.plenty || s.whole.under.multiplier == 0; s.plenty {
		s.end = settlement{}
	}
	for i := range s.groups {
		// A capped group asks for more than its cap at the multiplier of the whole. Its own
		// search begins there. What it finds does not depend on the whole.
		g, d := &s.groups[i], s.under[i]
		before := g.capped
		if g.capped = d.Sum.Below(g.cap) < 0; !g.capped || before {
			continue
		}
		if g.search = newSearch(g.left); !g.search.closed() && s.end.At > 0 {
			g.search.observe(point{s.end.At, d.Sum.Below(g.cap), d.Slope})
		}
	}
	if err != nil {
		return err
	}
	return s.findGroups(ctx)
}

func (s *solver) findWhole(ctx context.Context, start float64) error {
	w := &s.whole
	for n := 0; n < maxObservations && !s.plenty && (s.root > 0 || !w.closed()); n++ {
		if err := ctx.Err(); err != nil {
			s.end = w.end()
			return err
		}
		if found, err := s.narrow(); found || err != nil {
			return err
		}
		multiplier := start
		if w.observed > 0 {
			multiplier = w.next()
		}
		totals, err := s.demandAt(multiplier)
		if err != nil {
			return err
		}
		s.observe(multiplier, totals)
	}
	s.end = w.end()
	return nil
}

// findGroups searches for the multipliers of the capped groups, all at the same time.
func (s *solver) findGroups(ctx context.Context) error {
	for range maxObservations {
		multipliers, open := make([]float64, len(s.groups)), false
		for i := range s.groups {
			g := &s.groups[i]
			multipliers[i] = math.NaN()
			if g.capped && !g.search.closed() {
				open, multipliers[i] = true, 1 // the bandwidth is plenty, and no multiplier known
				if g.search.observed > 0 {
					multipliers[i] = g.search.next()
				}
			}
		}
		if !open {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.passes++
		totals, err := s.pages.demand(multipliers)
		if err != nil {
			return err
		}
		for i, multiplier := range multipliers {
			if !math.IsNaN(multiplier) {
				s.groups[i].search.observe(point{multiplier, totals[i].Sum.Below(s.groups[i].cap), totals[i].Slope})
			}
		}
	}
	return nil
}

// settlements returns the settlement of each group, which says what rates it gets.
func (s *solver) settlements() []settlement {
	ends := make([]settlement, len(s.groups))
	for i := range ends {
		g := &s.groups[i]
		if g.capped {
			ends[i] = g.search.end()
			continue
		}
		ends[i] = s.end
		if s.end.Share > 0 && s.over[i].Sum.Below(g.cap) < 0 {
			// Capped on one side of the mean only: the part of the other side that
			// fills the cap.
			low, high := s.under[i].Sum.Below(g.cap), s.over[i].Sum.Below(g.cap)
			ends[i].Share *= low / (low - high)
		}
	}
	return ends
}

// done reports whether a solution that was found on an interval is as good as it can be.
func (s *solver) done(solution *Solution) bool {
	if s.end.Share > 0 {
		under, over := s.total(s.under), s.total(s.over)
		over.Sum.Merge(under.Sum.Neg())
		if jump := over.Sum.Sum(); math.Abs(s.rest) > leastShare*jump {
			return false
		}
	}
	return s.met(solution, accuracy)
}

// met reports whether a solution keeps to an accuracy.
func (s *solver) met(solution *Solution, accuracy float64) bool {
	gap := math.Abs(solution.Bound - solution.Value)
	tight := solution.Bound == solution.Value || gap <= accuracy*math.Abs(solution.Value) // infinite, or not
	if !(solution.Residual <= accuracy) || !tight {
		return false
	}
	bandwidth := s.problem.Bandwidth
	if s.rest < -accuracy*bandwidth || !s.plenty && s.rest > accuracy*bandwidth {
		return false
	}
	for i := range s.groups {
		g := &s.groups[i]
		if rest := g.used.Below(g.cap); rest < -accuracy*g.cap || g.capped && rest > accuracy*g.cap {
			return false
		}
	}
	return true
}
