//go:build !amd64 || purego

package sweep

// The loop on other processors: in Go.

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
