package elimination

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// part is a run of places in the order of a dissection: a separator, or a set
// too small to be separated. The parts before it that it separated from each
// other are its children.
type part struct {
	first, last int // places first … last−1
	children    int // the number of children
}

// dissection orders the states of an undirected graph by nested dissection
// (George 1973): a set of states, the separator, without which the rest falls
// into two halves, comes last, and before it come the halves, each ordered in
// the same way. Eliminating states in this order connects no state of one half
// with one of the other, so that a plane grid of n states takes O(n^1.5)
// operations and O(n log n) elements, where a band takes O(n²) and O(n^1.5).
//
// Separators are levels of a breadth-first search: on a grid, lines across it. Where many states lead to
// one, such as that of a machine that was replaced, all states are two steps apart, and no level separates
// them. Such states therefore come last of all, and the others are ordered without them.
type dissection struct {
	ctx   context.Context
	graph *graph.Graph
	order []int32
	queue []int32 // of the searches; a set uses the part at its own places
	mark  []mark  // by state
	parts []part

	// widest is the size of the largest useful separator: if the levels around the
	// middle of a set are all larger, dissect gives up.
	widest int
	gaveUp bool
}

// mark says where a state is: home is the first place of the set that it
// belongs to, or −1 in a separator; level is its level in the last search, or −1.
type mark struct{ home, level int32 }

// Parameters of dissection.
const (
	leafStates = 12 // sets of up to this many states are not separated
	// maxDepth bounds the recursion if separators cut off very little.
	maxDepth = 64
	// hubDegree times the square root of the number of states is the number of neighbours above which
	// a state is a hub.
	hubDegree = 10
)

// newDissection returns a dissection of one set, all states.
func newDissection(ctx context.Context, g *graph.Graph) *dissection {
	n := g.NumStates()
	d := &dissection{
		ctx: ctx, graph: g, order: make([]int32, n), queue: make([]int32, n), mark: make([]mark, n),
	}
	for i := range d.order {
		d.order[i] = int32(i)
	}
	return d
}

// dissect returns the order and its parts, children before parents. If several
// parts have no parent, they belong to different components of the graph. If the
// levels around the middle of a set have more states than widest, or ctx ends, dissect
// gives up: done is false.
func dissect(ctx context.Context, g *graph.Graph, widest int) (order []int32, parts []part, done bool) {
	d := newDissection(ctx, g)
	d.widest = widest
	n := g.NumStates()
	rest := n - d.moveHubs()
	roots := 0
	if rest > 0 {
		roots = d.split(0, rest, 0)
	}
	if rest < n {
		d.add(rest, n, roots)
	}
	return d.order, d.parts, !d.gaveUp
}

// moveHubs moves the states with very many neighbors to the end of the order, and returns how many
// there are.
func (d *dissection) moveHubs() int {
	n := len(d.order)
	most := max(leafStates, int(hubDegree*math.Sqrt(float64(n))))
	isHub := func(s int32) bool { return len(d.graph.Next(s)) > most }
	others := slices.DeleteFunc(slices.Clone(d.order), isHub)
	if len(others) == n {
		return 0
	}
	hubs := slices.DeleteFunc(d.order, func(s int32) bool { return !isHub(s) })
	for _, s := range hubs {
		d.mark[s].home = -1
	}
	d.order = slices.Concat(others, hubs)
	return len(hubs)
}

// split orders the states at places lo … hi−1. It adds their parts, and returns how many
// of them have no parent.
func (d *dissection) split(lo, hi, depth int) (roots int) {
	if d.ctx.Err() != nil {
		d.gaveUp = true
	}
	if hi-lo <= leafStates || depth == maxDepth || d.gaveUp {
		return d.add(lo, hi, 0)
	}
	for _, s := range d.order[lo:hi] {
		d.mark[s].home = int32(lo)
	}
	cuts, last := d.components(lo, hi)
	connected, separator := len(cuts) == 2, hi
	if connected {
		var middle int
		if middle, separator = d.separate(lo, hi, last); middle == lo {
			return d.add(lo, hi, 0)
		}
		for _, s := range d.order[separator:hi] {
			d.mark[s].home = -1
		}
		cuts = []int{lo, middle, separator}
	}
	for i := range len(cuts) - 1 {
		roots += d.split(cuts[i], cuts[i+1], depth+1)
	}
	if connected {
		return d.add(separator, hi, roots)
	}
	return roots
}

// add adds a part, which has no parent yet.
func (d *dissection) add(first, last, children int) (roots int) {
	d.parts = append(d.parts, part{first, last, children})
	return 1
}

