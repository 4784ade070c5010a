package exact

import (
	"context"
	"fmt"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/elimination"
)

// pattern is the order in which the unknowns of a system are eliminated, and the places
// of the resulting entries. Positions count from 0 in that order.
type pattern struct {
	order    []int32   // the unknown at each position
	position []int32   // of each unknown
	upper    [][]int32 // by position: the later positions in its row, and in its column
	lower    [][]int32 // by position: the earlier positions whose upper lists it, increasing
}

// entryBytes is the memory of an entry above or below the diagonal: its place and its value.
const entryBytes = 12

// newPattern orders the unknowns by nested dissection (George 1973). Rows and columns are
// eliminated in the same order; the graph is that of the matrix and its transpose
// together.
func newPattern(ctx context.Context, rows [][]term) (*pattern, error) {
	n := len(rows)
	g := graph.New(n)
	for i, row := range rows {
		for _, t := range row {
			if int(t.column) != i {
				g.Add(t.column)
			}
		}
		g.EndState()
	}
	g = g.Undirected()
	order, err := elimination.Order(ctx, g)
	if err != nil {
		return nil, err
	}
	p := &pattern{order: order, position: make([]int32, n), upper: make([][]int32, n), lower: make([][]int32, n)}
	for at, i := range order {
		p.position[i] = int32(at)
	}
	next := make([][]int32, n) // by position: the earlier ones whose first later position it is
	seen := slices.Repeat([]int32{-1}, n)
	entries := 0 // above and below the diagonal
	for at := range int32(n) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		add := func(j int32) {
			if j > at && seen[j] != at {
				seen[j] = at
				p.upper[at] = append(p.upper[at], j)
				p.lower[j] = append(p.lower[j], at)
			}
		}
		for _, i := range g.Next(order[at]) {
			add(p.position[i])
		}
		for _, earlier := range next[at] {
			for _, j := range p.upper[earlier] {
				add(j)
			}
		}
		entries += 2 * len(p.upper[at])
		if err := checkForecast(ctx, fmt.Sprintf("elimination of %d unknowns", n), entryBytes*float64(entries)); err != nil {
			return nil, err
		}
		if len(p.upper[at]) > 0 {
			first := slices.Min(p.upper[at])
			next[first] = append(next[first], at)
		}
	}
	return p, nil
}
