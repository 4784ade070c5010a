// Package parallel runs blocks of work on several goroutines, with results that are the
// same to the bit for any number of workers.
//
// Callers must keep two rules:
//
//   - The blocks depend on the work (see [Cuts]), never on the number of
//     workers, and each writes only its own range of a vector or its own element
//     of a slice of partial results. So the result of a block does not depend on
//     which worker runs it, or when.
//   - Sums, and everything else in which the order of rounding matters, are taken
//     over the partial results in the order of the blocks, after [For] or
//     [Team.For] has returned.
package parallel

// For is one round of a [Team] of min(workers, blocks) workers: it calls body(0), …,
// body(blocks−1), each once, and returns when all are done.
//
// The call itself costs some µs, and waking the other cores may take 40 µs, so that blocks
// should take 100 µs or more in all. For repeated shorter rounds keep a Team.
func For(workers, blocks int, body func(block int)) {
	team := NewTeam(min(workers, blocks))
	defer team.Close()
	team.For(blocks, body)
}

// Cuts returns the cuts 0, size, 2·size, …, n of the range 0 … n−1 into blocks
// of size elements, the last one shorter if need be: block i is the elements
// cuts[i] … cuts[i+1]−1. With n = 0 it returns the one cut 0: no blocks. It
// panics if n < 0 or size ≤ 0.
func Cuts(n, size int) []int {
	if n < 0 || size <= 0 {
		panic("parallel: Cuts needs n ≥ 0 and size > 0")
	}
	cuts := make([]int, 0, n/size+2)
	for cut := 0; cut < n; cut += min(size, n-cut) {
		cuts = append(cuts, cut)
	}
	return append(cuts, n)
}