// search goes through the set at lo … hi−1 breadth first from the states at the
// head of the queue, count of them, and returns how many it reached, and where
// in the queue the last level begins.
func (d *dissection) search(lo, hi, count int) (reached, last int) {
	queue := d.queue[lo:hi]
	for _, s := range d.order[lo:hi] {
		d.mark[s].level = -1
	}
	for _, s := range queue[:count] {
		d.mark[s].level = 0
	}
	return d.extend(queue, 0, count, int32(lo))
}

// extend continues a search from the states from … to−1 of the queue.
func (d *dissection) extend(queue []int32, from, to int, home int32) (reached, last int) {
	deepest := int32(0)
	last = from
	for i := from; i < to; i++ {
		next := d.mark[queue[i]].level + 1
		for _, j := range d.graph.Next(queue[i]) {
			if m := &d.mark[j]; m.home == home && m.level < 0 {
				if next > deepest {
					deepest, last = next, to
				}
				m.level = next
				queue[to] = j
				to++
			}
		}
	}
	return to, last
}

// components orders the set at lo … hi−1 by its connected components and
// returns the cuts between them. It leaves the states of the first component in
// the order of a search from its first state.
func (d *dissection) components(lo, hi int) (cuts []int, last int) {
	queue := d.queue[lo:hi]
	for _, s := range d.order[lo:hi] {
		d.mark[s].level = -1
	}
	cuts = append(cuts, lo)
	reached := 0
	for _, s := range d.order[lo:hi] {
		if d.mark[s].level < 0 {
			d.mark[s].level = 0
			queue[reached] = s
			reached, last = d.extend(queue, reached, reached+1, int32(lo))
			cuts = append(cuts, lo+reached)
		}
	}
	copy(d.order[lo:hi], queue)
	return cuts, last
}

// separate orders the connected set at lo … hi−1 so that two halves are at
// lo … middle−1 and middle … separator−1, and their separator follows. Where no
// set separates it, middle is lo.
//
// It searches from all states of the far end of the set, which the search of
// components has left in the queue from last on, not from one state there,
// so that levels lie across the set.
func (d *dissection) separate(lo, hi, last int) (middle, separator int) {
	size, queue := hi-lo, d.queue[lo:hi]
	if far := queue[last:]; len(far) <= size/4 {
		d.search(lo, hi, copy(queue, far))
	} else { // the far end surrounds the rest: from a single state of it, others are further away
		queue[0] = far[len(far)-1]
		d.search(lo, hi, 1)
	}
	levels := int(d.mark[queue[size-1]].level) + 1
	if levels < 3 {
		return lo, hi
	}
	cut, narrowest := d.bestLevel(queue, levels)
	if narrowest > d.widest {
		d.gaveUp = true
	}
	sizes := [3]int{}
	for _, s := range queue {
		if d.mark[s].level == cut && !d.touches(s, cut+1) {
			d.mark[s].level-- // what does not touch the levels beyond need not separate
		}
		sizes[side(d.mark[s].level, cut)]++
	}
	at := [3]int{lo, lo + sizes[0], lo + sizes[0] + sizes[1]}
	for _, s := range queue {
		i := side(d.mark[s].level, cut)
		d.order[at[i]] = s
		at[i]++
	}
	return lo + sizes[0], lo + sizes[0] + sizes[1]
}

// side returns 0 for the half before the cut, 1 for that after it, and 2 for the
// separator.
func side(level, cut int32) int {
	switch {
	case level < cut:
		return 0
	case level > cut:
		return 1
	}
	return 2
}

// touches reports whether s has a neighbour on a level.
func (d *dissection) touches(s, level int32) bool {
	for _, j := range d.graph.Next(s) {
		if d.mark[j].home == d.mark[s].home && d.mark[j].level == level {
			return true
		}
	}
	return false
}

// bestLevel returns the level, neither the first nor the last, with the least
// ratio of its size to the product of the sizes of what it separates. narrowest
// is the size of the smallest level around the middle: if that is large, cutting off
// small pieces only postpones the work.
func (d *dissection) bestLevel(queue []int32, levels int) (best int32, narrowest int) {
	least := 0.0
	begin := 0
	narrowest = len(queue)
	for begin < len(queue) {
		level := d.mark[queue[begin]].level
		end := begin
		for end < len(queue) && d.mark[queue[end]].level == level {
			end++
		}
		if level > 0 && int(level) < levels-1 {
			ratio := float64(end-begin) / (float64(begin) * float64(len(queue)-end))
			if least == 0 || ratio < least {
				least, best = ratio, level
			}
		}
		if end > len(queue)/8 && begin < len(queue)-len(queue)/8 {
			narrowest = min(narrowest, end-begin)
		}
		begin = end
	}
	return best, narrowest
}
