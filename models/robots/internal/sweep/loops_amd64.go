//go:build amd64 && !purego

package sweep

// The loops on amd64: in assembly where the processor has AVX2, else in Go.

import "golang.org/x/sys/cpu"

// UseAssembly chooses the form of the loops, at start-up; tests turn it off.
var UseAssembly = cpu.X86.HasAVX2

// vector is the number of elements that the assembly handles at a time, and
// the least it can handle.
const vector = 4

// Minima updates states whose value is the cost plus the lesser of a and b.
func (p *Pass) Minima(dst, v, a, b []float64, cost float64) {
	n := len(dst)
	if n < vector || !UseAssembly {
		p.minimaGo(dst, v, a, b, cost)
		return
	}
	v, a, b = v[:n], a[:n], b[:n]
	minimaAVX2(p, &dst[0], &v[0], &a[0], &b[0], n, cost)
}

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

// Expect sets dst to the expectation of v over the next event, from the values
// of v after a departure, an arrival and a fictitious event.
func Expect(dst, departed, arrived, idle []float64, next Next) {
	n := len(dst)
	if n < vector || !UseAssembly {
		expectGo(dst, departed, arrived, idle, next)
		return
	}
	departed, arrived, idle, next = departed[:n], arrived[:n], idle[:n], next.Rows(0, n)
	expectAVX2(&dst[0], &departed[0], &arrived[0], &idle[0], &next.Arrival[0], &next.Fictitious[0], n, next.Departure)
}

// minimaAVX2 is minimaGo for n ≥ vector elements.
//
//go:noescape
func minimaAVX2(p *Pass, dst, v, a, b *float64, n int, cost float64)

// pairsAVX2 is pairsGo for n ≥ vector elements.
//
//go:noescape
func pairsAVX2(p *Pass, dst, v, below, above, arrival, fictitious, cost *float64, n int, departure float64)

// expectAVX2 is expectGo for n ≥ vector elements.
//
//go:noescape
func expectAVX2(dst, departed, arrived, idle, arrival, fictitious *float64, n int, departure float64)
