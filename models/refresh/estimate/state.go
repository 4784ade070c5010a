package estimate

// Saved histories.

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// historyVersion begins a saved History. Version 1 held sums as one float64,
// rounded at every access.
const historyVersion = 2

// savedHistory and savedGroup are the fixed parts of a saved History: the gaps without
// a change, and each group of gaps with one.
type (
	savedHistory struct {
		Version, Groups uint8
		Count           int64
		Sum             doubledouble.Number
	}
	savedGroup struct {
		Count       int64
		Sum         doubledouble.Number
		Least, Most float64
	}
)

// AppendBinary appends the history in a form of its own: 26 bytes and 40 more
// for each group of gaps with a change.
func (h *History) AppendBinary(dst []byte) ([]byte, error) {
	groups := make([]savedGroup, len(h.changed))
	for i, g := range h.changed {
		groups[i] = savedGroup{g.count, g.sum, g.least, g.most}
	}
	dst, err := binary.Append(dst, binary.LittleEndian, savedHistory{historyVersion, uint8(len(groups)), h.unchanged.count, h.unchanged.sum})
	if err != nil {
		return dst, err
	}
	return binary.Append(dst, binary.LittleEndian, groups)
}

// UnmarshalBinary replaces the history by a saved one. Data that no history can
// have written is refused and changes nothing.
func (h *History) UnmarshalBinary(data []byte) error {
	var head savedHistory
	used, err := binary.Decode(data, binary.LittleEndian, &head)
	if err != nil || head.Version != historyVersion {
		return fmt.Errorf("estimate: these %d bytes are not a history of version %d", len(data), historyVersion)
	}
	groups := make([]savedGroup, head.Groups)
	if head.Groups > MaxKeptGaps || len(data) != used+binary.Size(groups) {
		return fmt.Errorf("estimate: a history of %d groups of gaps cannot have %d bytes", head.Groups, len(data))
	}
	if _, err := binary.Decode(data[used:], binary.LittleEndian, groups); err != nil {
		return err
	}
	read := History{unchanged: gaps{count: head.Count, sum: head.Sum}}
	valid := read.unchanged == gaps{} || read.unchanged.plausible(leastGap, greatestGap)
	for i, saved := range groups {
		g := gaps{saved.Count, saved.Sum, saved.Least, saved.Most}
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
