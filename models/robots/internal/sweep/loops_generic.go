//go:build !amd64 || purego

package robots

func (p *pass) minima(dst, v, a, b []float64, cost float64) { p.minimaGo(dst, v, a, b, cost) }

func (p *pass) pairs(dst, v, below, above []float64, next nextEvents) {
	p.pairsGo(dst, v, below, above, next)
}

func expect(dst, departed, arrived, idle []float64, next nextEvents) {
	expectGo(dst, departed, arrived, idle, next)
}
