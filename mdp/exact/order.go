package exact

import (
	"context"
	"slices"
)

// pattern says in which order the unknowns of a system are eliminated and where
// that leaves entries. Positions count from 0 in that order.
type pattern struct {
	order    []int32   // the unknown at each position
	position []int32   // of each unknown
	upper    [][]int32 // by position: the later positions in its row, and in its column
	lower    [][]int32 // by position: the earlier positions whose upper lists it, increasing
}

// entries returns the number of entries above and below the diagonal.
func (p *pattern) entries() int {
	count := 0
	for _, row := range p.upper {
		count += 2 * len(row)
	}
	return count
}

// minimumDegree orders the unknowns so that each that is eliminated is joined to
// as few others as possible at the time (Tinney and Walker 1967). Rows and
// columns are eliminated in the same order; the graph is that of the matrix and
// its transpose together.
func minimumDegree(ctx context.Context, rows [][]term) (*pattern, error) {
	n := len(rows)
	joined := make([][]int32, n) // by unknown: the others that are not yet eliminated
	for i, row := range rows {
		for _, t := range row {
			if j := t.column; int(j) != i {
				joined[i], joined[j] = append(joined[i], j), append(joined[j], int32(i))
			}
		}
	}
	for i, others := range joined {
		slices.Sort(others)
		joined[i] = slices.Compact(others)
	}
	member, stamp := make([]int, n), 1 // which list was last seen to name an unknown
	p := &pattern{position: make([]int32, n), lower: make([][]int32, n)}
	left := make([]int32, n)
	for i := range left {
		left[i] = int32(i)
	}
	for len(left) > 0 {
		if len(left)%64 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		least := 0
		for k, i := range left {
			if len(joined[i]) < len(joined[left[least]]) {
				least = k
			}
		}
		next := left[least]
		left = slices.Delete(left, least, least+1)
		p.position[next] = int32(len(p.order))
		p.order, p.upper = append(p.order, next), append(p.upper, joined[next])
		for _, j := range joined[next] {
			for _, i := range joined[j] {
				member[i] = stamp
			}
			joined[j] = slices.DeleteFunc(joined[j], func(i int32) bool { return i == next })
			for _, i := range joined[next] {
				if member[i] != stamp && i != j {
					joined[j] = append(joined[j], i)
				}
			}
			stamp++
		}
	}
	for at, row := range p.upper {
		for e, i := range row {
			row[e] = p.position[i]
			p.lower[row[e]] = append(p.lower[row[e]], int32(at))
		}
	}
	return p, nil
}
