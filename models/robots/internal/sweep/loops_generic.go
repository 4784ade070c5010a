//go:build !amd64 || purego

package sweep

// The loops on other processors: in Go.

// Minima updates states whose value is the cost plus the lesser of a and b.
func (p *Pass) Minima(dst, v, a, b []float64, cost float64) { p.minimaGo(dst, v, a, b, cost) }

// Pairs updates post-decision pairs: element i has the value
//
//	departure·min(below[i], below[i+1]) + arrival[i]·min(above[i], above[i+1])
//	+ fictitious[i]·v[i] + cost[i]
//
// so that above begins one robot earlier than the other slices. below and
// above are longer than dst by one element.
func (p *Pass) Pairs(dst, v, below, above []float64, next Next) {
	p.pairsGo(dst, v, below, above, next)
}

// Expect sets dst to the expectation of v over the next event, from the values
// of v after a departure, an arrival and a fictitious event.
func Expect(dst, departed, arrived, idle []float64, next Next) {
	expectGo(dst, departed, arrived, idle, next)
}
