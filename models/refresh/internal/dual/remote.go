package dual

// Pages that are elsewhere, in parts: what looks at a part, and how the solver asks.

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// Remote makes passes over pages that are elsewhere. All answers are by group.
type Remote interface {
	// Sample returns some of the pages, evenly taken.
	Sample() Pages
	// Demand finds what each group asks for at its multiplier, if that is not NaN.
	Demand(multipliers []float64) ([]Demand, error)
	// Points finds what each group asks for at each of several multipliers.
	Points(multipliers []float64) ([]Points, error)
	// Ends looks at both ends of an interval.
	Ends(low, high float64) ([]Ends, error)
	// Settle gives the pages their rates.
	Settle(settlements []Settlement) ([]Tally, *Values, error)
}

// remotely makes a pass over pages that are elsewhere. After an error it returns nothing,
// and the error waits in the sweeper.
func remotely[T any](w *sweeper, nothing T, pass func(Remote) (T, error)) T {
	if w.err != nil {
		return nothing
	}
	w.passes++
	answer, err := pass(w.problem.Remote)
	if w.err = err; err != nil {
		return nothing
	}
	return answer
}

// A Part looks at a part of the pages of a problem. Its groups are those of the hosts of
// its own Problem.
type Part struct {
	w     *sweeper
	share float64 // of all pages
}

// NewPart returns a part of a problem in which there are so many pages in all.
func NewPart(p *Problem, pages int, team *parallel.Team) *Part {
	w := newSweeper(p, team)
	w.mean = p.Bandwidth / float64(pages)
	return &Part{w, float64(p.Len()) / float64(pages)}
}

// Groups returns the number of groups, and the group of each host, nil without hosts.
func (p *Part) Groups() (groups int, of []int32) { return len(p.w.layout.caps), p.w.layout.groupOf }

// Open says of each group whether it has no cap.
func (p *Part) Open() []bool {
	open := make([]bool, len(p.w.layout.caps))
	for g, most := range p.w.layout.caps {
		open[g] = math.IsInf(most, 1)
	}
	return open
}

// Demand finds what each group asks for at its multiplier.
func (p *Part) Demand(multipliers []float64) []Demand {
	p.w.demandPass(multipliers)
	totals := make([]Demand, len(multipliers))
	for r, d := range p.w.demands {
		totals[p.w.layout.runs[r].group].merge(d)
	}
	return totals
}

// Points finds what each group asks for at each of several multipliers.
func (p *Part) Points(multipliers []float64) []Points {
	totals := make([]Points, len(p.w.layout.caps))
	for r, d := range p.w.points(multipliers) {
		totals[p.w.layout.runs[r].group].Merge(&d)
	}
	return totals
}

// Ends looks at both ends of an interval. Steep pages are left out where they are more than
// twice the part's share of those that are of use, so that what many parts send together is
// bounded. A few more are chance: small parts have few.
func (p *Part) Ends(low, high float64) []Ends {
	const chance = 16
	found := p.w.ends(low, high)
	steep := 0
	for r := range found {
		steep += len(found[r].Steep.ChangeRates)
	}
	left := float64(steep) > chance+2*p.share*mostSteep
	totals := make([]Ends, len(p.w.layout.caps))
	for r := range found {
		if left {
			found[r].limit(-1)
		}
		totals[p.w.layout.runs[r].group].Merge(&found[r])
	}
	return totals
}

// Settle fills rates, and returns what they come to.
func (p *Part) Settle(rates []float64, settlements []Settlement) ([]Tally, *Values) {
	tallies, values := p.w.settlePass(rates, settlements)
	totals := make([]Tally, len(settlements))
	for r, t := range tallies {
		totals[p.w.layout.runs[r].group].Merge(&t)
	}
	return totals, values
}

// Merge adds the ends of other pages.
func (e *Ends) Merge(other *Ends) {
	for end := range e.Demands {
		e.Demands[end].merge(other.Demands[end])
		e.Slopes[end] += other.Slopes[end]
	}
	p, more := &e.Steep, &other.Steep
	p.ChangeRates = append(p.ChangeRates, more.ChangeRates...)
	p.Weights = append(p.Weights, more.Weights...)
	p.Least = append(p.Least, more.Least...)
	p.Greatest = append(p.Greatest, more.Greatest...)
	e.TooMany = e.TooMany || other.TooMany
	e.limit(mostSteep)
}

// Merge adds the demands of other pages at the same multipliers.
func (p *Points) Merge(other *Points) {
	if *p == nil {
		*p = make(Points, len(*other))
	}
	for i, d := range *other {
		(*p)[i].merge(d)
	}
}

// Merge adds the demand of other pages.
func (d *Demand) Merge(other *Demand) { d.merge(*other) }

// Merge adds the tally of other pages.
func (t *Tally) Merge(other *Tally) { t.merge(other) }

// Merge adds the values of other pages.
func (v *Values) Merge(other *Values) { v.merge(other) }
