package robots

// The two models sweep row by row: a row is the states of one queue length, in
// order of the number of active robots. Three loops do all of the work, and
// have a form in assembly where that pays (see sweep_amd64.s). Both forms
// round in the same order and give the same bits: products and sums are never
// fused (the conversions to float64 forbid it to the compiler), and where they
// differ, in the sign of a zero minimum, adding the cost, never −0, hides it.

// pass is one damped sweep over a range of states: what is done with each
// value (T v)(s), and the extremes of T v − v so far.
type pass struct {
	damping, shift  float64
	least, greatest float64
}

// update sets *dst to v + damping·(value − v) − shift, where value is (T v)(s).
func (p *pass) update(dst *float64, v, value float64) {
	d := value - v
	if d < p.least {
		p.least = d
	}
	if d > p.greatest {
		p.greatest = d
	}
	*dst = v + float64(p.damping*d) - p.shift
}

// minimaGo updates states whose value is the cost plus the lesser of a and b.
func (p *pass) minimaGo(dst, v, a, b []float64, cost float64) {
	v, a, b = v[:len(dst)], a[:len(dst)], b[:len(dst)]
	q := *p // a copy, so that it stays in registers
	for i := range dst {
		q.update(&dst[i], v[i], cost+min(a[i], b[i]))
	}
	*p = q
}

// pairsGo updates post-decision pairs: element i has the value
//
//	departure·min(below[i], below[i+1]) + arrival[i]·min(above[i], above[i+1])
//	+ fictitious[i]·v[i] + cost[i]
//
// so that above begins one robot earlier than the other slices. below and
// above are longer than dst by one element.
func (p *pass) pairsGo(dst, v, below, above []float64, next nextEvents) {
	n := len(dst)
	v, arrival, fictitious, cost := v[:n], next.arrival[:n], next.fictitious[:n], next.cost[:n]
	below0, below1, above0, above1 := below[:n], below[1:n+1], above[:n], above[1:n+1]
	q := *p
	for i := range dst {
		departed, arrived := min(below0[i], below1[i]), min(above0[i], above1[i])
		q.update(&dst[i], v[i], float64(next.departure*departed)+
			float64(arrival[i]*arrived)+float64(fictitious[i]*v[i])+cost[i])
	}
	*p = q
}

// expectGo sets dst to the expectation of v over the next event, from the
// values of v after a departure, an arrival and a fictitious event.
func expectGo(dst, departed, arrived, idle []float64, next nextEvents) {
	n := len(dst)
	departed, arrived, idle = departed[:n], arrived[:n], idle[:n]
	arrival, fictitious := next.arrival[:n], next.fictitious[:n]
	for i := range dst {
		dst[i] = float64(next.departure*departed[i]) + float64(arrival[i]*arrived[i]) + float64(fictitious[i]*idle[i])
	}
}

// rows returns next for lo ≤ r < hi.
func (next nextEvents) rows(lo, hi int) nextEvents {
	next.arrival, next.fictitious, next.cost = next.arrival[lo:hi], next.fictitious[lo:hi], next.cost[lo:hi]
	return next
}

// rowBlocks cuts the rows 0 … rows−1, which begin at start(row), into blocks
// of about size states, all of nearly the same number of rows.
func rowBlocks(rows, size int, start func(row int) int) []int {
	blocks := max(1, min(rows, start(rows)/size))
	cuts := make([]int, blocks+1)
	for i := range cuts {
		cuts[i] = start(int(int64(rows) * int64(i) / int64(blocks)))
	}
	return cuts
}
