// Package review compares the freshness that a plan has promised with what a log of the day shows.
//
// A log tells at each access whether the page has changed since the one before. If it has not, the
// copy was up to date all the time between. If it has, the change came at an unknown moment: with
// Poisson changes of rate Δ and τ from one access to the next, the copy was up to date for an
// expected time of 1/Δ − τ/(e^{Δτ} − 1), which depends little on Δ. What is not seen, such as the time
// after the last access of a page, counts with its expected freshness, for change rates that are
// corrected by what the log shows of pages of about the same rate.
//
// Where change rates are estimates, more freshness is promised than these rates would give. The pages that
// change less often than estimated gain more freshness than those that change more often lose. How much more
// depends on the law of the rates. With a gamma law that has the mean Δ and the standard error σ, a page is
// unchanged after τ with the probability (1 + Δτ/a)^{−a}, a = (Δ/σ)², in place of e^{−Δτ}. The true law is
// narrower if the prior of the estimates is wider than the rates. So the promise is a range: it begins with the
// freshness for rates that are as estimated, and ends with that for rates of this gamma law.
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

	// Promised is what the plan gives if the change rates are right, and PromisedUpper what it gives if they
	// are no better known than their standard errors say.
	Promised, PromisedUpper float64
	// Made is the freshness that the accesses of the log would give if the share Day.Failing of them had
	// failed. Expected is the freshness from those that did not fail. Both suppose that the change rates are
	// right. Measured is like Expected, but by the changes that the log shows. So accesses that were late or
	// left out cost Promised − Made, more failures than before cost Made − Expected, and wrong change rates,
	// or chance, Expected − Measured.
	Made, Expected, Measured float64
	// StandardError is that of Measured, for the chance of what the day showed: +Inf if nothing was
	// told of pages that are given to change.
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
	sum, since := 0.0, from
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
			sum += share * p.untold(made, since, at)
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
	sum, odds := 0.0, 1-failing
	for k := 0.0; odds > 1e-12; k++ { // accesses that have failed since the copy was made
		sum += odds * p.untold(-k/p.Rate, 0, 1/p.Rate) * p.Rate
		odds *= failing
	}
	return sum
}

// untold is the expected time with an up-to-date copy within [from, to], for a copy made at a time.
func (p *Page) untold(made, from, to float64) float64 {
	if !(p.StandardError > 0 && p.ChangeRate > 0 && to > from) {
		return untold(p.ChangeRate, made, from, to)
	}
	if math.IsNaN(made) {
		return 0
	}
	// With L(u) = ln(1 + Δu/a), the integral of e^{−aL(u)} is that of e^{−(a−1)L} over L, times a/Δ.
	shape := p.ChangeRate / p.StandardError * (p.ChangeRate / p.StandardError)
	first := math.Log1p(p.ChangeRate * (from - made) / shape)
	length := math.Log1p(p.ChangeRate * (to - from) / (shape + p.ChangeRate*(from-made)))
	if d := (shape - 1) * length; math.Abs(d) > 1e-12 {
		length = -math.Expm1(-d) / (shape - 1)
	}
	return shape / p.ChangeRate * math.Exp(-(shape-1)*first) * length
}

// untold is that of a page whose change rate is known.
func untold(changeRate, made, from, to float64) float64 {
	switch {
	case math.IsNaN(made) || !(to > from):
		return 0
	case changeRate == 0:
		return to - from
	}
	return math.Exp(-changeRate*(from-made)) * -math.Expm1(-changeRate*(to-from)) / changeRate
}

