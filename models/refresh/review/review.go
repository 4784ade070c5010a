// Package review compares the freshness that a plan has promised with what a log of the day shows.
//
// A log tells at each access whether the page has changed since the one before. If it has not, the
// copy was up to date all the time between. If it has, the change came at an unknown moment: with
// Poisson changes of rate Δ and τ from one access to the next, the copy was up to date for an
// expected time of 1/Δ − τ/(e^{Δτ} − 1), which depends little on Δ. What is not seen, such as the time
// after the last access of a page, counts with its expected freshness, for change rates that are
// corrected by what the log shows of pages of about the same rate.
//
// Where change rates are estimates, more is expected than they say: pages that change less often than their
// rate stay fresh by more than others become stale earlier. A rate Δ with the standard error σ stands for
// a gamma law of this mean and deviation, with which a page is unchanged after τ with the probability
// (1 + Δτ/a)^{−a}, a = (Δ/σ)², in place of e^{−Δτ}. What is measured is by these laws. The true law is
// narrower if the prior of the estimates is wider than the rates, so the promise is a range: from
// known rates to these laws.
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
	// Failing is the share of accesses that are expected to fail, below 1, as before the day. What is promised
	// takes account of it.
	Failing float64
	// Going is the rate at which pages cease to exist, as [Day.Gone] finds it: a page that has not been accessed
	// since then counts less, as it may be gone.
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

	// Promised is for change rates that are right, and PromisedUpper for rates that are no better known than
	// their standard errors say.
	Promised, PromisedUpper float64
	// Made is what the accesses of the log would give if as many had failed as Day.Failing says, and Expected
	// what they give without those that did, both if the change rates are right. Measured is that by
	// the changes that the log shows. So accesses that were late or left out cost Promised − Made,
	// more failures than before Made − Expected, and wrong change rates, or chance, Expected − Measured.
	Made, Expected, Measured float64
	// StandardError is that of Measured, for the chance of what the day showed, and of when pages changed in
	// time of which it showed nothing: +Inf if nothing was told of pages that are given to change.
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
	return p.law(1).fresh(p.Last, times, failing, from, until)
}

// fresh is Fresh for a law of changes, and the last access before the day.
func (l law) fresh(last float64, times []float64, failing, from, until float64) float64 {
	sum, since := 0.0, from
	if last > from {
		since = last
	}
	copies := []float64{last} // when they were made, the latest first
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
	return p.law(1).steady(p.Rate, failing)
}

// steady is Steady for a law of changes, and a rate of accesses.
func (l law) steady(rate, failing float64) float64 {
	if !(rate > 0) {
		return 0
	}
	sum, odds := 0.0, 1-failing
	for k := 0.0; odds > 1e-12; k++ { // accesses that have failed since the copy was made
		sum += odds * l.untold(-k/rate, 0, 1/rate) * rate
		odds *= failing
	}
	return sum
}

// A law is that of the changes of a page: Poisson, with a rate that has a gamma law of a shape, +Inf for a
// rate that is known.
type law struct{ rate, shape float64 }

// known is the law of a page whose change rate is right.
func (p *Page) known() law { return law{p.ChangeRate, math.Inf(1)} }

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

// Gone returns how many pages cease to exist per page and unit of time: the accesses that found their page gone,
// divided by the time since the accesses before of all that told whether the page exists.
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

