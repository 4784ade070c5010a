package pagefile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// partitionBits: rows are dealt by so many bits of their hashes to partitions
// whose tables stay in a cache.
const partitionBits = 9

// A candidate is a row with the rest of its hash.
type candidate struct {
	row, hash uint32
}

// duplicates returns the rows, in ascending order, whose names stand in an
// earlier row, with that row: the first one of the name.
func (t *table) duplicates(workers int) (later, first []uint32) {
	const partitions = 1 << partitionBits
	ends := make([]int, partitions+1)
	for _, hash := range t.hashes {
		ends[hash>>(64-partitionBits)+1]++
	}
	for p := range partitions {
		ends[p+1] += ends[p]
	}
	starts := slices.Clone(ends)
	candidates := make([]candidate, len(t.hashes))
	for row, hash := range t.hashes {
		p := hash >> (64 - partitionBits)
		candidates[ends[p]] = candidate{uint32(row), uint32(hash)}
		ends[p]++
	}
	found := make([][2][]uint32, partitions)
	parallel.For(workers, partitions, func(p int) {
		found[p] = t.duplicatesAmong(candidates[starts[p]:starts[p+1]])
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
// order.
func (t *table) duplicatesAmong(candidates []candidate) (found [2][]uint32) {
	size := 16
	for size < 2*len(candidates) {
		size *= 2
	}
	slots := make([]int32, size) // number of the candidate + 1
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
	t.hashes = nil
	var fault *FileError
	errors.As(stopped, &fault)
	for i, row := range later {
		line := t.line(int(row))
		if stopped != nil && (fault == nil || line > fault.Line) {
			break
		}
		err := r.reject(faultAt(line, 1, fmt.Sprintf("id %s, which is on line %d already", quoted(t.ids.Bytes(int(row))), t.line(int(first[i]))), "each id once"))
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
		kept++
	}
	t.ids.ends, t.ids.text = t.ids.ends[:kept], t.ids.text[:end]
	for i := range t.numbers {
		if t.numbers[i] != nil {
			t.numbers[i] = t.numbers[i][:kept]
		}
	}
}
