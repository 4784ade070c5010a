package exact

import (
	"context"
	"math/bits"
	"slices"
)

// pattern says where the factors of a system have entries, in an order of
// elimination. Positions count from 0 in that order.
type pattern struct {
	order []int32   // the unknown at each position
	upper [][]int32 // by position: the later positions in its row, and in its column, increasing
	lower [][]int32 // by position: the earlier positions whose upper lists it, increasing
}

// entries returns the number of entries of both factors off the diagonal.
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
	words := (n + 63) / 64
	joined := make([][]uint64, n) // sets of unknowns that are not yet eliminated
	storage := make([]uint64, n*words)
	for i := range joined {
		joined[i] = storage[i*words : (i+1)*words]
	}
	for i, row := range rows {
		for _, t := range row {
			if j := int(t.column); j != i {
				joined[i][j/64] |= 1 << (j % 64)
				joined[j][i/64] |= 1 << (i % 64)
			}
		}
	}
	degree := make([]int, n)
	for i := range degree {
		degree[i] = size(joined[i])
	}
	p := &pattern{order: make([]int32, 0, n), upper: make([][]int32, n), lower: make([][]int32, n)}
	position := make([]int32, n)
	for at := range n {
		if at%64 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		next := -1
		for i, d := range degree {
			if d >= 0 && (next < 0 || d < degree[next]) {
				next = i
			}
		}
		p.order = append(p.order, int32(next))
		position[next] = int32(at)
		degree[next] = -1
		p.upper[at] = members(joined[next])
		for _, j := range p.upper[at] {
			for w, set := range joined[next] {
				joined[j][w] |= set
			}
			joined[j][j/64] &^= 1 << (j % 64)
			joined[j][next/64] &^= 1 << (next % 64)
			degree[j] = size(joined[j])
		}
	}
	for at, row := range p.upper {
		for i, j := range row {
			row[i] = position[j]
		}
		slices.Sort(row)
		for _, j := range row {
			p.lower[j] = append(p.lower[j], int32(at))
		}
	}
	return p, nil
}

// size returns the number of members of a set.
func size(set []uint64) int {
	count := 0
	for _, word := range set {
		count += bits.OnesCount64(word)
	}
	return count
}

// members returns the members of a set.
func members(set []uint64) []int32 {
	var list []int32
	for w, word := range set {
		for ; word != 0; word &= word - 1 {
			list = append(list, int32(64*w+bits.TrailingZeros64(word)))
		}
	}
	return list
}
