package sequence

import (
	"cmp"
	"math/bits"
	"slices"
)

// BalancedWord realises shares by splitting the slots in two, each part in two
// again, and so on down to the pages. Each splitting is as regular as can be:
// of the first v slots of a part, ⌊v·g + ½⌋ go to the branch that has the share
// g of it, so that in any two stretches of equal length of that part the
// numbers of its slots differ by at most 1 (a balanced, or Sturmian, word).
//
// For two pages no sequence has a smaller expected obsolescence (Hajek). For
// more, words that are balanced for all pages at once do not exist in general,
// and splitting on, in the spirit of Arian and Levy's generalised round robin,
// is a heuristic. The tree joins the pages or groups with the smallest shares
// first, as in Huffman's code: pages of equal shares meet, and with shares that are
// powers of 1/2 each page has equal gaps. The count of page k after t slots is
// off its share by
//
//	|t·p_k − N_{k,t}| ≤ ½·Σ_a p_k/p_a,
//
// a being the page itself and the groups it is in, without that of all pages.
//
// A slot costs as many steps as the page is deep in the tree: on average no more
// than the entropy of the shares plus 1, so at most log₂ n + 1. Slots are worked
// out some hundred at a time, level by level of the tree, so that the memory is
// asked for many splits at once. It takes 32 bytes a page, and the state is the
// number of slots alone.
//
// Source: B. Hajek, Extremal splittings of point processes, Mathematics of
// Operations Research 10 (1985); Y. Arian and Y. Levy, Algorithms for
// generalized round robin routing, Operations Research Letters 12 (1992), both
// named by Coffman, Liu and Weber, section 3. The tree is this package's own.
type BalancedWord struct {
	progress
	splits []split          // the root first
	only   int              // the page, where there is but one and nothing to split
	ahead  [lookahead]int32 // ^page of the slots that have been worked out
	taken  int              // of ahead
}

// lookahead is the number of slots that are worked out at a time.
const lookahead = 256

// A split deals its slots to two branches.
type split struct {
	part, total uint64   // share of the first branch: part/total
	carry       uint64   // v·part + ⌊total/2⌋ modulo total, after v slots worked out
	branches    [2]int32 // a split, or ^page
}

// NewBalancedWord returns the sequence; rates are as for
// [NewEarliestDeadlineFirst].
func NewBalancedWord(rates []float64) (*BalancedWord, error) {
	s, err := newPortions(rates)
	if err != nil {
		return nil, err
	}
	b := &BalancedWord{progress: progress{kind: kindBalancedWord, identity: s.identity()}}
	b.grow(s.parts)
	b.enter(0)
	return b, nil
}

// grow joins the two smallest portions until one is left. Both the pages, once
// sorted, and the splits, as they are made, come in ascending order, so that two
// queues do for a heap; of equal ones pages are joined first, which keeps the
// tree low.
func (b *BalancedWord) grow(parts []uint64) {
	var pages []int32
	for page, part := range parts {
		if part > 0 {
			pages = append(pages, int32(page))
		}
	}
	if len(pages) == 1 {
		b.only = int(pages[0])
		return
	}
	slices.SortFunc(pages, func(a, b int32) int {
		return cmp.Or(cmp.Compare(parts[a], parts[b]), cmp.Compare(a, b))
	})
	splits := make([]split, len(pages)-1)
	last := len(splits) - 1 // the splits are stored from the end, so that the root is first
	made, joined := 0, 0
	least := func() (part uint64, branch int32) {
		if len(pages) > 0 && (joined == made || parts[pages[0]] <= splits[last-joined].total) {
			branch = ^pages[0]
			part = parts[pages[0]]
			pages = pages[1:]
			return part, branch
		}
		joined++
		return splits[last-joined+1].total, int32(last - joined + 1)
	}
	for made <= last {
		first, firstBranch := least()
		second, secondBranch := least()
		splits[last-made] = split{part: first, total: first + second, branches: [2]int32{firstBranch, secondBranch}}
		made++
	}
	b.splits = splits
}

// enter sets all carries to what they are after a number of slots.
func (b *BalancedWord) enter(slot uint64) {
	b.slot, b.taken = slot, lookahead
	visits := make([]uint64, len(b.splits))
	for i := range b.splits {
		s := &b.splits[i]
		if i == 0 {
			visits[i] = slot
		}
		high, low := bits.Mul64(visits[i], s.part)
		low, carry := bits.Add64(low, s.total/2, 0)
		var first uint64
		first, s.carry = bits.Div64(high+carry, low, s.total)
		for branch, count := range [2]uint64{first, visits[i] - first} {
			if child := s.branches[branch]; child >= 0 {
				visits[child] = count
			}
		}
	}
}

// Next returns the page of the next slot.
func (b *BalancedWord) Next() int {
	b.slot++
	if len(b.splits) == 0 {
		return b.only
	}
	if b.taken == lookahead {
		b.lookAhead()
	}
	page := int(^b.ahead[b.taken])
	b.taken++
	return page
}

// lookAhead works out the next slots. All go down the tree together, a level at
// a time and in their order, so that each split deals its slots in order as
// well. Without branches, which would be guessed wrongly every other time, the
// processor works on many of them at once.
func (b *BalancedWord) lookAhead() {
	var slots [lookahead]uint8 // those that are at a split still
	for i := range slots {
		slots[i] = uint8(i)
	}
	clear(b.ahead[:]) // the root
	for left := lookahead; left > 0; {
		kept := 0
		for _, slot := range slots[:left] {
			s := &b.splits[b.ahead[slot]]
			carry, second := bits.Sub64(s.carry+s.part, s.total, 0) // second branch: no carry
			s.carry = carry + s.total&-second
			at := s.branches[second]
			b.ahead[slot] = at
			slots[kept] = slot
			kept += int(^at >> 31 & 1)
		}
		left = kept
	}
	b.taken = 0
}

// AppendBinary appends the state: the number of slots.
func (b *BalancedWord) AppendBinary(dst []byte) ([]byte, error) {
	return b.save(dst, nil), nil
}

// UnmarshalBinary continues from a saved state; errors wrap [ErrState].
func (b *BalancedWord) UnmarshalBinary(state []byte) error {
	slot, _, err := b.load(state, 0)
	if err == nil {
		b.enter(slot)
	}
	return err
}
