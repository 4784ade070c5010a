package share

import "math/bits"

// ghosts is a set of states, and numbers its members in their order. It takes memory
// where there are members alone: rows lead to states near their own, or anywhere.
type ghosts struct {
	pages []*page
	count int
}

// page holds pageWords·64 states.
type page struct {
	members [pageWords]uint64
	before  [pageWords]int32 // members before each word, in all pages; by number
}

const (
	pageWords = 1024
	wordBits  = 6               // 2⁶ states to a word
	pageBits  = wordBits + 10   // 2¹⁶ states to a page
	wordMask  = 1<<wordBits - 1 // of a state in its word
	pageMask  = pageWords - 1   // of a word in its page
)

// add makes a state a member.
func (g *ghosts) add(state int32) {
	at := int(state >> pageBits)
	for len(g.pages) <= at {
		g.pages = append(g.pages, nil)
	}
	if g.pages[at] == nil {
		g.pages[at] = new(page)
	}
	g.pages[at].members[state>>wordBits&pageMask] |= 1 << (state & wordMask)
}

// number counts the members, after the last was added.
func (g *ghosts) number() {
	for _, p := range g.pages {
		if p == nil {
			continue
		}
		for word, members := range &p.members {
			p.before[word] = int32(g.count)
			g.count += bits.OnesCount64(members)
		}
	}
}

// place returns how many members are less than the given one.
func (g *ghosts) place(state int32) int32 {
	p, word := g.pages[state>>pageBits], state>>wordBits&pageMask
	less := p.members[word] & (1<<(state&wordMask) - 1)
	return p.before[word] + int32(bits.OnesCount64(less))
}

// list returns the members, ascending.
func (g *ghosts) list() []int32 {
	states := make([]int32, 0, g.count)
	for at, p := range g.pages {
		if p == nil {
			continue
		}
		for word, members := range &p.members {
			for ; members != 0; members &= members - 1 {
				states = append(states, int32(at<<pageBits|word<<wordBits|bits.TrailingZeros64(members)))
			}
		}
	}
	return states
}
