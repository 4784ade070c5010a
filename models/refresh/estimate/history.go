package estimate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// The gaps that are allowed, in the unit of time that is the caller's.
const leastGap, greatestGap = 1e-100, 1e100

// A History is what the accesses of one page have shown: for each, the gap since the
// access before, and whether the page had changed meanwhile. The zero value is the
// empty history.
//
// It takes little memory, however many accesses there were. The likelihood of a change rate Δ is
// Π_unchanged e^{−Δτ}·Π_changed (1 − e^{−Δτ}). So of gaps without a change only the sum counts. Gaps
// with a change are kept in groups of about the same length, a 32nd of an octave or less, each with
// its number and sum. This is exact if all gaps of a group are equal, as with a crawler that comes
// back at regular times. Otherwise rates are off by less than 1e−4 of themselves, and 3e−4 where a
// page changes four times between accesses. Sums have twice the digits of a float64, so that the
// order of accesses does not matter.
type History struct {
	groups []gaps // those without a change first, then by length
}

// gaps are some gaps between two accesses, of about the same length. Its fields are those of a
// saved log.
type gaps struct {
	Changed bool
	Length  uint16 // the first bits of each gap: its exponent, and 5 more
	Count   int64
	Sum     doubledouble.Number
}

// mean returns the mean gap.
func (g *gaps) mean() float64 { return g.Sum.Float() / float64(g.Count) }

// inOrder compares groups for their order.
func inOrder(a, b gaps) int {
	switch {
	case a.Changed == b.Changed:
		return cmp.Compare(a.Length, b.Length)
	case a.Changed:
		return 1
	}
	return -1
}

// Add takes up an access that came gap after the one before and found the page
// changed or not. Gaps from 1e−100 to 1e100 are allowed, so that nothing
// overflows in any unit; others are an error and leave the
// history as it was.
func (h *History) Add(gap float64, changed bool) error {
	if !(gap >= leastGap && gap <= greatestGap) {
		return fmt.Errorf("estimate: gap between two accesses: %s", wording.Invalid(gap, fmt.Sprintf("a number from %v to %v", leastGap, greatestGap)))
	}
	group := gaps{Changed: changed, Length: uint16(math.Float64bits(gap) >> 47)}
	at, known := slices.BinarySearchFunc(h.groups, group, inOrder)
	if !known {
		h.groups = slices.Insert(h.groups, at, group)
	}
	g := &h.groups[at]
	g.Count++
	g.Sum = g.Sum.AddFloat(gap)
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
		if h.groups[i].Changed {
			count += h.groups[i].Count
		}
	}
	return count
}

// idle returns the sum of the gaps without a change.
func (h *History) idle() float64 {
	sum := doubledouble.Number{}
	for i := range h.groups {
		if g := &h.groups[i]; !g.Changed {
			sum = sum.Add(g.Sum)
		}
	}
	return sum.Float()
}

// Estimate returns the change rate of maximum likelihood, the root Δ of
//
//	Σ_changed τ/(e^{Δτ} − 1) = Σ_unchanged τ,
//
// with its standard error. Where no access or every access saw a change, there
// is none, and the estimate is smoothed: see [Smoothing]. An empty history gives
// [ErrNoHistory].
//
// The left side is convex and decreasing in Δ, and so is its logarithm; Newton's method
// on the logarithm climbs to the root from the left without overshooting, starting at
// ln(1 + S/T)·X/S for X changes after gaps of sum S and gaps of sum T without a change:
// exact if the gaps with a change are equal, and below the root if not, by Jensen's
// inequality, as τ/(e^{Δτ} − 1) is convex in τ as well. Rounding moves the root by less
// than 4e−15 of itself: a relative error of either side makes no greater relative error
// of the rate.
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
		e.add(0.5, mean)
	case estimate.Accesses:
		estimate.Smoothing = AllChanged
		e.idle = mean / 2
	}
	estimate.Rate = e.likeliest()
	_, curvature := e.slopes(estimate.Rate)
	estimate.StandardError = 1 / math.Sqrt(-curvature)
	return estimate, nil
}
