package refresh

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// historyVersion begins a saved History.
const historyVersion = 1

// AppendBinary appends the history in a form of its own: 18 bytes and 32 more
// for each group of gaps with a change.
func (h *History) AppendBinary(dst []byte) ([]byte, error) {
	dst = append(dst, historyVersion, byte(len(h.changed)))
	dst = appendNumbers(dst, uint64(h.unchanged.count), math.Float64bits(h.unchanged.sum))
	for _, g := range h.changed {
		dst = appendNumbers(dst, uint64(g.count), math.Float64bits(g.sum), math.Float64bits(g.least), math.Float64bits(g.most))
	}
	return dst, nil
}

func appendNumbers(dst []byte, numbers ...uint64) []byte {
	for _, number := range numbers {
		dst = binary.LittleEndian.AppendUint64(dst, number)
	}
	return dst
}

// UnmarshalBinary replaces the history by a saved one. Data that no history can
// have written is refused and changes nothing.
func (h *History) UnmarshalBinary(data []byte) error {
	if len(data) < 18 || data[0] != historyVersion {
		return fmt.Errorf("refresh: these %d bytes are not a history of version %d", len(data), historyVersion)
	}
	groups, rest := int(data[1]), data[2:]
	if groups > MaxKeptGaps || len(rest) != 16+32*groups {
		return fmt.Errorf("refresh: a history of %d groups of gaps in %d bytes found; allowed are up to %d groups of 32 bytes, and 18 more", groups, len(data), MaxKeptGaps)
	}
	next := func() uint64 {
		number := binary.LittleEndian.Uint64(rest)
		rest = rest[8:]
		return number
	}
	read := History{unchanged: gaps{count: int64(next()), sum: math.Float64frombits(next())}}
	valid := read.unchanged.count == 0 && read.unchanged.sum == 0 ||
		read.unchanged.plausible(leastGap, greatestGap)
	for i := range groups {
		g := gaps{int64(next()), math.Float64frombits(next()), math.Float64frombits(next()), math.Float64frombits(next())}
		valid = valid && g.least >= leastGap && g.most <= greatestGap && g.plausible(g.least, g.most) &&
			(i == 0 || read.changed[i-1].most < g.least)
		read.changed = append(read.changed, g)
	}
	if !valid {
		return errors.New("refresh: the numbers of a saved history contradict each other")
	}
	*h = read
	return nil
}

// plausible reports whether there are gaps from least to most with this number
// and this sum, but for rounding. Gaps are counted one by one: 2⁵³ is out of
// reach.
func (g *gaps) plausible(least, most float64) bool {
	return g.count > 0 && g.count < 1<<53 && least <= most &&
		g.mean() >= least*(1-1e-9) && g.mean() <= most*(1+1e-9)
}
