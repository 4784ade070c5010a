package review

// This file finds by what factors true change rates exceed the given ones, for all pages and for classes.

import "math"

// A factorOf is the factor of a class of pages, as estimated from outcomes.
type factorOf struct {
	factor   float64
	outcomes []outcome

	lever float64 // the derivative of the weighted time with up-to-date copies, by the logarithm of the factor
	reach float64 // the derivative of that time by the score of the class, which moves all factors
}

// An outcome is what an access tells of a page. The weights of a page's outcomes add up to 1, however many there
// are: all are about one change rate, which may be wrong by another factor than others of its class.
type outcome struct {
	law     law // of changes; its unit is the time since the access before
	changed bool
	weight  float64
}

// factors are the factors of classes. Their logarithms are taken to have a normal law around that of all pages, so
// a class of which the log tells little gets nearly the factor of all pages.
type factors struct {
	classes     []factorOf
	whole       factorOf
	information float64 // on the logarithm of whole.factor
	spread      float64 // variance of the logarithms of factors of classes
	variance    float64 // of the weighted time with up-to-date copies, as far as it comes from the spread
}

// leastSpread is the least standard deviation of these logarithms: change rates are not known better than to a
// tenth.
const leastSpread = 0.1

// result counts accesses, collects their outcomes and finds the factors.
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
		told := d.told(p)
		d.spans(p, func(s span) {
			if !s.told {
				return
			}
			r.Told++
			if s.changed {
				r.Changed++
			}
			if z := p.ChangeRate * (s.to - s.made); z > 0 { // no factor corrects a rate of 0
				o := outcome{law{z, p.law(1).shape}, s.changed, 1 / float64(told)}
				for _, c := range []*factorOf{&f.classes[class(classOf, i)], &f.whole} {
					c.outcomes = append(c.outcomes, o)
				}
				log, _ := o.law.after(1)
				r.Foreseen -= math.Expm1(log)
			}
		})
	}
	f.fit()
	r.Factor, r.FactorError = f.whole.factor, math.Inf(1)
	if len(f.whole.outcomes) > 0 {
		r.FactorError = 1 / math.Sqrt(f.information)
	}
	for i := range f.classes {
		r.Factors = append(r.Factors, f.classes[i].factor)
	}
	d.levers(pages, classOf, &f)
	return r, f
}

// fit finds the factors. The spread is the one with which the mean of Cochran's Q, here computed from scores, is the
// Q of the outcomes.
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
	excess, all, squares := 1., 0., 0. // excess: Q minus its mean if classes are alike, their number less 1
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

// levers finds by how much factors move the time with up-to-date copies.
func (d Day) levers(pages []Page, classOf []int, f *factors) {
	const step = 1e-4 // of the logarithm of the factor
	for i := range pages {
		p, c := &pages[i], &f.classes[class(classOf, i)]
		time := func(factor float64) (sum float64) {
			d.spans(p, func(s span) { sum += p.law(factor).within(s) })
			return sum
		}
		c.lever += d.weight(p) * (time(c.factor*math.Exp(step)) - time(c.factor*math.Exp(-step))) / (2 * step)
	}
	common := 0. // the derivative by the logarithm of the factor of all pages
	for i := range f.classes {
		c := &f.classes[i]
		_, own := c.score(math.Log(c.factor))
		left := 1 / (1 + own*f.spread) // the weight of the factor of all pages in that of the class
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
	for _, o := range c.outcomes {
		o.law.rate *= factor
		none, slope := o.law.after(1)
		odds := 1 / math.Expm1(-none)
		if information += o.weight * slope * slope * odds; o.changed {
			score += o.weight * slope * odds
		} else {
			score -= o.weight * slope
		}
	}
	return score, information
}

// fit finds the most likely factor if its logarithm has a normal law around that of middle; precision is the
// inverse of the variance. So the factor is neither 0 if no page had changed, nor infinite if all had.
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
