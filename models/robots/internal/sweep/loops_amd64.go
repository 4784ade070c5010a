//go:build amd64 && !purego

package sweep

// The loop on amd64: in assembly where the processor has AVX2, else in Go.

import "golang.org/x/sys/cpu"

// UseAssembly chooses the form of the loop, at start-up; tests turn it off.
var UseAssembly = cpu.X86.HasAVX2

// vector is the number of elements that the assembly handles at a time, and
// the least it can handle.
const vector = 4

// Pairs updates post-decision pairs: element i has the value
//
//	departure·min(below[i], below[i+1]) + arrival[i]·min(above[i], above[i+1])
//	+ fictitious[i]·v[i] + cost[i]
//
// so that above begins one robot earlier than the other slices. below and
// above are longer than dst by one element.
func (p *Pass) Pairs(dst, v, below, above []float64, next Next) {
	n := len(dst)
	if n < vector || !UseAssembly {
		p.pairsGo(dst, v, below, above, next)
		return
	}
	v, below, above, next = v[:n], below[:n+1], above[:n+1], next.Rows(0, n)
	pairsAVX2(p, &dst[0], &v[0], &below[0], &above[0], &next.Arrival[0], &next.Fictitious[0], &next.Cost[0], n, next.Departure)
}

// pairsAVX2 is pairsGo for n ≥ vector elements.
//
//go:noescape
func pairsAVX2(p *Pass, dst, v, below, above, arrival, fictitious, cost *float64, n int, departure float64)
