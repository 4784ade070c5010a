// This file has the law of how often pages change, as it was measured.

package site

import "math/rand/v2"

// Classes is a distribution with finitely many values.
type Classes []Class

// A Class is a value and its probability.
type Class struct{ Share, Value float64 }

// Draw implements [Law].
func (c Classes) Draw(random *rand.Rand) float64 { return c.Quantile(random.Float64()) }

// Quantile returns the value at a share u, from 0 to 1, of all, in the order of the classes.
func (c Classes) Quantile(u float64) float64 {
	for _, class := range c {
		if u -= class.Share; u < 0 {
			return class.Value
		}
	}
	return c[len(c)-1].Value // the shares add up to a little less than 1
}

// Mean implements [Law].
func (c Classes) Mean() float64 {
	mean := 0.0
	for _, class := range c {
		mean += class.Share * class.Value
	}
	return mean
}

// ChoGarciaMolina returns the change rates that J. Cho and H. Garcia-Molina found when they
// fetched 720,000 pages of 270 sites every day for four months: 23 % of the pages change once in
// a day, 15 % in a week, 16 % in a month, 16 % in four months and 30 % in a year. A day is so
// many units of time long: 1 for rates per day, 86400 for rates per second.
//
// Source: J. Cho and H. Garcia-Molina, The evolution of the web and implications for an
// incremental crawler, Proc. VLDB 2000, of the shares; the same, Effective page refresh policies
// for web crawlers, ACM Transactions on Database Systems 28 (2003), of the interval that stands
// for each class. The shares are as they are quoted; that all pages once a month gives the
// freshness and the age that the second paper prints, 0.57 and 5.6 days, is a test of package
// freshness.
func ChoGarciaMolina(day float64) Classes {
	return Classes{{0.23, 1 / day}, {0.15, 1 / (7 * day)}, {0.16, 1 / (30 * day)}, {0.16, 1 / (120 * day)}, {0.30, 1 / (365 * day)}}
}
