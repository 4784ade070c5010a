// Package sequence turns access rates into an order of accesses: one page in each
// slot. A [Sequence] can be saved after any slot and goes on exactly where it was; a
// [Timetable] says when its slots take place.
package sequence

import (
	"encoding"
	"iter"
)

// A Sequence is an endless order of accesses: one page in each slot, slots
// being numbered from 1. It is made for the rates of the pages, which it
// realises in its own way:
//
//	EarliestDeadlineFirst  every count within one access of its share, in every prefix
//	GoldenRatio            a cycle of a Fibonacci number of slots, three gaps for each page
//	Random                 independent draws
//	RoundRobin             all pages in turn, whatever their rates
//	Plan                   earliest deadline first, from visits that are known, with delays
//
// The rates are relative to each other: only their ratios count, and a page of
// rate 0 is never accessed. They are held as whole multiples of a unit of
// about 2⁻⁶² of their sum, which is all that rounding ever does to a sequence:
// there is nothing that could drift in a long run.
//
// The state of a sequence can be saved after any slot (AppendBinary) and
// loaded into a sequence made for the same rates (UnmarshalBinary), which then
// goes on as the first would have done. A state that belongs to other rates or
// another kind of sequence, or that is damaged, is refused with [ErrState] and
// changes nothing.
//
// A Sequence is for one goroutine at a time.
type Sequence interface {
	// Next returns the page of the next slot. Only a [Plan] has empty slots, of page −1.
	Next() int
	// Slot returns the number of slots given out so far.
	Slot() int64

	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// Slots returns the rest of a sequence, from its next slot on, without end.
// Leaving the loop loses nothing: the sequence goes on behind the last page
// that the loop has seen.
func Slots(sequence Sequence) iter.Seq[int] {
	return func(yield func(page int) bool) {
		for yield(sequence.Next()) {
		}
	}
}

// AppendSlots appends the pages of the next slots to dst and returns it.
func AppendSlots(dst []int, sequence Sequence, slots int) []int {
	for range slots {
		dst = append(dst, sequence.Next())
	}
	return dst
}
