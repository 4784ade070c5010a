package sequence

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// GoldenRatio is the golden ratio policy γ(k,N) of Coffman, Liu and Weber: a
// cycle of F_k slots, F_k a Fibonacci number, in which page i has ⌊f_i·F_k⌋ or
// ⌈f_i·F_k⌉ accesses, F_k in all (those with the largest remainders are rounded
// up, the lowest indices first). Points 1 … F_k are dealt to the pages in
// order, M_1 of them to the first, the next M_2 to the second; the slots are
// the points j in the order of the fractional parts of j/φ. The gaps between
// the accesses of a page then take three values at most, two of which are
// neighbours in the Fibonacci sequence and the third their sum. As the number of
// pages grows, the obsolescence exceeds the least possible one by at most 11%
// ([GoldenRatioFactor]; the paper has 5%), and the fresh share of time is at most
// 3.5% below the greatest possible one. [EarliestDeadlineFirst] comes closer.
//
// Pages whose share is far below 1/F_k may have no access at all. A longer cycle is
// closer to the shares.
//
// A slot costs O(log n), for finding the page of a point: the point itself
// follows from the one before by adding ±F_{k−1} modulo F_k, because F_{k−1}/F_k
// is so close to 1/φ that j/φ and j·F_{k−1}/F_k are in the same order, and
// F_{k−1}² ≡ (−1)^k modulo F_k.
//
// Source: Coffman, Liu, Weber, section 5; A. Itai and Z. Rosberg, A golden
// ratio control policy for a multiple-access channel, IEEE Transactions on
// Automatic Control 29 (1984).
type GoldenRatio struct {
	counted
	ends  []uint64 // M_1 + … + M_i
	cycle uint64   // F_k
	step  uint64   // ±F_{k−1} modulo F_k
	point uint64   // point of the next slot − 1
}

// greatestCycle is the greatest Fibonacci number below 2⁶²: the sums of points
// have to fit.
const greatestCycle = 2_880_067_194_370_816_120

// FibonacciAtLeast returns the least Fibonacci number 1, 2, 3, 5, 8, … that is
// slots or more.
//
// Special cases are:
//
//	FibonacciAtLeast(slots) = 1 for slots ≤ 1
//	FibonacciAtLeast(slots) = 2880067194370816120, the greatest one below 2⁶², for greater slots
func FibonacciAtLeast(slots int64) int64 {
	number, before := int64(1), int64(1)
	for number < slots && number < greatestCycle {
		number, before = number+before, number
	}
	return number
}

// usualCycle returns a cycle with some accesses even of the page with the least rate.
func usualCycle(rates []float64) int64 {
	const accesses, most = 32, 8_944_394_323_791_464 // the greatest Fibonacci number below 2⁵³
	sum, least := 0.0, math.Inf(1)
	for _, rate := range rates {
		if sum += rate; rate > 0 {
			least = min(least, rate)
		}
	}
	return FibonacciAtLeast(int64(math.Ceil(min(accesses*sum/least, most))))
}

// NewGoldenRatio returns the policy γ(k,N) for these rates, with F_k = cycle,
// a Fibonacci number up to 2880067194370816120: see
// [FibonacciAtLeast]. 0 stands for a cycle with about 32 accesses of the page with the least
// rate above 0. Rates are as for [NewEarliestDeadlineFirst].
func NewGoldenRatio(rates []float64, cycle int64) (*GoldenRatio, error) {
	if cycle == 0 {
		cycle = usualCycle(rates)
	}
	number, before, k := int64(1), int64(1), 2 // F_2, F_1
	for number < cycle && number < greatestCycle {
		number, before, k = number+before, number, k+1
	}
	if cycle != number {
		return nil, fmt.Errorf("sequence: a cycle of %s", wording.Invalid(fmt.Sprintf("%d slots", cycle),
			fmt.Sprintf("a Fibonacci number, 1, 2, 3, 5, 8 … %d", int64(greatestCycle))))
	}
	s, err := newPortions(rates)
	if err != nil {
		return nil, err
	}
	g := &GoldenRatio{ends: s.ofCycle(uint64(cycle)), cycle: uint64(cycle), step: uint64(before)}
	sum := uint64(0)
	for page := range g.ends {
		sum += g.ends[page]
		g.ends[page] = sum
	}
	// F_k/φ − F_{k−1} = −(−1/φ)^k: the point F_k, which stands for 0, is the
	// first of all for odd k and the last for even k.
	g.point = g.cycle - 1
	if k%2 == 1 {
		g.step = (g.cycle - g.step) % g.cycle
	} else {
		g.point = (g.point + g.step) % g.cycle
	}
	return g, nil
}

// ofCycle returns whole numbers of accesses that sum to cycle: the shares of
// the cycle rounded down, and those with the largest remainders rounded up.
func (s *portions) ofCycle(cycle uint64) []uint64 {
	counts := make([]uint64, len(s.parts))
	rests := make([]uint64, len(s.parts))
	order := make([]int32, len(s.parts))
	missing := cycle
	for page, part := range s.parts {
		counts[page], rests[page] = floorCount(cycle, part, s.total)
		missing -= counts[page]
		order[page] = int32(page)
	}
	if missing > 0 {
		slices.SortFunc(order, func(a, b int32) int {
			return cmp.Or(cmp.Compare(rests[b], rests[a]), cmp.Compare(a, b))
		})
	}
	for _, page := range order[:missing] {
		counts[page]++
	}
	return counts
}

// Next returns the page of the next slot.
func (g *GoldenRatio) Next() int {
	point := g.point
	g.point += g.step
	if g.point >= g.cycle {
		g.point -= g.cycle
	}
	g.slot++
	return sort.Search(len(g.ends), func(page int) bool { return point < g.ends[page] })
}
