package estimate

import "math"

// MaxKeptGaps is the number of different gaps with a change behind them that a
// [History] keeps apart, and of those without one.
const MaxKeptGaps = 32

// The gaps that are allowed, in the unit of time that is the caller's.
const leastGap, greatestGap = 1e-100, 1e100

// A History is what the accesses of one page have shown: how long after the
// access before, and whether the page had changed meanwhile. The zero value is
// the empty history.
//
// It takes little memory, however many accesses there were. The likelihood of
// a change rate Δ is Π_unchanged e^{−Δτ}·Π_changed (1 − e^{−Δτ}). Gaps are kept exactly
// as long as those with a change have at most [MaxKeptGaps] different values, and those
// without one, too; a crawler that comes back at regular times never has more. Beyond
// that, the two groups of gaps whose ratio is closest to 1 are merged, and of a merged
// group the number, the sum, the least and the greatest gap are known. Sums are kept with
// twice the digits of a float64, to n·2^−105 of themselves after n gaps: however many there
// are, and in whatever order, the float64 nearest to the sum of all gaps without a change,
// which is all that the likelihood needs of them, is that of the exact sum, but for a unit
// in the last place where the two are that close to the middle between two float64.
// [Estimate.Lower] and [Estimate.Upper] say what merging can have done to the rate: with
// gaps spread over a factor of 10, 0.1% or so, and 0.5% where of a million accesses all but
// one saw a change. Which groups there are then depends on the order of the gaps.
type History struct {
	unchanged, changed gapGroups
	signals            *signals // nil where there were none
}

// Add takes up an access that came gap after the one before and found the page
// changed or not. Gaps from 1e−100 to 1e100 are allowed, so that nothing
// overflows in whatever unit they are; others are an error and leave the
// history as it was.
func (h *History) Add(gap float64, changed bool) error { return h.AddSignalled(gap, 0, changed) }

// Accesses returns the number of accesses taken up.
func (h *History) Accesses() int64 { return h.unchanged.count() + h.Changes() }

// Changes returns the number of those that saw a change.
func (h *History) Changes() int64 {
	count := int64(0)
	for groups := range h.allChanged() {
		count += groups.count()
	}
	return count
}

// Estimate returns the change rate of maximum likelihood, the root Δ of
//
//	Σ_changed τ/(e^{Δτ} − 1) = Σ_unchanged τ,
//
// with its standard error. Where no access or every access saw a change, there
// is none, and the estimate is smoothed: see [Smoothing]. Signals do not count: for them
// see [Prior]. An empty history gives [ErrNoHistory].
//
// The left side is convex and decreasing in Δ, and so is its logarithm; Newton's
// method on the logarithm climbs to the root from the left without
// overshooting, starting at ln(1 + S/T)·X/S for X changes after gaps of sum S and
// gaps of sum T without a change: exact if the gaps with a change are equal, and
// below the root if not, by Jensen's inequality, as τ/(e^{Δτ} − 1) is convex in τ
// as well. For the same reason a merged group at its mean gives Lower, and dealt
// out to its least and greatest gap Upper. Rounding moves each of them by less
// than 4e−15 of itself: the rate answers to a relative error of either side with
// no more than the same.
func (h *History) Estimate() (Estimate, error) {
	estimate := Estimate{Accesses: h.Accesses(), Changes: h.Changes()}
	if estimate.Accesses == 0 {
		return Estimate{}, ErrNoHistory
	}
	var e evidence
	e.take(h)
	mean := (e.busy + e.idle) / float64(estimate.Accesses)
	switch estimate.Changes {
	case 0:
		estimate.Smoothing = NoneChanged
		e.add(0.5, mean, 0)
	case estimate.Accesses:
		estimate.Smoothing = AllChanged
		e.idle = mean / 2
	}
	estimate.Lower = e.likeliest()
	estimate.Rate, estimate.Upper = estimate.Lower, estimate.Lower
	exact := true
	spread := evidence{idle: e.idle}
	for groups := range h.allChanged() {
		for _, group := range groups {
			if group.least == group.most {
				spread.add(float64(group.count), group.least, 0)
				continue
			}
			// The same number and sum, as far apart as they can be.
			exact = false
			high := (group.mean() - group.least) / (group.most - group.least)
			spread.add(float64(group.count)*high, group.most, 0)
			spread.add(float64(group.count)*(1-high), group.least, 0)
		}
	}
	if !exact {
		estimate.Upper = max(spread.likeliest(), estimate.Lower)
		estimate.Rate = estimate.Lower + (estimate.Upper-estimate.Lower)/2
	}
	_, curvature := e.slopes(estimate.Rate, quality{})
	estimate.StandardError = 1 / math.Sqrt(-curvature)
	return estimate, nil
}
