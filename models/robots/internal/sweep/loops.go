// Package sweep holds the inner loop of sweeps over the plain robots process, and
// the probabilities that they work with.
//
// The models sweep row by row: a row is the states of one queue length, in order
// of the number of active robots. One loop does all of the work, and has a
// form in assembly where that pays (loops_amd64.s). Both forms round in the same
// order and give the same bits: products and sums are never fused (the
// conversions to float64 forbid it to the compiler). They may differ only in the
// sign of a minimum that is zero, and adding the cost, which is never −0, hides that.
package sweep

import "math"

// Pass is one damped sweep over a range of states: what is done with each
// value (T v)(s), and the extremes of T v − v so far.
type Pass struct {
	Damping, Shift  float64
	Least, Greatest float64
}

// NewPass returns a pass before its first value.
func NewPass(damping, shift float64) Pass {
	return Pass{damping, shift, math.Inf(1), math.Inf(-1)}
}

// Update sets *dst to v + damping·(value − v) − shift, where value is (T v)(s).
func (p *Pass) Update(dst *float64, v, value float64) {
	d := value - v
	if d < p.Least {
		p.Least = d
	}
	if d > p.Greatest {
		p.Greatest = d
	}
	*dst = v + float64(p.Damping*d) - p.Shift
}

// pairsGo is Pairs in Go.
func (p *Pass) pairsGo(dst, v, below, above []float64, next Next) {
	n := len(dst)
	v, arrival, fictitious, cost := v[:n], next.Arrival[:n], next.Fictitious[:n], next.Cost[:n]
	below0, below1, above0, above1 := below[:n], below[1:n+1], above[:n], above[1:n+1]
	q := *p
	for i := range dst {
		departed, arrived := min(below0[i], below1[i]), min(above0[i], above1[i])
		q.Update(&dst[i], v[i], float64(next.Departure*departed)+
			float64(arrival[i]*arrived)+float64(fictitious[i]*v[i])+cost[i])
	}
	*p = q
}

// Blocks cuts the rows 0 … rows−1, which begin at start(row), into blocks
// of about size states, all of nearly the same number of rows.
func Blocks(rows, size int, start func(row int) int) []int {
	blocks := max(1, min(rows, start(rows)/size))
	cuts := make([]int, blocks+1)
	for i := range cuts {
		cuts[i] = start(int(int64(rows) * int64(i) / int64(blocks)))
	}
	return cuts
}
