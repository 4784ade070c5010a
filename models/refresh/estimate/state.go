package estimate

// Saved histories and logs.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// historyVersion begins a saved History. Others are refused.
const historyVersion = 3

// kinds returns all groups of a history, in the order in which they are saved.
func (h *History) kinds() []*gapGroups {
	kinds := []*gapGroups{&h.unchanged, &h.changed}
	if h.signals != nil {
		for i := range h.signals.changed {
			kinds = append(kinds, &h.signals.changed[i])
		}
	}
	return kinds
}

// What the lowest bits of the number of gaps in a saved group say; the number stands above
// them.
const (
	savedLow    = 1 << iota // the sum has more digits than a float64
	savedSpread             // the gaps differ
	savedShift  = iota
)

// AppendBinary appends the history in a form of its own: few bytes, and for each group of
// gaps 9 if it has one gap, mostly 18 if it has equal gaps, and up to 36.
func (h *History) AppendBinary(dst []byte) ([]byte, error) {
	kinds := h.kinds()
	dst = append(dst, historyVersion, byte(len(kinds)))
	for _, kind := range kinds {
		dst = append(dst, byte(len(*kind)))
		for i := range *kind {
			dst = (*kind)[i].appendBinary(dst)
		}
	}
	if h.signals != nil {
		dst = binary.AppendUvarint(dst, uint64(h.signals.idle))
		dst = binary.AppendUvarint(dst, uint64(h.signals.many))
	}
	return dst, nil
}

func (g *gaps) appendBinary(dst []byte) []byte {
	head := uint64(g.count) << savedShift
	if g.sum.Lo != 0 {
		head |= savedLow
	}
	if g.least != g.most {
		head |= savedSpread
	}
	dst = binary.AppendUvarint(dst, head)
	dst = appendFloat(dst, g.least)
	if g.least != g.most {
		dst = appendFloat(dst, g.most)
	}
	if g.count > 1 { // of one gap the sum is the gap
		dst = appendFloat(dst, g.sum.Hi)
	}
	if g.sum.Lo != 0 {
		dst = appendFloat(dst, g.sum.Lo)
	}
	return dst
}

func appendFloat(dst []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
}

// UnmarshalBinary replaces the history by a saved one. Data that no history can
// have written is refused and changes nothing.
func (h *History) UnmarshalBinary(data []byte) error {
	r := savedReader{data: data}
	read := r.history()
	if r.failed || len(r.data) > 0 {
		return fmt.Errorf("estimate: these %d bytes are not a history of version %d", len(data), historyVersion)
	}
	valid := true
	for _, kind := range read.kinds() {
		for i := range *kind {
			valid = valid && (*kind)[i].plausible() && (i == 0 || (*kind)[i-1].most < (*kind)[i].least)
		}
	}
	if s := read.signals; s != nil {
		most := s.changed[signalClasses-1].count()
		valid = valid && s.idle >= 0 && s.many >= signalClasses*most && (most > 0 || s.many == 0)
	}
	if !valid {
		return errors.New("estimate: the numbers of a saved history contradict each other")
	}
	*h = read
	return nil
}

// plausible reports whether there are gaps with this number, sum, least and most, but for
// rounding. Gaps are counted one by one: 2⁵³ is out of reach.
func (g *gaps) plausible() bool {
	if !(g.count > 0 && g.count < 1<<53 && leastGap <= g.least && g.least <= g.most && g.most <= greatestGap &&
		g.sum == doubledouble.TwoSum(g.sum.Hi, g.sum.Lo)) {
		return false
	}
	mean := g.sum.Float() / float64(g.count)
	return mean >= g.least*(1-1e-15) && mean <= g.most*(1+1e-15)
}

// A savedReader takes saved values from the front of data; once it has failed, all are 0.
type savedReader struct {
	data   []byte
	failed bool
}

func (r *savedReader) bytes(n int) []byte {
	if r.failed = r.failed || len(r.data) < n; r.failed {
		return make([]byte, n)
	}
	taken := r.data[:n]
	r.data = r.data[n:]
	return taken
}

func (r *savedReader) float() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(r.bytes(8)))
}

func (r *savedReader) uvarint() uint64 {
	x, n := binary.Uvarint(r.data)
	if r.failed = r.failed || n <= 0; r.failed {
		return 0
	}
	r.data = r.data[n:]
	return x
}

func (r *savedReader) history() (h History) {
	r.failed = r.bytes(1)[0] != historyVersion || r.failed
	if r.bytes(1)[0] > 2 {
		h.signals = &signals{}
	}
	for _, kind := range h.kinds() {
		groups := int(r.bytes(1)[0])
		if r.failed = r.failed || groups > MaxKeptGaps; r.failed {
			return h
		}
		for range groups {
			*kind = append(*kind, r.gaps())
		}
	}
	if h.signals != nil {
		h.signals.idle, h.signals.many = int64(r.uvarint()), int64(r.uvarint())
	}
	return h
}

func (r *savedReader) gaps() gaps {
	head := r.uvarint()
	g := gaps{count: int64(head >> savedShift), least: r.float()}
	g.most, g.sum.Hi = g.least, g.least
	if head&savedSpread != 0 {
		g.most = r.float()
	}
	if g.count > 1 {
		g.sum.Hi = r.float()
	}
	if head&savedLow != 0 {
		g.sum.Lo = r.float()
	}
	return g
}

// What is known of the last access of a saved log, in its first byte.
const (
	savedBegun = 1 << iota
	savedDigested
	savedGone
)

// AppendBinary appends the log in a form of its own: up to 20 bytes and its history. Unit
// is not saved.
func (a *AccessLog) AppendBinary(dst []byte) ([]byte, error) {
	state := byte(0)
	if a.begun {
		state |= savedBegun
	}
	if a.digested {
		state |= savedDigested
	}
	if a.gone {
		state |= savedGone
	}
	dst = appendFloat(append(dst, state), a.last)
	if a.digested {
		dst = binary.LittleEndian.AppendUint64(dst, a.digest)
	}
	return a.history.AppendBinary(binary.AppendUvarint(dst, uint64(a.signals)))
}

// UnmarshalBinary replaces the log by a saved one, and leaves Unit as it is. Data that no log can have written is
// refused and changes nothing.
func (a *AccessLog) UnmarshalBinary(data []byte) error {
	r := savedReader{data: data}
	state := r.bytes(1)[0]
	read := AccessLog{Unit: a.Unit, begun: state&savedBegun != 0, digested: state&savedDigested != 0, gone: state&savedGone != 0, last: r.float()}
	if read.digested {
		read.digest = binary.LittleEndian.Uint64(r.bytes(8))
	}
	read.signals = int64(r.uvarint())
	if r.failed || state >= savedGone<<1 || !finite(read.last) || read.signals < 0 {
		return fmt.Errorf("estimate: these %d bytes are not a log of accesses", len(data))
	}
	if err := read.history.UnmarshalBinary(r.data); err != nil {
		return err
	}
	*a = read
	return nil
}
