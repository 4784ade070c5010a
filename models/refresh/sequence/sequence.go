// Package sequence turns access rates into an order of accesses: one page in each
// slot. A [Timetable] says when its slots take place.
package sequence

// A Sequence is an endless order of accesses: one page in each slot, slots
// being numbered from 1. It is made for the rates of the pages, which it
// realises in its own way:
//
//	EarliestDeadlineFirst  every count within one access of its share, in every prefix
//	GoldenRatio            a cycle of a Fibonacci number of slots, three gaps for each page
//	Random                 independent draws
//	RoundRobin             all pages in turn, at equal rates
//	Plan                   earliest deadline first, from visits that are known, with delays
//
// The rates are relative to each other: only their ratios count, and a page of
// rate 0 is never accessed. They are held as whole multiples of a unit of
// about 2⁻⁶² of their sum, which is all that rounding ever does to a sequence:
// there is nothing that could drift in a long run.
//
// Sequences made alike give the same slots: one is continued after a number of slots by
// passing over these.
//
// A Sequence is for one goroutine at a time.
type Sequence interface {
	// Next returns the page of the next slot. Only a [Plan] has empty slots, of page −1.
	Next() int
	// Slot returns the number of slots given out so far.
	Slot() int64
}

// counted counts the slots that a sequence has given out.
type counted struct{ slot uint64 }

// Slot returns the number of slots given out so far.
func (c *counted) Slot() int64 { return int64(c.slot) }

// AppendSlots appends the pages of the next slots to dst and returns it.
func AppendSlots(dst []int, sequence Sequence, slots int) []int {
	for range slots {
		dst = append(dst, sequence.Next())
	}
	return dst
}
