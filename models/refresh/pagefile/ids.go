package pagefile

// This file holds names of pages, and finds them.

import (
	"bytes"
	"hash/maphash"
)

// IDs are the names of pages, in one piece of memory: 8 bytes a page and the
// bytes of the names themselves. The zero value is empty.
type IDs struct {
	text []byte
	ends []uint64
}

// Len returns the number of names.
func (ids *IDs) Len() int { return len(ids.ends) }

// Bytes returns name i. Its bytes must not be changed.
func (ids *IDs) Bytes(i int) []byte {
	start := uint64(0)
	if i > 0 {
		start = ids.ends[i-1]
	}
	return ids.text[start:ids.ends[i]:ids.ends[i]]
}

// At returns name i.
func (ids *IDs) At(i int) string { return string(ids.Bytes(i)) }

// Append adds a name.
func (ids *IDs) Append(id []byte) {
	ids.text = append(ids.text, id...)
	ids.ends = append(ids.ends, uint64(len(ids.text)))
}

// An Index finds pages by their names. It grows with the names it is for.
type Index struct {
	ids   *IDs
	seed  maphash.Seed
	slots []indexSlot // at most ⅞ in use
}

// An indexSlot is a name, from 1, and a part of its hash, so that few names are compared
// that are not equal. The zero value is an empty slot.
type indexSlot struct {
	number, hash uint32
}

// NewIndex returns an index of up to 2³²−2 names. Of equal names it finds the first.
func NewIndex(ids *IDs) *Index {
	x := &Index{ids: ids, seed: maphash.MakeSeed()}
	x.reserve(ids.Len())
	for i := range ids.Len() {
		name := ids.Bytes(i)
		hash := x.hash(name)
		if slot, found := x.find(name, hash); !found {
			*slot = indexSlot{uint32(i + 1), hash}
		}
	}
	return x
}

func (x *Index) hash(id []byte) uint32 { return uint32(maphash.Bytes(x.seed, id)) }

// find returns the slot of a name, or the empty one where it belongs.
func (x *Index) find(id []byte, hash uint32) (slot *indexSlot, found bool) {
	mask := uint64(len(x.slots) - 1)
	for at := uint64(hash) & mask; ; at = (at + 1) & mask {
		slot = &x.slots[at]
		if slot.number == 0 {
			return slot, false
		}
		if slot.hash == hash && bytes.Equal(x.ids.Bytes(int(slot.number-1)), id) {
			return slot, true
		}
	}
}

// Find returns the number of a name, and whether there is such a name.
func (x *Index) Find(id []byte) (page int, found bool) {
	slot, found := x.find(id, x.hash(id))
	return int(slot.number) - 1, found
}

// Match calls found with the numbers of each name of a list here and there, and returns the
// numbers of those that are not here.
func (x *Index) Match(names *IDs, found func(here, there int)) (unknown []int) {
	for there := range names.Len() {
		if here, is := x.Find(names.Bytes(there)); is {
			found(here, there)
		} else {
			unknown = append(unknown, there)
		}
	}
	return unknown
}

// findOrAppend returns the number of a name, which it appends if it is new.
func (x *Index) findOrAppend(id []byte, hash uint32) (page int, found bool) {
	slot, found := x.find(id, hash)
	if found {
		return int(slot.number) - 1, true
	}
	x.ids.Append(id)
	*slot = indexSlot{uint32(x.ids.Len()), hash}
	x.reserve(x.ids.Len())
	return x.ids.Len() - 1, false
}

// reserve makes room for some names.
func (x *Index) reserve(names int) {
	size := max(16, len(x.slots))
	for size/8*7 < names {
		size *= 2
	}
	if size == len(x.slots) {
		return
	}
	before, mask := x.slots, uint64(size-1)
	x.slots = make([]indexSlot, size)
	for _, slot := range before {
		if slot.number == 0 {
			continue
		}
		at := uint64(slot.hash) & mask
		for x.slots[at].number != 0 {
			at = (at + 1) & mask
		}
		x.slots[at] = slot
	}
}
