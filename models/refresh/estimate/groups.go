package estimate

// This file groups gaps by their length: some of them equal, or many different ones
// merged into few.

import (
	"math"
	"slices"
	"sort"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

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

// gapGroups are gaps in groups that do not overlap, by length; at most MaxKeptGaps of them.
type gapGroups []gaps

// add takes up a gap.
func (g *gapGroups) add(gap float64) {
	groups := *g
	at := sort.Search(len(groups), func(i int) bool { return gap <= groups[i].most })
	if at < len(groups) && gap >= groups[at].least {
		groups[at].add(gap)
		return
	}
	*g = slices.Insert(groups, at, gaps{1, doubledouble.FromFloat(gap), gap, gap})
	if len(*g) > MaxKeptGaps {
		g.merge()
	}
}

// merge joins the two neighbours with the smallest ratio of greatest to least
// gap, the first such pair.
func (g *gapGroups) merge() {
	groups := *g
	best, bestRatio := 0, math.Inf(1)
	for i := range len(groups) - 1 {
		if ratio := groups[i+1].most / groups[i].least; ratio < bestRatio {
			best, bestRatio = i, ratio
		}
	}
	first, second := &groups[best], groups[best+1]
	first.count += second.count
	first.sum = first.sum.Add(second.sum)
	first.most = second.most
	*g = slices.Delete(groups, best+1, best+2)
}

// count returns the number of gaps.
func (g *gapGroups) count() int64 {
	count := int64(0)
	for i := range *g {
		count += (*g)[i].count
	}
	return count
}

// sum returns the sum of all gaps.
func (g *gapGroups) sum() doubledouble.Number {
	sum := doubledouble.Number{}
	for i := range *g {
		sum = sum.Add((*g)[i].sum)
	}
	return sum
}
