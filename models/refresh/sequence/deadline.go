package sequence

import "math"

// EarliestDeadlineFirst is the sequence of Algorithm 3 of Azar et al.: of the
// pages that have less than their share, the one whose next access is due first.
// With N_{k,t} the accesses of page k in the first t slots and p_k its share,
//
//	|t·p_k − N_{k,t}| < 1
//
// for all k and t. In the words of scheduling: the access number c+1 of page k
// may take the slots from its release ⌊c/p_k⌋+1 to its deadline ⌈(c+1)/p_k⌉,
// and of the accesses released but not made yet the one of the earliest
// deadline comes next; ties go to the lowest index. Both are computed from the
// count c in whole numbers, so that no error is handed on from slot to slot.
//
// A slot costs O(1) steps for the calendars that hold the releases and the
// deadlines, and in the worst case, many pages with the same deadline or
// deadlines far out of order, O(log n). The memory is 50 to 70 bytes a page.
//
// Source: Azar et al., Algorithm 3. That no deadline is missed is due to
// R. Tijdeman, The chairman assignment problem, Discrete Mathematics 32 (1980),
// Theorem 3, and for jobs of one slot to C.L. Liu and J.W. Layland, Scheduling
// algorithms for multiprogramming in a hard-real-time environment, Journal of
// the ACM 20 (1973).
type EarliestDeadlineFirst struct {
	counted // slot is t
	total   uint64
	quotas  []quota
	waiting calendar // pages that have all they may have, by release
	ready   calendar // the others, by deadline
}

// A quota is a page's part of the total, and N_{k,t}.
type quota struct{ part, count uint64 }

// NewEarliestDeadlineFirst returns the sequence for these rates: finite numbers
// of 0 or more, not all 0, else there is an error.
func NewEarliestDeadlineFirst(rates []float64) (*EarliestDeadlineFirst, error) {
	s, err := newPortions(rates)
	if err != nil {
		return nil, err
	}
	e := &EarliestDeadlineFirst{total: s.total, quotas: make([]quota, len(rates))}
	for page, part := range s.parts {
		e.quotas[page].part = part
	}
	e.enter()
	return e, nil
}

// enter fills the calendars from the counts.
func (e *EarliestDeadlineFirst) enter() {
	opened := e.slot >> blockBits
	e.waiting = calendar{opened: opened, later: map[uint64][]appointment{}}
	e.ready = calendar{opened: opened, later: map[uint64][]appointment{}}
	for page, q := range e.quotas {
		if q.part != 0 {
			e.wait(uint32(page), q)
		}
	}
}

// wait enters a page where its next access is due.
func (e *EarliestDeadlineFirst) wait(page uint32, q quota) {
	last, _ := floorSlot(q.count, q.part, e.total)
	deadline, whole := floorSlot(q.count+1, q.part, e.total)
	if !whole {
		deadline++
	}
	if last <= e.slot { // released in the next slot or earlier
		e.ready.push(appointment{slot: deadline, page: page})
		return
	}
	e.waiting.push(appointment{slot: last + 1, then: deadline, page: page})
}

// Next returns the page of the next slot.
func (e *EarliestDeadlineFirst) Next() int {
	e.slot++
	for {
		released, due := e.waiting.pop(e.slot)
		if !due {
			break
		}
		e.ready.push(appointment{slot: released.then, page: released.page})
	}
	// Σ_k (t·p_k − N_{k,t−1}) = 1: some page has less than its share, so is ready.
	first, _ := e.ready.pop(math.MaxUint64)
	q := &e.quotas[first.page]
	q.count++
	e.wait(first.page, *q)
	return int(first.page)
}
