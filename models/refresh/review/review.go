// Package review compares the freshness that a plan has promised with what a log of the day shows.
//
// A log tells at each access whether the page has changed since the one before. If it has not, the
// copy was up to date all the time between. If it has, the change came at an unknown moment: with
// Poisson changes of rate Δ and τ from one access to the next, the copy was up to date for an
// expected time of 1/Δ − τ/(e^{Δτ} − 1), which depends little on Δ. What is not seen, such as the time
// after the last access of a page, counts with its expected freshness, for change rates that are
// corrected by what the log shows of pages of about the same rate.
//
// A change rate that is an estimate stands for a gamma law with its mean Δ and standard error σ: a page is
// then unchanged after τ with probability (1 + Δτ/a)^{−a}, a = (Δ/σ)², in place of e^{−Δτ}. As many pages
// change less often than their mean, more of them stay fresh than the means would say.
package review

import (
	"cmp"
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
	// Failing is the share of accesses that are expected to fail, below 1, as before the day. What is promised
	// takes account of it.
	Failing float64
}

// A Result is the mean freshness of some pages in a day, by weight, from 0 to 1: what was promised,
// and what came of it.
type Result struct {
	Pages    int
	Accesses int // in the day, Failed ones among them
	Failed   int
	Told     int     // accesses that told whether their page had changed,
	Changed  int     // and those that saw a change
	Foreseen float64 // changes expected in the accesses that told, by the change rates
	Weight   float64 // in all

	Promised float64
	// Made is what the accesses of the log would give if as many had failed as Day.Failing says, and Expected
	// what they give without those that did, both if the change rates are right. Measured is that by
	// the changes that the log shows. So accesses that were late or left out cost Promised − Made,
	// more failures than before Made − Expected, and wrong change rates, or chance, Expected − Measured.
	Made, Expected, Measured float64
	// StandardError is that of Measured, for the chance of what the day showed: +Inf if nothing was
	// told of pages that are given to change.
	StandardError float64
	// Seen is the share of time of which the log tells whether copies were up to date.
	Seen float64
	// Factor is by what true change rates exceed the given ones, as estimated from the log, and
	// FactorError the standard error of its logarithm: +Inf if StandardError is.
	Factor, FactorError float64
	Factors             []float64 // of classes
}

// Fresh returns for how long of a day the copy of a page is expected to be up to date, with accesses at times
// in increasing order, each of which fails with the probability failing.
func (p *Page) Fresh(times []float64, failing, from, until float64) float64 {
	l, sum, since := p.law(1), 0.0, from
	if p.Last > from {
		since = p.Last
	}
	copies := []float64{p.Last} // when they were made, the latest first
	for _, at := range append(slices.Clone(times), until) {
		at = min(max(at, from), until)
		odds := 1.0 // that the accesses after a copy have failed
		for i, made := range copies {
			share := odds * (1 - failing)
			if i == len(copies)-1 {
				share = odds
			}
			sum += share * l.untold(made, since, at)
			if odds *= failing; odds < 1e-12 {
				break
			}
		}
		copies, since = slices.Insert(copies, 0, at), at
	}
	return sum
}

// Steady returns the share of time for which the copy of a page is expected to be up to date, with accesses
// at even intervals for ever, each of which fails with a probability.
func (p *Page) Steady(failing float64) float64 {
	if !(p.Rate > 0) {
		return 0
	}
	l, sum, odds := p.law(1), 0.0, 1-failing
	for k := 0.0; odds > 1e-12; k++ { // accesses that have failed since the copy was made
		sum += odds * l.untold(-k/p.Rate, 0, 1/p.Rate) * p.Rate
		odds *= failing
	}
	return sum
}

// A law is that of the changes of a page: Poisson, with a rate that has a gamma law of a shape, +Inf for a
// rate that is known.
type law struct{ rate, shape float64 }

// law returns that of a page whose change rate is corrected by a factor.
func (p *Page) law(factor float64) law {
	shape := math.Inf(1)
	if p.StandardError > 0 && p.ChangeRate > 0 {
		shape = p.ChangeRate / p.StandardError * (p.ChangeRate / p.StandardError)
	}
	return law{p.ChangeRate * factor, shape}
}