// changedWithin is untold, for a copy whose page has changed by the time to.
func changedWithin(changeRate, made, from, to float64) float64 {
	z := changeRate * (to - made)
	if z < 1e-4 { // the change is spread evenly, but for a part of z/6
		return (to - from) * (to - from) / (2 * (to - made))
	}
	return max(0, untold(changeRate, made, from, to)-(to-from)*math.Exp(-z)) / -math.Expm1(-z)
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

// made returns for how long the copy would have been up to date with the accesses of the log, if the share
// Failing of them had failed.
func (d Day) made(p *Page) float64 {
	var times []float64
	for _, a := range p.Accesses {
		times = append(times, a.Time)
	}
	return p.Fresh(times, d.Failing, d.From, d.end(p))
}

// Of reviews pages. classOf has the class of each page, from 0 on; each class gets a factor of its own.
// [Day.ByChangeRate] makes classes. nil puts all pages into one class.
func (d Day) Of(pages []Page, classOf []int) Result {
	r, classes := d.result(pages, classOf)
	var time, seen, variance float64
	var promised, upper, made, expected, measured float64
	for i := range pages {
		p := &pages[i]
		c := &classes[class(classOf, i)]
		time += p.Weight * (d.end(p) - d.From)
		known := *p
		known.StandardError = 0
		promised += p.Weight * d.promised(&known)
		upper += p.Weight * d.promised(p)
		made += p.Weight * d.made(&known)
		d.spans(p, func(s span) {
			expected += p.Weight * untold(p.ChangeRate, s.made, s.from, s.to)
			rate := p.ChangeRate * c.factor
			switch {
			case !s.told:
				measured += p.Weight * untold(rate, s.made, s.from, s.to)
				return
			case s.changed:
				measured += p.Weight * changedWithin(rate, s.made, s.from, s.to)
			default:
				measured += p.Weight * (s.to - s.from)
			}
			seen += p.Weight * (s.to - s.from)
			// What this outcome moves: the span itself, and all else of its class by the factor.
			z := rate * (s.to - s.made)
			fresh := math.Exp(-z)
			own := p.Weight * (s.to - s.from - changedWithin(rate, s.made, s.from, s.to))
			moved := own - c.lever/c.information*perChange(z)
			variance += fresh * -math.Expm1(-z) * moved * moved
		})
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

// perChange returns z/(1 − e^{−z}): a change in place of none adds so much to the score of a class, the
// derivative of its log-likelihood by the logarithm of the factor.
func perChange(z float64) float64 {
	if z == 0 {
		return 1
	}
	return z / -math.Expm1(-z)
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
	information float64   // Fisher's information on the logarithm of the factor
	lever       float64   // the derivative, by that logarithm, of the time with up-to-date copies that is not told
	zs          []float64 // changes expected in the times that were told of,
	changed     []bool    // and the outcomes
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
				c := &classes[class(classOf, i)]
				c.zs, c.changed = append(c.zs, z), append(c.changed, s.changed)
				r.Foreseen -= math.Expm1(-z)
			}
		})
	}
	whole := factorOf{}
	for i := range classes {
		classes[i].fit()
		r.Factors = append(r.Factors, classes[i].factor)
		whole.zs, whole.changed = append(whole.zs, classes[i].zs...), append(whole.changed, classes[i].changed...)
	}
	whole.fit()
	r.Factor, r.FactorError = whole.factor, math.Inf(1)
	if len(whole.zs) > 0 {
		r.FactorError = 1 / math.Sqrt(whole.information)
	}
	const step = 1e-4 // of the logarithm of the factor
	for i := range pages {
		p, c := &pages[i], &classes[class(classOf, i)]
		time := func(factor float64) (sum float64) {
			d.spans(p, func(s span) {
				switch {
				case !s.told:
					sum += untold(p.ChangeRate*factor, s.made, s.from, s.to)
				case s.changed:
					sum += changedWithin(p.ChangeRate*factor, s.made, s.from, s.to)
				}
			})
			return sum
		}
		c.lever += p.Weight * (time(c.factor*math.Exp(step)) - time(c.factor*math.Exp(-step))) / (2 * step)
	}
	return r, classes
}

// fit finds the most likely factor. It adds one outcome that speaks for the factor 1: otherwise the
// factor would be 0 if no page had changed, and infinite if all had.
func (c *factorOf) fit() {
	c.factor, c.information = 1, 1
	if len(c.zs) == 0 {
		return
	}
	middle := slices.Sorted(slices.Values(c.zs))[len(c.zs)/2]
	score := func(log float64) (score, information float64) {
		factor := math.Exp(log)
		add := func(z, changed, unchanged float64) {
			z *= factor
			odds := 1 / math.Expm1(z)
			score += changed*z*odds - unchanged*z
			information += (changed + unchanged) * z * z * odds
		}
		add(middle, -math.Expm1(-middle), math.Exp(-middle))
		for i, z := range c.zs {
			if c.changed[i] {
				add(z, 1, 0)
			} else {
				add(z, 0, 1)
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
