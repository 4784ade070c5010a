package pagefile

// This file finds names that stand in a list twice, in parallel.

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

const (
	// partitionBits of the hashes of their names deal rows to partitions, whose hash
	// tables fit into a cache.
	partitionBits = 9
	partitions    = 1 << partitionBits

	// dealtRows is how many rows are dealt together.
	dealtRows = 1 << 18
)

// A candidate is a row, from 1, with a part of the hash of its name. The zero value
// is an empty slot of a hash table.
type candidate struct {
	row, hash uint32
}

// A duplicate is a row whose name stands in an earlier row, and the first such row.
type duplicate struct {
	row, first int
}

// duplicates returns the rows whose names stand in earlier rows, and the first most of
// them one by one, in the order of rows. It takes a few bytes a row, however many have the
// same name.
func (ids *IDs) duplicates(workers, most int) (rows rowSet, first []duplicate) {
	seed := maphash.MakeSeed()
	cuts := parallel.Cuts(ids.Len(), dealtRows)
	dealt := make([][partitions][]candidate, len(cuts)-1)
	parallel.For(workers, len(dealt), func(block int) {
		share := (cuts[block+1]-cuts[block])/partitions*5/4 + 1 // few partitions get more, and new memory
		room := make([]candidate, partitions*share)
		for p := range dealt[block] {
			dealt[block][p] = room[p*share : p*share : (p+1)*share]
		}
		for row := cuts[block]; row < cuts[block+1]; row++ {
			hash := maphash.Bytes(seed, ids.Bytes(row))
			p := &dealt[block][hash>>(64-partitionBits)]
			*p = append(*p, candidate{uint32(row + 1), uint32(hash)})
		}
	})
	rows = make(rowSet, (ids.Len()+63)/64)
	found := make([][]duplicate, partitions)
	tables := sync.Pool{New: func() any { return new(nameTable) }}
	parallel.For(workers, partitions, func(p int) {
		table := tables.Get().(*nameTable)
		defer tables.Put(table)
		table.reset(ids, ids.Len()/partitions*5/4)
		for block := range dealt {
			for _, c := range dealt[block][p] {
				earlier := table.findOrInsert(c)
				if earlier == 0 {
					continue
				}
				rows.add(int(c.row) - 1)
				if len(found[p]) < most {
					found[p] = append(found[p], duplicate{int(c.row) - 1, int(earlier) - 1})
				}
			}
		}
	})
	first = slices.Concat(found...)
	slices.SortFunc(first, func(a, b duplicate) int { return a.row - b.row })
	return rows, first[:min(len(first), most)]
}

// A nameTable is a hash table of the rows with the names of a partition. At most half of
// its slots are in use.
type nameTable struct {
	ids   *IDs
	slots []candidate
	used  int
}

// reset empties the table, and has room for some names.
func (t *nameTable) reset(ids *IDs, names int) {
	size := 16
	for size < 2*names {
		size *= 2
	}
	t.ids, t.used = ids, 0
	t.slots = slices.Grow(t.slots[:0], size)[:size]
	clear(t.slots)
}

// findOrInsert returns the row of the table, from 1, that has the name of a candidate.
// If there is none it inserts the candidate and returns 0.
func (t *nameTable) findOrInsert(c candidate) (row uint32) {
	for slot := int(c.hash); ; slot++ {
		switch other := &t.slots[slot&(len(t.slots)-1)]; {
		case other.row == 0:
			*other = c
			if t.used++; 2*t.used > len(t.slots) {
				t.grow()
			}
			return 0
		case other.hash == c.hash && bytes.Equal(t.ids.Bytes(int(other.row)-1), t.ids.Bytes(int(c.row)-1)):
			return other.row
		}
	}
}

// grow doubles the number of slots.
func (t *nameTable) grow() {
	before := t.slots
	t.slots = make([]candidate, 2*len(before))
	for _, c := range before {
		if c.row == 0 {
			continue
		}
		slot := int(c.hash)
		for t.slots[slot&(len(t.slots)-1)].row != 0 {
			slot++
		}
		t.slots[slot&(len(t.slots)-1)] = c
	}
}

// A rowSet is a set of rows, a bit each.
type rowSet []uint64

// add adds a row; several goroutines may add rows.
func (s rowSet) add(row int) { atomic.OrUint64(&s[row/64], 1<<(row%64)) }

func (s rowSet) has(row int) bool { return s[row/64]>>(row%64)&1 == 1 }

// size returns the number of rows in the set.
func (s rowSet) size() (rows int) {
	for _, word := range s {
		rows += bits.OnesCount64(word)
	}
	return rows
}
