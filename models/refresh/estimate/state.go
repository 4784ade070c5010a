package estimate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// historyVersion begins a saved History. Version 1 held sums as one float64,
// rounded at every access.
const historyVersion = 2

// historyHead and historyGroup are the numbers of bytes of a history without
// groups of gaps, and of each group.
const (
	historyHead  = 2 + 3*8
	historyGroup = 5 * 8
)

// AppendBinary appends the history in a form of its own: 26 bytes and 40 more
// for each group of gaps with a change.
func (h *History) AppendBinary(dst []byte) ([]byte, error) {
	dst = append(dst, historyVersion, byte(len(h.changed)))
	dst = h.unchanged.append(dst)
	for _, g := range h.changed {
		dst = g.append(dst)
		dst = appendFloats(dst, g.least, g.most)
	}
	return dst, nil
}

// append appends the number and the sum.
func (g *gaps) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(g.count))
	return appendFloats(dst, g.sum.Hi, g.sum.Lo)
}

func appendFloats(dst []byte, numbers ...float64) []byte {
	for _, number := range numbers {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(number))
	}
	return dst
}

// UnmarshalBinary replaces the history by a saved one. Data that no history can
// have written is refused and changes nothing.
func (h *History) UnmarshalBinary(data []byte) error {
	if len(data) < historyHead || data[0] != historyVersion {
		return fmt.Errorf("estimate: these %d bytes are not a history of version %d", len(data), historyVersion)
	}
	groups, rest := int(data[1]), data[2:]
	if groups > MaxKeptGaps || len(data) != historyHead+historyGroup*groups {
		return fmt.Errorf("estimate: a history of %d groups of gaps in %d bytes found; allowed are up to %d groups of %d bytes, and %d more",
			groups, len(data), MaxKeptGaps, historyGroup, historyHead)
	}
	next := func() uint64 {
		number := binary.LittleEndian.Uint64(rest)
		rest = rest[8:]
		return number
	}
	float := func() float64 { return math.Float64frombits(next()) }
	read := History{unchanged: gaps{count: int64(next()), sum: doubledouble.Number{Hi: float(), Lo: float()}}}
	valid := read.unchanged == gaps{} || read.unchanged.plausible(leastGap, greatestGap)
	for i := range groups {
		g := gaps{int64(next()), doubledouble.Number{Hi: float(), Lo: float()}, float(), float()}
		valid = valid && g.least >= leastGap && g.most <= greatestGap && g.plausible(g.least, g.most) &&
			(i == 0 || read.changed[i-1].most < g.least)
		read.changed = append(read.changed, g)
	}
	if !valid {
		return errors.New("estimate: the numbers of a saved history contradict each other")
	}
	*h = read
	return nil
}

// plausible reports whether there are gaps from least to most with this number
// and this sum, but for rounding. Gaps are counted one by one: 2⁵³ is out of
// reach.
func (g *gaps) plausible(least, most float64) bool {
	if !(g.count > 0 && g.count < 1<<53 && least <= most && g.sum == doubledouble.TwoSum(g.sum.Hi, g.sum.Lo)) {
		return false
	}
	mean := g.sum.Float() / float64(g.count)
	return mean >= least*(1-1e-15) && mean <= most*(1+1e-15)
}