// after returns the logarithm of the probability of no change in a time, and the derivative of its negative
// by the logarithm of the rate.
func (l law) after(time float64) (log, slope float64) {
	z := l.rate * time
	if math.IsInf(l.shape, 1) {
		return -z, z
	}
	return -l.shape * math.Log1p(z/l.shape), z / (1 + z/l.shape)
}

// untold is the expected time with an up-to-date copy within [from, to], for a copy made at a time.
func (l law) untold(made, from, to float64) float64 {
	switch {
	case math.IsNaN(made) || !(to > from):
		return 0
	case l.rate == 0:
		return to - from
	case math.IsInf(l.shape, 1):
		return math.Exp(-l.rate*(from-made)) * -math.Expm1(-l.rate*(to-from)) / l.rate
	}
	// With L(u) = ln(1 + Δu/a), the integral of e^{−aL(u)} is that of e^{−(a−1)L} over L, times a/Δ.
	first := math.Log1p(l.rate * (from - made) / l.shape)
	more := math.Log1p(l.rate * (to - from) / (l.shape + l.rate*(from-made)))
	length := more
	if d := (l.shape - 1) * more; math.Abs(d) > 1e-12 {
		length = -math.Expm1(-d) / (l.shape - 1)
	}
	return l.shape / l.rate * math.Exp(-(l.shape-1)*first) * length
}

