package static

// Where the best number of robots changes.

import "fmt"

// Range is where a number of robots is best, as γ or μ/λ varies.
type Range struct {
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Robots int     `json:"robots"`
}

// Ranges returns the ranges of γ ([OverWeight]) or μ/λ ([OverRatio]), between from and
// to, in which one number of robots is best. The numbers rise from range to range. Each
// range ends where the next begins, and there both numbers cost the same.
//
// In γ that is where
//
//	γ = (L(N+1) − L(N)) / (P_N(X=0) − P_{N+1}(X=0)),
//
// where L is the charge for lost pages; in μ/λ it is the root of C(N) = C(N+1), which
// lies between N/ρ* and (N+1)/ρ*. The differences cost digits as N grows: the ends are
// exact to about N units in the last place.
//
// The error is a [*ParameterError] for the first parameter that is not allowed, or where
// there are more ranges than most.
func (p Parameters) Ranges(axis Axis, from, to float64, most int) ([]Range, error) {
	var ends [2]int
	var load float64
	for i, value := range []float64{from, to} {
		varied, err := p.with(axis, value)
		if err != nil {
			return nil, err
		}
		best, err := varied.Optimize()
		if err != nil {
			return nil, err
		}
		ends[i], load = best.Robots, best.OptimalLoad
	}
	first, last := ends[0], ends[1]
	switch {
	case axis == OverBuffer || !(from <= to):
		return nil, &ParameterError{"Axis", axis, fmt.Sprintf("%v or %v, with From ≤ To", OverWeight, OverRatio)}
	case last-first >= most:
		return nil, &ParameterError{"To", to, fmt.Sprintf("a value up to which the best number changes less than %d times", most)}
	}
	var found []Range
	for n := first; n <= last; n++ {
		end := to
		if n < last {
			end = min(max(from, p.tie(axis, n, load)), to) // rounding may pass an end
		}
		found = append(found, Range{from, end, n})
		from = end
	}
	return found, nil
}

// tie returns the value of γ or μ/λ at which n robots cost as much as n+1; load is the
// best load, on which λ has no influence.
func (p Parameters) tie(axis Axis, n int, load float64) float64 {
	// What one robot more takes from starvation, and adds to what is charged for losses.
	change := func(p Parameters) (less, more float64) {
		before, after := p.ArrivalRate*float64(n), p.ArrivalRate*float64(n+1)
		empty, full := p.shares(before)
		lessEmpty, moreFull := p.shares(after)
		return empty - lessEmpty, p.combine(0, after, moreFull) - p.combine(0, before, full)
	}
	if axis == OverWeight {
		less, more := change(p)
		return more / less
	}
	return increasingRoot(func(ratio float64) float64 {
		p.ArrivalRate = p.ServiceRate / ratio
		less, more := change(p)
		return p.StarvationWeight*less - more
	}, float64(n)/load, float64(n+1)/load)
}
