// Package review compares the freshness that a plan has promised with what a log of the day shows.
//
// A log tells at each access whether the page has changed since the one before. If it has not, the
// copy was up to date all the time between. If it has, the change came at an unknown moment: with
// Poisson changes of rate Δ and τ from one access to the next, the copy was up to date for an
// expected time of 1/Δ − τ/(e^{Δτ} − 1), which depends little on Δ. What is not seen, such as the time
// after the last access of a page, counts with its expected freshness, for change rates that are
// corrected by what the log shows of pages of about the same rate.
//
// Where change rates are estimates, more freshness is expected than they say: pages that change less often
// than their rate gain more than the others lose. A rate Δ with the standard error σ stands for a gamma law
// of this mean and standard deviation. With it a page is unchanged after τ with the probability
// (1 + Δτ/a)^{−a}, a = (Δ/σ)², in place of e^{−Δτ}. The measured freshness is computed with these laws. The
// true law is narrower if the prior of the estimates is wider than the rates, so the promise is a range:
// from known rates to these laws.
package review

import (
	"math"
	"slices"
)

// An Access is one of a page within the day.
type Access struct {
	Time   float64
	Failed bool // the copy stays as it was
	Gone   bool // the page no longer exists: it counts until then
	// Told says that it is known whether the page had Changed since the access before.
	Told, Changed bool
}

// A Page is a page in the day that is reviewed. Times are in the unit of the change rate.
type Page struct {
	ChangeRate, Weight float64
	// StandardError is that of the change rate, 0 where it is known.
	StandardError float64
	Last          float64 // access before the day; NaN: none, so that there is no copy
	Accesses      []Access
	// Planned are the times at which the plan has accesses within the day. Without a plan of times,
	// Rate is the number of accesses per unit of time that it has, at even intervals.
	Planned []float64
	Rate    float64
}

// A Day is the time that is reviewed, and whether pages have Planned times.
type Day struct {
	From, Until float64
	Timed       bool
	// Failing is the share of accesses that are expected to fail, below 1: that of the time before the day.
	// What is promised takes account of it.
	Failing float64
	// Going is the rate at which pages cease to exist, as [Day.Gone] finds it. The time after the last access of a
	// page counts less, as the page may be gone.
	Going float64
}

// A Result is the mean freshness of some pages in a day, by weight, from 0 to 1: what was promised,
// and what came of it.
type Result struct {
	Pages    int
	Accesses int // in the day, Failed ones among them
	Failed   int
	Told     int     // accesses that told whether their page had changed,
	Changed  int     // and those that saw a change
	Foreseen float64 // changes expected in the accesses that told, by the laws of the change rates
	Weight   float64 // in all

	// Promised is what the plan gives if the change rates are right, and PromisedUpper what it gives if they
	// are no better known than their standard errors say.
	Promised, PromisedUpper float64
	// Made is the freshness that the accesses of the log would give if the share Day.Failing of them had
	// failed. Expected is the freshness from those that did not fail. Both suppose that the change rates are
	// right. Measured is like Expected, but by the changes that the log shows. So accesses that were late or
	// left out cost Promised − Made, more failures than before cost Made − Expected, and wrong change rates,
	// or chance, Expected − Measured.
	Made, Expected, Measured float64
	// StandardError is that of Measured. It comes from chance: in the outcomes of accesses, and in when pages
	// changed where the log does not tell. It is +Inf if no access told of a page whose change rate is above 0.
	StandardError float64
	// Seen is the share of time of which the log tells whether copies were up to date.
	Seen float64
	// Factor is the ratio of true change rates to the given ones, as estimated from the log, and
	// FactorError the standard error of its logarithm: +Inf if StandardError is.
	Factor, FactorError float64
	Factors             []float64 // of classes
}

// Fresh returns for how long of a day the copy of a page is expected to be up to date, with accesses at times
// in increasing order, each of which fails with the probability failing.
func (p *Page) Fresh(times []float64, failing, from, until float64) float64 {
	return p.law(1).fresh(p.Last, times, failing, from, until)
}

// Steady returns the share of time for which the copy of a page is expected to be up to date, with accesses
// at even intervals for ever, each of which fails with a probability.
func (p *Page) Steady(failing float64) float64 {
	return p.law(1).steady(p.Rate, failing)
}

// A span is a time within the day in which a page had one copy, or none.
type span struct {
	made, from, to float64 // of the copy; NaN without one
	told, changed  bool    // whether the access at its end told, and what
}

// end returns the end of the day of a page.
func (d Day) end(p *Page) float64 {
	for _, a := range p.Accesses {
		if a.Gone {
			return a.Time
		}
	}
	return d.Until
}

// Gone returns how many pages cease to exist per page and unit of time: the number of accesses that found their
// page gone, divided by the total time since the access before, over all accesses that did not fail.
func (d Day) Gone(pages []Page) float64 {
	gone, time := 0., 0.
	for i := range pages {
		last := pages[i].Last
		for _, a := range pages[i].Accesses {
			if a.Failed || a.Time > d.end(&pages[i]) {
				continue
			}
			if !math.IsNaN(last) {
				time += a.Time - last
				if a.Gone {
					gone++
				}
			}
			last = a.Time
		}
	}
	return gone / max(time, math.SmallestNonzeroFloat64)
}

