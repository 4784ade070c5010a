//go:build amd64 && !purego

package robots

import "golang.org/x/sys/cpu"

// useAVX2 chooses the form of the loops once, at start-up.
var useAVX2 = cpu.X86.HasAVX2

// vector is the number of elements that the assembly handles at a time, and
// the least it can handle.
const vector = 4

func (p *pass) minima(dst, v, a, b []float64, cost float64) {
	n := len(dst)
	if n < vector || !useAVX2 {
		p.minimaGo(dst, v, a, b, cost)
		return
	}
	v, a, b = v[:n], a[:n], b[:n]
	minimaAVX2(p, &dst[0], &v[0], &a[0], &b[0], n, cost)
}

func (p *pass) pairs(dst, v, below, above []float64, next nextEvents) {
	n := len(dst)
	if n < vector || !useAVX2 {
		p.pairsGo(dst, v, below, above, next)
		return
	}
	v, below, above, next = v[:n], below[:n+1], above[:n+1], next.rows(0, n)
	pairsAVX2(p, &dst[0], &v[0], &below[0], &above[0], &next.arrival[0], &next.fictitious[0], &next.cost[0], n, next.departure)
}

func expect(dst, departed, arrived, idle []float64, next nextEvents) {
	n := len(dst)
	if n < vector || !useAVX2 {
		expectGo(dst, departed, arrived, idle, next)
		return
	}
	departed, arrived, idle, next = departed[:n], arrived[:n], idle[:n], next.rows(0, n)
	expectAVX2(&dst[0], &departed[0], &arrived[0], &idle[0], &next.arrival[0], &next.fictitious[0], n, next.departure)
}

// minimaAVX2 is minimaGo for n ≥ vector elements.
//
//go:noescape
func minimaAVX2(p *pass, dst, v, a, b *float64, n int, cost float64)

// pairsAVX2 is pairsGo for n ≥ vector elements.
//
//go:noescape
func pairsAVX2(p *pass, dst, v, below, above, arrival, fictitious, cost *float64, n int, departure float64)

// expectAVX2 is expectGo for n ≥ vector elements.
//
//go:noescape
func expectAVX2(dst, departed, arrived, idle, arrival, fictitious *float64, n int, departure float64)
