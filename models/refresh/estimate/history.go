package estimate

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// MaxKeptGaps is the number of different gaps with a change behind them that a
// [History] keeps apart.
const MaxKeptGaps = 32

// The gaps that are allowed, in the unit of time that is the caller's.
const leastGap, greatestGap = 1e-100, 1e100

// A History is what the accesses of one page have shown: how long after the
// access before, and whether the page had changed meanwhile. The zero value is
// the empty history.
//
// It takes little memory, however many accesses there were. The likelihood of
// a change rate Δ is Π_unchanged e^{−Δτ}·Π_changed (1 − e^{−Δτ}), so of the gaps
// without a change their sum is enough. It is kept with twice the digits of a
// float64, to n·2^−105 of itself after n gaps: however many there are, and in
// whatever order, the float64 nearest to it is that of the exact sum, but for a
// unit in the last place where the two are that close to the middle between two
// float64. The gaps with a change are kept exactly as long as they have at most
// [MaxKeptGaps] different values; a crawler that comes back at regular times
// never has more. Beyond that, the two groups of gaps whose ratio is closest to 1
// are merged, and of a merged group the number, the sum, the least and the
// greatest gap are known. [Estimate.Lower] and [Estimate.Upper] say what that can
// have done to the rate: with gaps spread over a factor of 10, 0.1% or so, and
// 0.5% where of a million accesses all but one saw a change. Which groups there
// are then depends on the order of the gaps.
type History struct {
	unchanged gaps
	changed   []gaps // by least gap, disjoint
}

// gaps are some gaps between two accesses.
type gaps struct {
	count       int64
	sum         doubledouble.Number
	least, most float64
}

// mean returns the mean gap, the gap itself where all are equal.
func (g *gaps) mean() float64 {
	return min(max(g.sum.Float()/float64(g.count), g.least), g.most)
}

// add takes up a gap from least to most.
func (g *gaps) add(gap float64) {
	g.count++
	g.sum = g.sum.AddFloat(gap)
}

// Add takes up an access that came gap after the one before and found the page
// changed or not. Gaps from 1e−100 to 1e100 are allowed, so that nothing
// overflows in whatever unit they are; others are an error and leave the
// history as it was.
func (h *History) Add(gap float64, changed bool) error {
	if !(gap >= leastGap && gap <= greatestGap) {
		return fmt.Errorf("estimate: gap between two accesses: %s", wording.Invalid(gap, fmt.Sprintf("a number from %v to %v", leastGap, greatestGap)))
	}
	if !changed {
		h.unchanged.add(gap)
		return nil
	}
	at := sort.Search(len(h.changed), func(i int) bool { return gap <= h.changed[i].most })
	if at < len(h.changed) && gap >= h.changed[at].least {
		h.changed[at].add(gap)
		return nil
	}
	h.changed = slices.Insert(h.changed, at, gaps{1, doubledouble.FromFloat(gap), gap, gap})
	if len(h.changed) > MaxKeptGaps {
		h.merge()
	}
	return nil
}

// merge joins the two neighbours with the smallest ratio of greatest to least
// gap, the first such pair.
func (h *History) merge() {
	best, bestRatio := 0, math.Inf(1)
	for i := range len(h.changed) - 1 {
		if ratio := h.changed[i+1].most / h.changed[i].least; ratio < bestRatio {
			best, bestRatio = i, ratio
		}
	}
	first, second := &h.changed[best], h.changed[best+1]
	first.count += second.count
	first.sum = first.sum.Add(second.sum)
	first.most = second.most
	h.changed = slices.Delete(h.changed, best+1, best+2)
}

// Accesses returns the number of accesses taken up.
func (h *History) Accesses() int64 { return h.unchanged.count + h.Changes() }

// Changes returns the number of those that saw a change.
func (h *History) Changes() int64 {
	count := int64(0)
	for _, group := range h.changed {
		count += group.count
	}
	return count
}

// Estimate returns the change rate of maximum likelihood, the root Δ of
//
//	Σ_changed τ/(e^{Δτ} − 1) = Σ_unchanged τ,
//
// with its standard error. Where no access or every access saw a change, there
// is none, and the estimate is smoothed: see [Smoothing]. An empty history gives
// [ErrNoHistory].
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
	l := likelihood{unchanged: h.unchanged.sum.Float()}
	exact := true
	for _, group := range h.changed {
		l.add(float64(group.count), group.mean())
		exact = exact && group.least == group.most
	}
	mean := (l.sum + l.unchanged) / float64(estimate.Accesses)
	switch estimate.Changes {
	case 0:
		estimate.Smoothing = NoneChanged
		l.add(0.5, mean)
	case estimate.Accesses:
		estimate.Smoothing = AllChanged
		l.unchanged = mean / 2
	}
	estimate.Lower = l.root()
	estimate.Rate, estimate.Upper = estimate.Lower, estimate.Lower
	if !exact {
		spread := likelihood{unchanged: l.unchanged}
		for _, group := range h.changed {
			// The same number and sum, as far apart as they can be.
			high := 0.
			if group.most > group.least {
				high = (group.mean() - group.least) / (group.most - group.least)
			}
			high = min(max(high, 0), 1)
			spread.add(float64(group.count)*high, group.most)
			spread.add(float64(group.count)*(1-high), group.least)
		}
		estimate.Upper = max(spread.root(), estimate.Lower)
		estimate.Rate = estimate.Lower + (estimate.Upper-estimate.Lower)/2
	}
	estimate.StandardError = 1 / math.Sqrt(l.information(estimate.Rate))
	return estimate, nil
}
