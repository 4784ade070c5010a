package rates

// The multipliers of the bandwidth and of the hosts.

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// source is where the pages are: in memory, or in shards. What it finds is by group, and
// nothing for a group that is notAsked.
type source interface {
	// sample returns some of the pages, evenly taken.
	sample() refresh.Pages
	// floors is what each group demands at any price.
	floors() []demand
	// look finds what each group asks for.
	look(at []prices) ([]look, error)
	// settle gives the pages their rates.
	settle(at []prices) ([]tally, error)
}

// notAsked are the prices at which a pass asks a group about nothing.
var notAsked = prices{Low: -1}

// solver finds the multipliers of the bandwidth and of the groups.
type solver struct {
	objective refresh.Objective
	bandwidth float64
	pages     source
	count     int            // of the pages
	caps      []float64      // of groups: hosts, or all pages
	team      *parallel.Team // for what is found here
	start     float64        // a guess of the multiplier

	whole       *root    // for Σ_g min(S_g(λ), C_g) = R
	capped      []*root  // of groups that ask for more than their cap C_g there: for S_g(λ) = C_g
	least       []demand // that groups demand at any price
	multipliers []float64
	passes      int
	off         float64 // greatest relative error of the bandwidth and caps
}

// The greatest relative errors of the conditions of optimality, of the bandwidth
// and caps, and of the value beside its bound: those that the search works for, and
// those that [Optimize] promises.
const (
	accuracy = 1e-13
	promise  = 1e-12
)

// leastShare is the largest miss of a budget where the demand jumps, relative to the greater
// of the jump and the mean rate. The rates of the pages that jump are then of that accuracy.
const leastShare = 0x1p-31

// solve finds the best rates. If ctx ends, its error comes with a solution that keeps to all
// limits.
func (s *solver) solve(ctx context.Context) (*Solution, error) {
	if err := s.prepare(); err != nil {
		return nil, err
	}
	for {
		stop := s.find(ctx)
		if stop != nil && ctx.Err() == nil {
			return nil, stop
		}
		solution, err := s.finish()
		switch {
		case err != nil:
			return nil, err
		case stop != nil:
			return solution, stop
		case s.again(solution):
			continue
		case !s.met(solution, promise):
			return solution, ErrPrecision
		}
		return solution, nil
	}
}

// prepare decides where to begin. It returns an [ExcessError] if no rates keep all limits.
func (s *solver) prepare() error {
	s.least = s.pages.floors()
	if err := s.checkLeast(); err != nil {
		return err
	}
	s.multipliers, s.capped = make([]float64, len(s.caps)), make([]*root, len(s.caps))
	if !(s.start > 0) || math.IsInf(s.start, 1) {
		s.start = s.guess()
	}
	s.start = min(max(s.start, 0x1p-1000), 0x1p1000)
	s.whole = newRoot(0, s.caps, s.least, s.bandwidth, s.start)
	if s.count <= block {
		s.whole.first = prices{Low: s.start / longInterval, High: s.start * longInterval}
	}
	return nil
}

// checkLeast compares the least rates with the caps and the bandwidth. Their rounding is forgiven.
func (s *solver) checkLeast() error {
	all := demand{}
	for g := range s.least {
		all.merge(&s.least[g])
		if needed := s.least[g].Sum.Sum(); s.least[g].Sum.Below(s.caps[g]) < -accuracy*s.caps[g] {
			return &ExcessError{Host: g, Needed: needed, Allowed: s.caps[g]}
		}
	}
	if all.Sum.Below(s.bandwidth) < -accuracy*s.bandwidth {
		return &ExcessError{Host: -1, Needed: all.Sum.Sum(), Allowed: s.bandwidth}
	}
	return nil
}

// sampleRounds and sampleDistance, a length of Newton's step, end the search on a sample.
const (
	sampleRounds   = 40
	sampleDistance = 0x1p-12
)

// guess looks for the multiplier on a sample, whose share of the bandwidth does not
// matter: it is a guess.
func (s *solver) guess() float64 {
	pages := s.pages.sample()
	sample := newMemory(s.objective, pages, s.team)
	bandwidth := s.bandwidth * (float64(pages.Len()) / float64(s.count))
	r := newRoot(0, sample.caps, sample.floors(), bandwidth, pages.TotalWeight()/bandwidth)
	for range sampleRounds {
		multiplier := r.search.next()
		r.observe(&r.search, multiplier, sample.demandAt(multiplier))
		if math.Abs(r.last.step()) <= sampleDistance {
			break
		}
	}
	if guess := r.search.next(); guess > 0 {
		return guess
	}
	return 1 // nothing is gained from any page
}

