package sequence

// The heaps of a queue, from which any element can be taken.

import "math"

// A node is a page, or a group, whose number has the sign bit, and the time that it is
// ordered by.
type node struct {
	key float64
	of  int32
}

func nodeOf(group int) int32   { return int32(group) | math.MinInt32 }
func isGroup(of int32) bool    { return of < 0 }
func groupOf(of int32) (g int) { return int(of & math.MaxInt32) }

// before orders nodes by key, those of one key by number.
func (n node) before(m node) bool {
	return n.key < m.key || n.key == m.key && n.of < m.of
}

// A nodeHeap is a heap of four children a node. Pages and groups know where they are in
// it: a page is in one heap at most, and a group in several of its parent's, one for each
// order, or in Queue.waiting.
type nodeHeap []node

// Where a page is.
const (
	outside = iota // not in the queue
	nowhere        // in no heap: its rate is 0
	waiting        // in Queue.waiting
	able           // in a heap of its group
)

// insert adds a node.
func (q *Queue) insert(h *nodeHeap, order int, n node) {
	*h = append(*h, n)
	q.up(*h, order, len(*h)-1, n)
}

// delete takes out the node at an index.
func (q *Queue) delete(h *nodeHeap, order int, at int32) {
	last := len(*h) - 1
	moved := (*h)[last]
	*h = (*h)[:last]
	if int(at) < last {
		q.change(h, order, at, moved)
	}
}

// change puts another node, or one of another key, to an index.
func (q *Queue) change(h *nodeHeap, order int, at int32, n node) {
	if up := q.up(*h, order, int(at), n); up == int(at) {
		q.down(*h, order, up, n)
	}
}

// up puts a node to an index, or above it where it belongs, and returns where.
func (q *Queue) up(h nodeHeap, order, at int, n node) int {
	for at > 0 {
		parent := (at - 1) / 4
		if !n.before(h[parent]) {
			break
		}
		q.put(h, order, at, h[parent])
		at = parent
	}
	q.put(h, order, at, n)
	return at
}

// down puts a node to an index, or below it where it belongs.
func (q *Queue) down(h nodeHeap, order, at int, n node) {
	for {
		first := 4*at + 1
		if first >= len(h) {
			break
		}
		least := first
		for child := first + 1; child < min(first+4, len(h)); child++ {
			if h[child].before(h[least]) {
				least = child
			}
		}
		if !h[least].before(n) {
			break
		}
		q.put(h, order, at, h[least])
		at = least
	}
	q.put(h, order, at, n)
}

func (q *Queue) put(h nodeHeap, order, at int, n node) {
	h[at] = n
	if isGroup(n.of) {
		q.groups[groupOf(n.of)].at[order] = int32(at)
	} else {
		q.pages[n.of].at = int32(at)
	}
}
