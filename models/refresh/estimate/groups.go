package estimate

// This file groups gaps by their length: some of them equal, or many different ones
// merged into few.

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// A kind of gaps is those without a change, or those with one and 0, 1, 2 or more signals.
type kind uint8

const (
	sawNone   kind = iota
	sawChange      // sawChange + n has n signals

	lastKind = sawChange + 3 // 3 signals or more
)

// gaps are some gaps between two accesses. Its fields are those of a saved log.
type gaps struct {
	Kind           kind
	Count, Signals int64 // Signals in all of them
	Least, Most    float64
	Sum            doubledouble.Number
}

// mean returns the mean gap, the gap itself where all are equal.
func (g *gaps) mean() float64 {
	return min(max(g.Sum.Float()/float64(g.Count), g.Least), g.Most)
}

// take adds a gap to those of its kind.
func (h *History) take(k kind, gap float64, signals int64) {
	at, known := slices.BinarySearchFunc(h.groups, gap, func(g gaps, gap float64) int {
		switch {
		case g.Kind < k || g.Kind == k && g.Most < gap:
			return -1
		case g.Kind > k || g.Least > gap:
			return 1
		}
		return 0
	})
	if !known {
		h.groups = slices.Insert(h.groups, at, gaps{Kind: k, Least: gap, Most: gap})
	}
	g := &h.groups[at]
	g.Count++
	g.Signals += signals
	g.Sum = g.Sum.AddFloat(gap)
	if !known {
		h.merge(k)
	}
}

// merge joins two neighbours where there are more than MaxKeptGaps groups of a kind: those
// with the smallest ratio of greatest to least gap, the first such pair.
func (h *History) merge(k kind) {
	count, best, bestRatio := 0, 0, math.Inf(1)
	for i := range h.groups {
		if h.groups[i].Kind != k {
			continue
		}
		if count++; count == 1 {
			continue
		}
		if ratio := h.groups[i].Most / h.groups[i-1].Least; ratio < bestRatio {
			best, bestRatio = i, ratio
		}
	}
	if count <= MaxKeptGaps {
		return
	}
	first, second := &h.groups[best-1], &h.groups[best]
	first.Count += second.Count
	first.Signals += second.Signals
	first.Sum = first.Sum.Add(second.Sum)
	first.Most = second.Most
	h.groups = slices.Delete(h.groups, best, best+1)
}