// weight returns the weight of a page multiplied by the chance that it exists, on average over its day.
func (d Day) weight(p *Page) float64 {
	last := span{from: d.From, to: d.From}
	d.spans(p, func(s span) { last = s })
	unseen := last.to - last.from
	if d.Going == 0 || math.IsNaN(last.made) || unseen == 0 {
		return p.Weight
	}
	exists := math.Exp(-d.Going * ((last.from+last.to)/2 - last.made))
	return p.Weight * (1 - unseen/(last.to-d.From)*(1-exists))
}

// spans calls do with the spans of a page.
func (d Day) spans(p *Page, do func(span)) {
	s, end := span{made: p.Last, from: d.From}, d.end(p)
	for _, a := range p.Accesses {
		if a.Failed || a.Time >= end {
			continue
		}
		s.to, s.told, s.changed = a.Time, a.Told && !math.IsNaN(s.made) && a.Time > s.made, a.Changed
		do(s)
		s = span{made: a.Time, from: a.Time}
	}
	s.to = end
	do(s)
}

// told returns how many accesses to a page have told whether it had changed.
func (d Day) told(p *Page) (count int) {
	d.spans(p, func(s span) {
		if s.told {
			count++
		}
	})
	return count
}

// promised returns for how long of the day the copy of a page was to be up to date.
func (d Day) promised(p *Page, l law) float64 {
	if d.Timed {
		return l.fresh(p.Last, p.Planned, d.Failing, d.From, d.end(p))
	}
	return l.steady(p.Rate, d.Failing) * (d.end(p) - d.From)
}

// made returns for how long the copy would have been up to date with the accesses of the log, if the share
// Failing of them had failed.
func (d Day) made(p *Page) float64 {
	var times []float64
	for _, a := range p.Accesses {
		times = append(times, a.Time)
	}
	return p.known().fresh(p.Last, times, d.Failing, d.From, d.end(p))
}

// Of reviews pages. classOf has the class of each page, from 0 on; each class gets a factor of its own.
// [Day.ByChangeRate] makes classes. nil puts all pages into one class.
func (d Day) Of(pages []Page, classOf []int) Result {
	r, factors := d.result(pages, classOf)
	var time, seen float64
	variance := factors.variance
	var promised, upper, made, expected, measured float64
	for i := range pages {
		p := &pages[i]
		c := &factors.classes[class(classOf, i)]
		l, weight := p.law(c.factor), d.weight(p)
		time += weight * (d.end(p) - d.From)
		promised += weight * d.promised(p, p.known())
		upper += weight * d.promised(p, p.law(1))
		made += weight * d.made(p)
		told := float64(d.told(p))
		common, own := 0., 0. // of what outcomes of the page move by the factor: the sums of standard deviations and of variances
		d.spans(p, func(s span) {
			expected += weight * p.known().untold(s.made, s.from, s.to)
			fresh := l.within(s)
			measured += weight * fresh
			if !s.told || s.changed {
				variance += weight * weight * (l.squareWithin(s) - fresh*fresh)
			}
			if !s.told {
				return
			}
			seen += weight * (s.to - s.from)
			// What this outcome moves: the span itself, and all else of its class by the factor.
			log, slope := l.after(s.to - s.made)
			moved := weight * (s.to - s.from - l.changedWithin(s.made, s.from, s.to))
			chance := math.Exp(log) * -math.Expm1(log)
			if slope > 0 {
				byFactor := c.reach * slope / -math.Expm1(log) / told // what the outcome moves by the score
				moved -= byFactor
				common += math.Sqrt(chance) * byFactor
				own += chance * byFactor * byFactor
			}
			variance += chance * moved * moved
		})
		variance += common*common - own // outcomes of a page are about one rate, so not independent
	}
	if time > 0 {
		r.Promised, r.Made, r.Expected, r.Measured = promised/time, made/time, expected/time, measured/time
		r.PromisedUpper = upper / time
		r.StandardError, r.Seen = math.Sqrt(variance)/time, seen/time
	}
	if math.IsInf(r.FactorError, 1) {
		r.StandardError = r.FactorError
	}
	return r
}

func class(classOf []int, page int) int {
	if classOf == nil {
		return 0
	}
	return classOf[page]
}

// ByChangeRate puts pages into as many classes by their change rates, with about as many accesses
// that told of changes each.
func (d Day) ByChangeRate(pages []Page, classes int) (classOf []int) {
	order := make([]int, len(pages))
	told, all := make([]int, len(pages)), 0
	for i := range pages {
		order[i], told[i] = i, d.told(&pages[i])
		all += told[i]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := pages[a].ChangeRate, pages[b].ChangeRate; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	classOf = make([]int, len(pages))
	before := 0
	for _, page := range order {
		classOf[page] = min(classes-1, before*classes/max(1, all))
		before += told[page]
	}
	return classOf
}
