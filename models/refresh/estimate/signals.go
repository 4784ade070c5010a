package estimate

// This file takes up change signals.

import (
	"fmt"
	"iter"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// signalClasses are the numbers of signals in a gap that are kept apart: 1, 2, and 3 or more.
const signalClasses = 3

// signals are what change signals a history has.
type signals struct {
	idle    int64 // in gaps without a change: all of them false
	changed [signalClasses]gapGroups
	many    int64 // in all gaps of the last class
}

// AddSignalled is [History.Add] for a page whose changes may be signalled: so many change
// signals (a newer date in a sitemap, a ping) have come in the gap. Signals may be false,
// and changes may come without one: how often, [Fit] finds from the histories of many pages.
// Of gaps with a change and 3 signals or more the mean number of signals is kept.
func (h *History) AddSignalled(gap float64, count int64, changed bool) error {
	if !(gap >= leastGap && gap <= greatestGap) {
		return fmt.Errorf("estimate: gap between two accesses: %s", wording.Invalid(gap, fmt.Sprintf("a number from %v to %v", leastGap, greatestGap)))
	}
	if count < 0 {
		return fmt.Errorf("estimate: signals between two accesses: %s", wording.Invalid(count, "0 or more"))
	}
	if count > 0 && h.signals == nil {
		h.signals = &signals{}
	}
	switch {
	case !changed:
		h.unchanged.add(gap)
		if count > 0 {
			h.signals.idle += count
		}
	case count == 0:
		h.changed.add(gap)
	default:
		h.signals.changed[min(count, signalClasses)-1].add(gap)
		if count >= signalClasses {
			h.signals.many += count
		}
	}
	return nil
}

// Signals returns the number of change signals in all gaps.
func (h *History) Signals() int64 {
	if h.signals == nil {
		return 0
	}
	count := h.signals.idle + h.signals.many
	for i, groups := range h.signals.changed[:signalClasses-1] {
		count += int64(i+1) * groups.count()
	}
	return count
}

// allChanged returns the gaps with a change, by the mean number of signals in each of them.
func (h *History) allChanged() iter.Seq2[gapGroups, float64] {
	return func(yield func(gapGroups, float64) bool) {
		if !yield(h.changed, 0) || h.signals == nil {
			return
		}
		for i, groups := range h.signals.changed {
			mean := float64(i + 1)
			if i == signalClasses-1 {
				mean = float64(h.signals.many) / max(float64(groups.count()), 1)
			}
			if !yield(groups, mean) {
				return
			}
		}
	}
}
