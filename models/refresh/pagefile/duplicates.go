package pagefile

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

const (
	// partitionBits: rows are dealt by so many bits of the hashes of their names to
	// partitions whose tables stay in a cache.
	partitionBits = 9
	partitions    = 1 << partitionBits

	// dealtRows is how many rows are dealt together.
	dealtRows = 1 << 18
)

// A candidate is a row with the rest of its hash.
type candidate struct {
	row, hash uint32
}

// duplicates returns the rows, in ascending order, whose names stand in an
// earlier row, with that row: the first one of the name. Hashes are made twice,
// for they take less time than memory.
func (t *table) duplicates(workers int) (later, first []uint32) {
	seed := maphash.MakeSeed()
	cuts := parallel.Cuts(t.ids.Len(), dealtRows)
	hashes := func(block int, use func(row int, hash uint64)) {
		for row := cuts[block]; row < cuts[block+1]; row++ {
			use(row, maphash.Bytes(seed, t.ids.Bytes(row)))
		}
	}
	places := make([][partitions]int, len(cuts)-1)
	parallel.For(workers, len(places), func(block int) {
		hashes(block, func(_ int, hash uint64) { places[block][hash>>(64-partitionBits)]++ })
	})
	starts := make([]int, partitions+1)
	next := 0
	for p := range partitions {
		starts[p] = next
		for block := range places {
			count := places[block][p]
			places[block][p] = next
			next += count
		}
	}
	starts[partitions] = next
	candidates := make([]candidate, t.ids.Len())
	parallel.For(workers, len(places), func(block int) {
		hashes(block, func(row int, hash uint64) {
			place := &places[block][hash>>(64-partitionBits)]
			candidates[*place] = candidate{uint32(row), uint32(hash)}
			*place++
		})
	})
	found := make([][2][]uint32, partitions)
	tables := sync.Pool{New: func() any { return new([]int32) }}
	parallel.For(workers, partitions, func(p int) {
		slots := tables.Get().(*[]int32)
		found[p] = t.duplicatesAmong(candidates[starts[p]:starts[p+1]], slots)
		tables.Put(slots)
	})
	var pairs [][2]uint32
	for _, f := range found {
		for i, row := range f[0] {
			pairs = append(pairs, [2]uint32{row, f[1][i]})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]uint32) int { return int(int64(a[0]) - int64(b[0])) })
	for _, pair := range pairs {
		later, first = append(later, pair[0]), append(first, pair[1])
	}
	return later, first
}

// duplicatesAmong looks at the rows of one partition, which are in ascending
// order. It works in a hash table of numbers of candidates, from 1.
func (t *table) duplicatesAmong(candidates []candidate, table *[]int32) (found [2][]uint32) {
	size := 16
	for size < 2*len(candidates) {
		size *= 2
	}
	*table = slices.Grow((*table)[:0], size)
	slots := (*table)[:size]
	clear(slots)
	for i, c := range candidates {
		slot := int(c.hash) & (size - 1)
		for slots[slot] != 0 {
			before := candidates[slots[slot]-1]
			if before.hash == c.hash && bytes.Equal(t.ids.Bytes(int(before.row)), t.ids.Bytes(int(c.row))) {
				found[0], found[1] = append(found[0], c.row), append(found[1], before.row)
				break
			}
			slot = (slot + 1) & (size - 1)
		}
		if slots[slot] == 0 {
			slots[slot] = int32(i + 1)
		}
	}
	return found
}

// leaveOutDuplicates removes and reports rows whose names have been seen before.
// When reading strictly and stopped by a fault, the first fault of the file is
// returned.
func (t *table) leaveOutDuplicates(r *reporter, stopped error) error {
	later, first := t.duplicates(r.options.Workers)
	noun := t.layout[0].names[0]
	var fault *FileError
	errors.As(stopped, &fault)
	for i, row := range later {
		line := t.line(int(row))
		if stopped != nil && (fault == nil || line > fault.Line) {
			break
		}
		err := r.reject(faultAt(line, 1, fmt.Sprintf("%s %s, which is on line %d already", noun, quoted(t.ids.Bytes(int(row))), t.line(int(first[i]))), "each "+noun+" once"))
		if err != nil {
			return err
		}
	}
	if stopped != nil {
		return stopped
	}
	t.remove(later)
	return nil
}

// remove takes rows, in ascending order, out.
func (t *table) remove(rows []uint32) {
	if len(rows) == 0 {
		return
	}
	kept, end := int(rows[0]), uint64(0)
	if kept > 0 {
		end = t.ids.ends[kept-1]
	}
	for row := kept; row < t.ids.Len(); row++ {
		if len(rows) > 0 && int(rows[0]) == row {
			rows = rows[1:]
			continue
		}
		// Rows move down: what is overwritten has been moved or removed.
		start := t.ids.ends[row-1] // row > 0, as the first of a name is kept
		stop := t.ids.ends[row]
		end += uint64(copy(t.ids.text[end:], t.ids.text[start:stop]))
		t.ids.ends[kept] = end
		for i := range t.numbers {
			if t.numbers[i] != nil {
				t.numbers[i][kept] = t.numbers[i][row]
			}
		}
		if t.hosts != nil {
			t.hosts.Of[kept] = t.hosts.Of[row]
		}
		kept++
	}
	t.ids.ends, t.ids.text = t.ids.ends[:kept], t.ids.text[:end]
	for i := range t.numbers {
		if t.numbers[i] != nil {
			t.numbers[i] = t.numbers[i][:kept]
		}
	}
	if t.hosts != nil {
		t.hosts.keep(kept)
	}
}
