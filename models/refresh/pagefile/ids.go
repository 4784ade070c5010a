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

// appendAll adds all names of others.
func (ids *IDs) appendAll(others *IDs) {
	base := uint64(len(ids.text))
	ids.text = append(ids.text, others.text...)
	for _, end := range others.ends {
		ids.ends = append(ids.ends, base+end)
	}
}

// reset removes all names, and keeps the memory.
func (ids *IDs) reset() { ids.text, ids.ends = ids.text[:0], ids.ends[:0] }

// remove removes the names of some rows, in the same memory.
func (ids *IDs) remove(rows rowSet) {
	kept := IDs{ids.text[:0], ids.ends[:0]}
	for i := range ids.Len() {
		if !rows.has(i) {
			kept.Append(ids.Bytes(i))
		}
	}
	*ids = kept
}

// An Index finds pages by their names. It grows with the names it is for.
type Index struct {
	ids   *IDs
	seed  maphash.Seed
	slots []uint32 // number of the name + 1, 0 for none; at most ¾ in use
}

// NewIndex returns an index of up to 2³²−2 names. Of equal names it finds the first.
func NewIndex(ids *IDs) *Index {
	size := 16
	for size/4*3 < ids.Len() {
		size *= 2
	}
	x := &Index{ids: ids, seed: maphash.MakeSeed(), slots: make([]uint32, size)}
	for i := range ids.Len() {
		if slot, found := x.find(ids.Bytes(i)); !found {
			x.slots[slot] = uint32(i + 1)
		}
	}
	return x
}

// find returns the slot of a name, or the empty one where it belongs.
func (x *Index) find(id []byte) (slot uint64, found bool) {
	mask := uint64(len(x.slots) - 1)
	slot = maphash.Bytes(x.seed, id) & mask
	for ; x.slots[slot] != 0; slot = (slot + 1) & mask {
		if bytes.Equal(x.ids.Bytes(int(x.slots[slot]-1)), id) {
			return slot, true
		}
	}
	return slot, false
}

// Find returns the number of a name, and whether there is such a name.
func (x *Index) Find(id []byte) (page int, found bool) {
	slot, found := x.find(id)
	return int(x.slots[slot]) - 1, found
}

// findOrAppend returns the number of a name, which it appends if it is new.
func (x *Index) findOrAppend(id []byte) (page int) {
	slot, found := x.find(id)
	if found {
		return int(x.slots[slot] - 1)
	}
	x.ids.Append(id)
	if x.ids.Len() > len(x.slots)/4*3 {
		*x = *NewIndex(x.ids)
	} else {
		x.slots[slot] = uint32(x.ids.Len())
	}
	return x.ids.Len() - 1
}
