package pagefile

// This file finds names that stand in a list twice, in parallel.

import (
	"bytes"
	"hash/maphash"
	"slices"
	"sync"

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

// duplicates returns the duplicates in the order of their rows.
func (ids *IDs) duplicates(workers int) []duplicate {
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
	found := make([][]duplicate, partitions)
	tables := sync.Pool{New: func() any { return new([]candidate) }}
	parallel.For(workers, partitions, func(p int) {
		count := 0
		for block := range dealt {
			count += len(dealt[block][p])
		}
		size := 16
		for size < 2*count {
			size *= 2
		}
		table := tables.Get().(*[]candidate)
		defer tables.Put(table)
		*table = slices.Grow((*table)[:0], size)[:size]
		clear(*table)
		for block := range dealt {
			for _, c := range dealt[block][p] {
				if first := ids.findOrInsert(*table, c); first != 0 {
					found[p] = append(found[p], duplicate{int(c.row) - 1, int(first) - 1})
				}
			}
		}
	})
	all := slices.Concat(found...)
	slices.SortFunc(all, func(a, b duplicate) int { return a.row - b.row })
	return all
}

// findOrInsert returns the row of a table, from 1, that has the name of a candidate.
// If there is none it inserts the candidate and returns 0.
func (ids *IDs) findOrInsert(table []candidate, c candidate) (row uint32) {
	for slot := int(c.hash); ; slot++ {
		switch other := &table[slot&(len(table)-1)]; {
		case other.row == 0:
			*other = c
			return 0
		case other.hash == c.hash && bytes.Equal(ids.Bytes(int(other.row)-1), ids.Bytes(int(c.row)-1)):
			return other.row
		}
	}
}
