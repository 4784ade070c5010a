package sequence

import "slices"

// An appointment is a page and the slot in which something is due for it.
type appointment struct {
	slot uint64
	then uint64 // the slot of what comes next for the page
	page uint32
}

// before orders appointments by slot, those of one slot by page.
func (a appointment) before(b appointment) bool {
	return a.slot < b.slot || a.slot == b.slot && a.page < b.page
}

// A calendar is a priority queue of appointments. Those of later blocks of slots than the one
// called opened wait unsorted, and the blocks themselves are in a heap. When there is nothing left
// up to opened, the first block is sorted: far fewer misses of the processor's cache than in a heap
// of all appointments.
type calendar struct {
	opened uint64
	run    []appointment // of the opened block, sorted; run[taken:] is left
	taken  int
	late   appointments             // those that came when their block had been opened
	later  map[uint64][]appointment // by block
	blocks appointments             // those of later, by number
}

const blockBits = 8 // of a slot, for its place in its block

// push adds an appointment.
func (c *calendar) push(a appointment) {
	block := a.slot >> blockBits
	if block <= c.opened {
		c.late.push(a)
		return
	}
	waiting := c.later[block]
	if waiting == nil {
		c.blocks.push(appointment{slot: block})
	}
	c.later[block] = append(waiting, a)
}

// pop takes out the first appointment, if its slot is at most limit. It opens no block that begins
// after that.
func (c *calendar) pop(limit uint64) (first appointment, found bool) {
	for c.taken == len(c.run) && len(c.late) == 0 {
		if len(c.blocks) == 0 || c.blocks[0].slot > limit>>blockBits {
			return appointment{}, false
		}
		c.opened, c.taken = c.blocks.pop().slot, 0
		c.run = c.later[c.opened]
		delete(c.later, c.opened)
		slices.SortFunc(c.run, func(a, b appointment) int {
			if a.before(b) {
				return -1
			}
			return 1 // no two are equal
		})
	}
	if left := c.run[c.taken:]; len(left) > 0 && (len(c.late) == 0 || left[0].before(c.late[0])) {
		if left[0].slot > limit {
			return appointment{}, false
		}
		c.taken++
		return left[0], true
	}
	if c.late[0].slot > limit {
		return appointment{}, false
	}
	return c.late.pop(), true
}

// appointments are a heap of four children a node.
type appointments []appointment

func (h *appointments) push(a appointment) {
	heap := append(*h, a)
	*h = heap
	at := len(heap) - 1
	for at > 0 {
		parent := (at - 1) / 4
		if !a.before(heap[parent]) {
			break
		}
		heap[at] = heap[parent]
		at = parent
	}
	heap[at] = a
}

func (h *appointments) pop() (first appointment) {
	last := len(*h) - 1
	heap, moved := (*h)[:last], (*h)[last]
	*h = heap
	if last == 0 {
		return moved
	}
	first = heap[0]
	at := 0
	for {
		least := 4*at + 1
		if least >= last {
			break
		}
		for child := least + 1; child < min(4*at+5, last); child++ {
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
	return first
}