// plenty reports whether the bandwidth is more than the pages can use.
func (s *solver) plenty() bool { return s.whole.end.High == 0 }

// find searches for the multiplier of the whole, and then for those of groups.
func (s *solver) find(ctx context.Context) error {
	err := s.search(ctx, []*root{s.whole})
	var roots []*root
	for g, most := range s.caps {
		// A capped group asks for more than its cap at the multiplier of the whole. Its own
		// search begins there. What it finds does not depend on the whole.
		d := s.whole.atUnder[g]
		switch price := s.whole.end.High; {
		case d.Sum.Below(most) >= 0:
			s.capped[g] = nil
			continue
		case s.capped[g] == nil:
			s.capped[g] = newRoot(g, []float64{math.Inf(1)}, s.least[g:g+1], most, s.start)
			if price > 0 && !s.capped[g].closed() {
				s.capped[g].observe(&s.capped[g].search, price, []demand{d})
				s.capped[g].first = prices{Low: price, High: price * longInterval}
			}
		}
		roots = append(roots, s.capped[g])
	}
	if err != nil {
		return err
	}
	// All pages of a host may be steep on its first interval: so many hosts at a time.
	for some := range slices.Chunk(roots, max(1, mostSteep/max(1, s.count/len(s.caps)))) {
		if err := s.search(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// search finds some roots, all at the same time.
func (s *solver) search(ctx context.Context, roots []*root) error {
	for {
		at := slices.Repeat([]prices{notAsked}, len(s.caps))
		var open []*root
		for _, r := range roots {
			if next, more := r.next(); more {
				open = append(open, r)
				for g := range r.caps {
					at[r.from+g] = next
				}
			}
		}
		if len(open) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.passes++
		found, err := s.pages.look(at)
		if err != nil {
			return err
		}
		alone := parallel.NewTeam(1) // no rounds within rounds
		if len(open) == 1 {
			alone = s.team
		}
		s.team.For(len(open), func(i int) {
			r := open[i]
			r.take(at[r.from], found[r.from:r.from+len(r.caps)], s.objective, alone)
		})
	}
}

// settlement returns what rates each group gets.
func (s *solver) settlement() []prices {
	at := make([]prices, len(s.caps))
	for g, most := range s.caps {
		if r := s.capped[g]; r != nil {
			at[g] = r.end
			continue
		}
		at[g] = s.whole.end
		if at[g].Low == at[g].High {
			continue
		}
		// If the group exceeds its cap at Low only, the way from High to Low ends where the cap is filled.
		if high := s.whole.atOver[g].Sum.Below(most); high < 0 {
			low := s.whole.atUnder[g].Sum.Below(most)
			at[g].Share *= low / (low - high)
		}
	}
	return at
}

// again marks roots that were found on intervals to be looked for once more, and reports
// whether there are any. They are looked for on shorter intervals if the solution is not as
// good as it can be, or if pages have inaccurate rates on a jump; and at single multipliers if
// intervals cannot be shorter but the solution breaks the promise.
func (s *solver) again(solution *Solution) bool {
	fine, kept, open := s.met(solution, accuracy), s.met(solution, promise), false
	for _, r := range append(slices.Clone(s.capped), s.whole) {
		if r != nil && r.half > 0 && !r.closed() && (!kept || r.half*narrower >= leastInterval && !(fine && r.sharp(s.bandwidth/float64(s.count)))) {
			r.shorter, open = true, true
		}
	}
	return open
}

// sharp reports whether rates on a jump of the demand, if there is one, are accurate: to
// themselves or to the mean rate.
func (r *root) sharp(mean float64) bool {
	if r.end.Low == r.end.High {
		return true
	}
	over, under := r.total(r.atOver), r.total(r.atUnder)
	over.Sum.Merge(under.Sum.Neg())
	return math.Abs(r.rest) <= leastShare*max(mean, over.Sum.Sum())
}

// met reports whether a solution keeps to an accuracy.
func (s *solver) met(solution *Solution, accuracy float64) bool {
	gap := math.Abs(solution.Bound - solution.Value)
	tight := solution.Bound == solution.Value || gap <= accuracy*math.Abs(solution.Value) // infinite, or not
	return tight && solution.Residual <= accuracy && s.off <= accuracy
}