// changedWithin is untold, for a copy whose page has changed by the time to.
func (l law) changedWithin(made, from, to float64) float64 {
	if l.rate*(to-made) < 1e-4 { // the change is spread evenly, but for a part of Δτ/6
		return (to - from) * (to - from) / (2 * (to - made))
	}
	log, _ := l.after(to - made)
	return max(0, l.untold(made, from, to)-(to-from)*math.Exp(log)) / -math.Expm1(log)
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

// promised returns for how long of the day the copy of a page was to be up to date.
func (d Day) promised(p *Page) float64 {
	if d.Timed {
		return p.Fresh(p.Planned, d.Failing, d.From, d.end(p))
	}
	return p.Steady(d.Failing) * (d.end(p) - d.From)
}

// made returns it for the accesses of the log, as if as many had failed as before.
func (d Day) made(p *Page) float64 {
	var times []float64
	for _, a := range p.Accesses {
		times = append(times, a.Time)
	}
	return p.Fresh(times, d.Failing, d.From, d.end(p))
}

// Of reviews pages. classOf puts each page into a class, from 0 on, of those that get a factor of
// their own: [ByChangeRate] makes some. nil is one class for all.
func (d Day) Of(pages []Page, classOf []int) Result {
	r, classes := d.result(pages, classOf)
	var time, seen, variance float64
	var promised, made, expected, measured float64
	for i := range pages {
		p := &pages[i]
		c := &classes[class(classOf, i)]
		time += p.Weight * (d.end(p) - d.From)
		promised += p.Weight * d.promised(p)
		made += p.Weight * d.made(p)
		d.spans(p, func(s span) {
			expected += p.Weight * p.law(1).untold(s.made, s.from, s.to)
			l := p.law(c.factor)
			switch {
			case !s.told:
				measured += p.Weight * l.untold(s.made, s.from, s.to)
				return
			case s.changed:
				measured += p.Weight * l.changedWithin(s.made, s.from, s.to)
			default:
				measured += p.Weight * (s.to - s.from)
			}
			seen += p.Weight * (s.to - s.from)
			// What this outcome moves: the span itself, and all else of its class by the factor.
			log, slope := l.after(s.to - s.made)
			own := p.Weight * (s.to - s.from - l.changedWithin(s.made, s.from, s.to))
			moved := own
			if slope > 0 {
				moved -= c.lever / c.information * slope / -math.Expm1(log) // by which the score grows
			}
			variance += math.Exp(log) * -math.Expm1(log) * moved * moved
		})
	}
	if time > 0 {
		r.Promised, r.Made, r.Expected, r.Measured = promised/time, made/time, expected/time, measured/time
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

// A factorOf is the factor of a class of pages, as outcomes show it.
type factorOf struct {
	factor      float64
	information float64 // of Fisher, on the logarithm of the factor
	lever       float64 // the derivative, by that logarithm, of the time with up-to-date copies that is not told
	laws        []law   // changes in the times that were told of, which are their units,
	changed     []bool  // and the outcomes
}

// result counts, and fits the factors of classes.
func (d Day) result(pages []Page, classOf []int) (r Result, classes []factorOf) {
	r.Pages, classes = len(pages), []factorOf{{}}
	for i := range pages {
		p := &pages[i]
		for class(classOf, i) >= len(classes) {
			classes = append(classes, factorOf{})
		}
		r.Weight += p.Weight
		for _, a := range p.Accesses {
			if r.Accesses++; a.Failed {
				r.Failed++
			}
		}
		d.spans(p, func(s span) {
			if !s.told {
				return
			}
			r.Told++
			if s.changed {
				r.Changed++
			}
			if z := p.ChangeRate * (s.to - s.made); z > 0 { // no factor corrects a rate of 0
				c, l := &classes[class(classOf, i)], law{z, p.law(1).shape}
				c.laws, c.changed = append(c.laws, l), append(c.changed, s.changed)
				log, _ := l.after(1)
				r.Foreseen -= math.Expm1(log)
			}
		})
	}
	whole := factorOf{}
	for i := range classes {
		classes[i].fit()
		r.Factors = append(r.Factors, classes[i].factor)
		whole.laws, whole.changed = append(whole.laws, classes[i].laws...), append(whole.changed, classes[i].changed...)
	}
	whole.fit()
	r.Factor, r.FactorError = whole.factor, math.Inf(1)
	if len(whole.laws) > 0 {
		r.FactorError = 1 / math.Sqrt(whole.information)
	}
	const step = 1e-4 // of the logarithm of the factor
	for i := range pages {
		p, c := &pages[i], &classes[class(classOf, i)]
		time := func(factor float64) (sum float64) {
			d.spans(p, func(s span) {
				switch {
				case !s.told:
					sum += p.law(factor).untold(s.made, s.from, s.to)
				case s.changed:
					sum += p.law(factor).changedWithin(s.made, s.from, s.to)
				}
			})
			return sum
		}
		c.lever += p.Weight * (time(c.factor*math.Exp(step)) - time(c.factor*math.Exp(-step))) / (2 * step)
	}
	return r, classes
}

// fit finds the most likely factor. As much as one more outcome, which would have it at 1, is added:
// else it were 0 without a change, and infinite if all have changed.
func (c *factorOf) fit() {
	c.factor, c.information = 1, 1
	if len(c.laws) == 0 {
		return
	}
	byRate := func(a, b law) int { return cmp.Compare(a.rate, b.rate) }
	middle := law{slices.SortedFunc(slices.Values(c.laws), byRate)[len(c.laws)/2].rate, math.Inf(1)}
	score := func(log float64) (score, information float64) {
		factor := math.Exp(log)
		add := func(l law, changed, unchanged float64) {
			l.rate *= factor
			none, slope := l.after(1)
			odds := 1 / math.Expm1(-none)
			score += changed*slope*odds - unchanged*slope
			information += (changed + unchanged) * slope * slope * odds
		}
		add(middle, -math.Expm1(-middle.rate), math.Exp(-middle.rate))
		for i, l := range c.laws {
			if c.changed[i] {
				add(l, 1, 0)
			} else {
				add(l, 0, 1)
			}
		}
		return score, information
	}
	low, high := -30., 30. // the score falls
	for range 60 {
		if s, _ := score((low + high) / 2); s > 0 {
			low = (low + high) / 2
		} else {
			high = (low + high) / 2
		}
	}
	c.factor = math.Exp(low)
	_, c.information = score(low)
}

// ByChangeRate puts pages into as many classes by their change rates, with about as many accesses
// that told of changes each.
func (d Day) ByChangeRate(pages []Page, classes int) (classOf []int) {
	order := make([]int, len(pages))
	told, all := make([]int, len(pages)), 0
	for i := range pages {
		order[i] = i
		d.spans(&pages[i], func(s span) {
			if s.told {
				told[i]++
				all++
			}
		})
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