// counts returns the weight of a page multiplied by the chance that it exists, on average over its day.
func (d Day) counts(p *Page) float64 {
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

// promised returns for how long of the day the copy of a page was to be up to date.
func (d Day) promised(p *Page, l law) float64 {
	if d.Timed {
		return l.fresh(p.Last, p.Planned, d.Failing, d.From, d.end(p))
	}
	return l.steady(p.Rate, d.Failing) * (d.end(p) - d.From)
}

// made returns for how long it would have been with the accesses of the log, if as many had failed as before.
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
		l, weight := p.law(c.factor), d.counts(p)
		time += weight * (d.end(p) - d.From)
		promised += weight * d.promised(p, p.known())
		upper += weight * d.promised(p, p.law(1))
		made += weight * d.made(p)
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
			if slope > 0 {
				moved -= c.reach * slope / -math.Expm1(log) // by which the score grows
			}
			variance += math.Exp(log) * -math.Expm1(log) * moved * moved
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

// within is the expected time with an up-to-date copy in a span, after its outcome.
func (l law) within(s span) float64 {
	switch {
	case !s.told:
		return l.untold(s.made, s.from, s.to)
	case s.changed:
		return l.changedWithin(s.made, s.from, s.to)
	}
	return s.to - s.from
}

// squareWithin is the expected square of that time T: the integral of 2x·P(T > x), by the rule of Simpson.
func (l law) squareWithin(s span) float64 {
	if math.IsNaN(s.made) || !(s.to > s.from) {
		return 0
	}
	later := 0. // probability that the page changes after the span, which is known not to be so
	if s.told {
		log, _ := l.after(s.to - s.made)
		later = math.Exp(log)
		if later == 1 { // the change is spread evenly
			return (s.to - s.from) * (s.to - s.from) * (s.to - s.from) / (3 * (s.to - s.made))
		}
	}
	const steps = 8
	step, sum := (s.to-s.from)/steps, 0.
	for k := 1; k <= steps; k++ {
		x := step * float64(k)
		log, _ := l.after(s.from - s.made + x)
		weight := float64(2 + 2*(k%2))
		if k == steps {
			weight = 1
		}
		sum += weight * 2 * x * (math.Exp(log) - later) / (1 - later)
	}
	return sum * step / 3
}

func class(classOf []int, page int) int {
	if classOf == nil {
		return 0
	}
	return classOf[page]
}

// A factorOf is the factor of a class of pages, as outcomes show it.
type factorOf struct {
	factor  float64
	laws    []law  // changes in the times that were told of, which are their units,
	changed []bool // and the outcomes

	lever float64 // the derivative, by the logarithm of the factor, of the time with up-to-date copies that is not told
	// reach is by how much that time moves with the score of the class, by this and all other factors.
	reach float64
}

// factors are those of classes. They have a normal law in the logarithm, around the factor of all pages: so
// a class of which little is told has nearly that factor.
type factors struct {
	classes     []factorOf
	whole       factorOf
	information float64 // on the logarithm of whole.factor
	spread      float64 // variance of the logarithms of factors of classes
	variance    float64 // that this leaves of the time with up-to-date copies
}

// leastSpread is the least deviation of these logarithms: change rates are not known better than to a tenth.
const leastSpread = 0.1

// result counts, and collects outcomes.
func (d Day) result(pages []Page, classOf []int) (r Result, f factors) {
	r.Pages, f.classes = len(pages), []factorOf{{}}
	for i := range pages {
		p := &pages[i]
		for class(classOf, i) >= len(f.classes) {
			f.classes = append(f.classes, factorOf{})
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
				l := law{z, p.law(1).shape}
				for _, c := range []*factorOf{&f.classes[class(classOf, i)], &f.whole} {
					c.laws, c.changed = append(c.laws, l), append(c.changed, s.changed)
				}
				log, _ := l.after(1)
				r.Foreseen -= math.Expm1(log)
			}
		})
	}
	f.fit()
	r.Factor, r.FactorError = f.whole.factor, math.Inf(1)
	if len(f.whole.laws) > 0 {
		r.FactorError = 1 / math.Sqrt(f.information)
	}
	for i := range f.classes {
		r.Factors = append(r.Factors, f.classes[i].factor)
	}
	d.pull(pages, classOf, &f)
	return r, f
}

// fit finds the factors. The spread is that with which classes differ by chance as much as they do, by the
// mean of Cochran's Q, here from scores.
//
// Source: R. DerSimonian and N. Laird, Meta-analysis in clinical trials, Controlled Clinical Trials 7 (1986).
func (f *factors) fit() {
	f.whole.fit(1, 1)
	_, f.information = f.whole.score(math.Log(f.whole.factor))
	f.information++ // of the law around 1
	if len(f.classes) == 1 {
		f.classes[0].factor = f.whole.factor
		return
	}
	excess, all, squares := 1., 0., 0. // of Q over what it is without differences: the number of classes less 1
	for i := range f.classes {
		if score, own := f.classes[i].score(math.Log(f.whole.factor)); own > 0 {
			excess += score*score/own - 1
			all += own
			squares += own * own
		}
	}
	f.spread = leastSpread * leastSpread
	if room := all - squares/all; room > 0 {
		f.spread = max(f.spread, excess/room)
	}
	for i := range f.classes {
		f.classes[i].fit(f.whole.factor, 1/f.spread)
	}
}

// pull finds by how much factors move the time with up-to-date copies.
func (d Day) pull(pages []Page, classOf []int, f *factors) {
	const step = 1e-4 // of the logarithm of the factor
	for i := range pages {
		p, c := &pages[i], &f.classes[class(classOf, i)]
		time := func(factor float64) (sum float64) {
			d.spans(p, func(s span) { sum += p.law(factor).within(s) })
			return sum
		}
		c.lever += d.counts(p) * (time(c.factor*math.Exp(step)) - time(c.factor*math.Exp(-step))) / (2 * step)
	}
	common := 0. // what the factor of all pages moves
	for i := range f.classes {
		c := &f.classes[i]
		_, own := c.score(math.Log(c.factor))
		left := 1 / (1 + own*f.spread) // the part of the factor that the class itself does not tell
		c.reach = c.lever * f.spread * left
		common += c.lever * left
		f.variance += c.lever * left * c.lever * left * f.spread
	}
	for i := range f.classes {
		f.classes[i].reach += common / f.information
	}
}

// score returns the derivative of the logarithm of the likelihood by that of the factor, and the information of
// Fisher.
func (c *factorOf) score(log float64) (score, information float64) {
	factor := math.Exp(log)
	for i, l := range c.laws {
		l.rate *= factor
		none, slope := l.after(1)
		odds := 1 / math.Expm1(-none)
		if information += slope * slope * odds; c.changed[i] {
			score += slope * odds
		} else {
			score -= slope
		}
	}
	return score, information
}

// fit finds the most likely factor, where its logarithm has a normal law around that of a middle, with the
// inverse of a variance: so it is neither 0 if no page had changed, nor infinite if all had.
func (c *factorOf) fit(middle, precision float64) {
	center := math.Log(middle)
	low, high := center-30, center+30 // the score falls
	for range 60 {
		log := (low + high) / 2
		if score, _ := c.score(log); score > (log-center)*precision {
			low = log
		} else {
			high = log
		}
	}
	c.factor = math.Exp(low)
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
