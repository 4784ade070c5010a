package estimate

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

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
	groups []gaps // by kind, then by length; they do not overlap
}

// Add takes up an access that came gap after the one before and found the page
// changed or not. Gaps from 1e−100 to 1e100 are allowed, so that nothing
// overflows in whatever unit they are; others are an error and leave the
// history as it was.
func (h *History) Add(gap float64, changed bool) error { return h.AddSignalled(gap, 0, changed) }

// AddSignalled is [History.Add] for a page whose changes may be signalled: so many change
// signals (a newer date in a sitemap, a ping) have come in the gap. Signals may be false,
// and changes may come without one: how often, [Fit] finds from the histories of many pages.
// Gaps with a change and 3 signals or more are merged with each other, too.
func (h *History) AddSignalled(gap float64, count int64, changed bool) error {
	if !(gap >= leastGap && gap <= greatestGap) {
		return fmt.Errorf("estimate: gap between two accesses: %s", wording.Invalid(gap, fmt.Sprintf("a number from %v to %v", leastGap, greatestGap)))
	}
	if count < 0 {
		return fmt.Errorf("estimate: signals between two accesses: %s", wording.Invalid(count, "0 or more"))
	}
	k := sawNone
	if changed {
		k = sawChange + kind(min(count, int64(lastKind-sawChange)))
	}
	h.take(k, gap, count)
	return nil
}

// Accesses returns the number of accesses taken up.
func (h *History) Accesses() (count int64) {
	for i := range h.groups {
		count += h.groups[i].Count
	}
	return count
}

// Changes returns the number of those that saw a change.
func (h *History) Changes() (count int64) {
	for i := range h.groups {
		if h.groups[i].Kind != sawNone {
			count += h.groups[i].Count
		}
	}
	return count
}

// Signals returns the number of change signals in all gaps.
func (h *History) Signals() (count int64) {
	for i := range h.groups {
		count += h.groups[i].Signals
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
	for i := range h.groups {
		group := &h.groups[i]
		switch {
		case group.Kind == sawNone:
		case group.Least == group.Most:
			spread.add(float64(group.Count), group.Least, 0)
		default:
			// The same number and sum, as far apart as they can be.
			exact = false
			high := (group.mean() - group.Least) / (group.Most - group.Least)
			spread.add(float64(group.Count)*high, group.Most, 0)
			spread.add(float64(group.Count)*(1-high), group.Least, 0)
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
