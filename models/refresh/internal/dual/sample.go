package refresh

import "math"

// The multiplier is first looked for on a sample of every k-th page.
const (
	leastSample    = 1 << 13
	sampledShare   = 128     // one page in so many, but for the least
	sampleDistance = 0x1p-10 // Newton's step with which the search on the sample ends
	sampleRounds   = 40
)

// sampled returns a guess of the multiplier, and whether any page of the sample
// gains from accesses.
func (o *optimizer) sampled() (multiplier float64, found bool) {
	n := o.Len()
	size := min(n, max(leastSample, n/sampledShare))
	sample := Problem{Pages: o.Pages, Objective: o.Objective, Bandwidth: o.Bandwidth}
	if size < n {
		sample.Bandwidth *= float64(size) / float64(n)
		sample.Pages = o.every(size)
	}
	multiplier = evenPrice(&sample)
	if multiplier == 0 || math.IsInf(multiplier, 1) {
		return 1, false
	}
	if size == n {
		return multiplier, true
	}
	s := newOptimizer(&sample, o.team)
	search := newSearch(sample.Bandwidth)
	for range sampleRounds {
		all := s.demandAt(multiplier)
		search.observe(point{multiplier, all.sum.below(sample.Bandwidth), all.slope, 0})
		if multiplier = search.next(); search.near(sampleDistance) {
			break
		}
	}
	return multiplier, true
}

// every returns a sample of pages at even distances.
func (o *optimizer) every(size int) Pages {
	n := o.Len()
	sample := Pages{ChangeRates: make([]float64, size)}
	if o.Weights != nil {
		sample.Weights = make([]float64, size)
	}
	for k := range size {
		i := int(float64(n) / float64(size) * float64(k))
		sample.ChangeRates[k] = o.ChangeRates[i]
		if o.Weights != nil {
			sample.Weights[k] = o.Weights[i]
		}
	}
	return sample
}

// evenPrice returns the mean of the pages' marginal values where all are accessed
// at one rate; the multiplier lies between the least and the greatest of them.
func evenPrice(p *Problem) float64 {
	n := p.Len()
	rate := p.Bandwidth / float64(n)
	if limited, ok := p.Objective.(Limited); ok {
		_, fastest := limited.Limits()
		rate = min(rate, fastest)
	}
	b := new(buffer)
	for i := range b.rates {
		b.rates[i] = rate
	}
	mean := 0.0
	for from := 0; from < n; from += chunk {
		to := min(from+chunk, n)
		marginals := b.marginals[:to-from]
		p.Objective.Measure(b.values[:to-from], marginals, p.Slice(from, to), b.rates[:to-from])
		for _, marginal := range marginals {
			mean += marginal / float64(n)
		}
	}
	return mean
}
