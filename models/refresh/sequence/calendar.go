package sequence

import (
	"math/bits"
	"slices"
)

// An appointment is a page and the slot in which something is due for it.
type appointment struct {
	slot uint64
	then uint64 // what comes after that slot
	page uint32
}

// before orders appointments by slot, those of one slot by page.
func (a appointment) before(b appointment) bool {
	return a.slot < b.slot || a.slot == b.slot && a.page < b.page
}

// A calendar is a priority queue of appointments, fast where slots mostly come
// later than what has been taken out already, right in any case.
//
// Slots are grouped in blocks of 2^blockBits. Up to the block called opened
// the order is known: run is sorted, and late is a heap of those that came when
// their block had been opened. Later blocks wait unsorted in wheels. The
// digits, of wheelBits each, of a block number and of opened agree down to some
// place, which is the wheel of the block; its digit there is the bucket. When
// there is nothing left up to opened, the first bucket of the lowest wheel is
// spread out: to lower wheels, or sorted into run.
//
// An appointment is moved once for each wheel it passes, in slices of memory
// read from end to end: to a million of pages that is far less than the misses
// of a heap.
type calendar struct {
	opened uint64
	run    []appointment // run[taken:] is left
	taken  int
	late   []appointment
	wheels [wheelCount]wheel
}

const (
	blockBits  = 8
	wheelBits  = 10
	wheelCount = (64 - blockBits + wheelBits - 1) / wheelBits
)

type wheel struct {
	occupied [1 << wheelBits / 64]uint64 // bit set
	buckets  [][]appointment             // nil until used
}

// first returns the first bucket that is not empty, −1 if all are.
func (w *wheel) first() int {
	for word, set := range &w.occupied {
		if set != 0 {
			return word*64 + bits.TrailingZeros64(set)
		}
	}
	return -1
}

// push adds an appointment.
func (c *calendar) push(a appointment) {
	block := a.slot >> blockBits
	if block <= c.opened {
		c.late = append(c.late, a)
		siftUp(c.late)
		return
	}
	place := (bits.Len64(block^c.opened) - 1) / wheelBits
	digit := block >> (place * wheelBits) & (1<<wheelBits - 1)
	w := &c.wheels[place]
	if w.buckets == nil {
		w.buckets = make([][]appointment, 1<<wheelBits)
	}
	w.buckets[digit] = append(w.buckets[digit], a)
	w.occupied[digit/64] |= 1 << (digit % 64)
}

// peek returns the first appointment, provided that its slot is at most limit.
// It opens no block that begins behind limit.
func (c *calendar) peek(limit uint64) (first appointment, found bool) {
	for c.taken == len(c.run) && len(c.late) == 0 {
		if !c.open(limit) {
			return appointment{}, false
		}
	}
	switch {
	case c.taken == len(c.run):
		first = c.late[0]
	case len(c.late) == 0 || c.run[c.taken].before(c.late[0]):
		first = c.run[c.taken]
	default:
		first = c.late[0]
	}
	return first, first.slot <= limit
}

// drop removes first, which peek has just returned.
func (c *calendar) drop(first appointment) {
	if c.taken < len(c.run) && c.run[c.taken] == first {
		c.taken++
		return
	}
	last := len(c.late) - 1
	c.late[0] = c.late[last]
	c.late = c.late[:last]
	siftDown(c.late, 0)
}

// open spreads out the first bucket, unless it begins behind limit or there is
// none. All up to the opened block has been taken.
func (c *calendar) open(limit uint64) bool {
	for place := range c.wheels {
		w := &c.wheels[place]
		digit := w.first()
		if digit < 0 {
			continue
		}
		shift := place * wheelBits
		block := c.opened>>(shift+wheelBits)<<(shift+wheelBits) | uint64(digit)<<shift
		if block > limit>>blockBits {
			return false
		}
		c.opened = block
		c.run, c.taken = c.run[:0], 0
		w.occupied[digit/64] &^= 1 << (digit % 64)
		spread := w.buckets[digit]
		w.buckets[digit] = nil
		for _, a := range spread {
			if a.slot>>blockBits == block {
				c.run = append(c.run, a)
			} else {
				c.push(a)
			}
		}
		slices.SortFunc(c.run, func(a, b appointment) int {
			if a.before(b) {
				return -1
			}
			return 1 // no two are equal
		})
		return true
	}
	return false
}

// siftUp restores a heap of four children a node behind whose end an element
// has been added.
func siftUp(heap []appointment) {
	at := len(heap) - 1
	added := heap[at]
	for at > 0 {
		parent := (at - 1) / 4
		if !added.before(heap[parent]) {
			break
		}
		heap[at] = heap[parent]
		at = parent
	}
	heap[at] = added
}

// siftDown restores a heap whose element at has been replaced by a later one.
func siftDown(heap []appointment, at int) {
	if at >= len(heap) {
		return
	}
	moved := heap[at]
	for {
		first := 4*at + 1
		if first >= len(heap) {
			break
		}
		least := first
		for child := first + 1; child < min(first+4, len(heap)); child++ {
			if heap[child].before(heap[least]) {
				least = child
			}
		}
		if !heap[least].before(moved) {
			break
		}
		heap[at] = heap[least]
		at = least
	}
	heap[at] = moved
}
