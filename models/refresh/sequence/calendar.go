package sequence

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

// A calendar is a priority queue of appointments. Those up to the end of a block of slots are in a
// heap, which stays small and so in the cache of the processor. Those of later blocks wait
// unsorted, and the blocks themselves are in a heap.
type calendar struct {
	opened uint64 // the block
	heap   appointments
	later  map[uint64][]appointment // by block
	blocks appointments             // those of later, by number
}

const blockBits = 8 // of a slot, for its place in its block

// push adds an appointment.
func (c *calendar) push(a appointment) {
	block := a.slot >> blockBits
	if block <= c.opened {
		c.heap.push(a)
		return
	}
	waiting := c.later[block]
	if waiting == nil {
		c.blocks.push(appointment{slot: block})
	}
	c.later[block] = append(waiting, a)
}

// next returns whether there is an appointment up to a slot, which is then the first of heap. It
// opens no block that begins behind that.
func (c *calendar) next(limit uint64) bool {
	for len(c.heap) == 0 {
		if len(c.blocks) == 0 || c.blocks[0].slot > limit>>blockBits {
			return false
		}
		c.opened = c.blocks.pop().slot
		for _, a := range c.later[c.opened] {
			c.heap.push(a)
		}
		delete(c.later, c.opened)
	}
	return c.heap[0].slot <= limit
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
