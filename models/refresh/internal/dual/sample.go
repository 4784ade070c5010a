package dual

import "math"

// The multiplier is first looked for on a sample of every k-th page.
const (
	leastSample    = 1 << 13
	sampledShare   = 128     // one page in so many, but for the least
	sampleDistance = 0x1p-10 // Newton's step with which the search on the sample ends
	sampleRounds   = 40
)

// sampled returns a guess of the multiplier, and whether any page of the sample gains
// from accesses.
func (w *sweeper) sampled() (multiplier float64, found bool) {
	p := w.problem
	n := p.Len()
	size := min(n, max(leastSample, n/sampledShare))
	sample := Problem{Pages: Pages{ChangeRates: p.ChangeRates, Weights: p.Weights}, Objective: p.Objective, Bandwidth: p.Bandwidth, Fastest: p.Fastest}
	switch {
	case p.Remote != nil:
		sample.Pages = p.Remote.Sample()
		size = sample.Len()
	case size < n:
		sample.ChangeRates, sample.Weights = every(p.ChangeRates, size), every(p.Weights, size)
	}
	sample.Bandwidth *= float64(size) / float64(n)
	multiplier = evenPrice(&sample)
	if multiplier == 0 || math.IsInf(multiplier, 1) {
		return 1, false
	}
	if size == n {
		return multiplier, true
	}
	s := newSweeper(&sample, w.team)
	search := NewSearch(sample.Bandwidth, math.Inf(1))
	for range sampleRounds {
		all := s.demandAt(multiplier)
		search.Observe(all.at(s.scale, multiplier, sample.Bandwidth))
		if multiplier = search.Next(); search.near(sampleDistance) {
			break
		}
	}
	return multiplier, true
}

// every returns size of the numbers, at even distances.
func every(numbers []float64, size int) []float64 {
	if numbers == nil {
		return nil
	}
	sample := make([]float64, size)
	for k := range sample {
		sample[k] = numbers[int(float64(len(numbers))/float64(size)*float64(k))]
	}
	return sample
}

// evenPrice returns the mean of the pages' marginal values where all are accessed at
// one rate; the multiplier lies between the least and the greatest of them.
func evenPrice(p *Problem) float64 {
	n := p.Len()
	b := new(buffer)
	for i := range b.rates {
		b.rates[i] = min(p.Bandwidth/float64(n), p.Fastest)
	}
	mean := 0.0
	for from := 0; from < n; from += chunk {
		to := min(from+chunk, n)
		marginals := b.marginals[:to-from]
		p.Objective.Measure(b.values[:to-from], marginals, p.ChangeRates[from:to], part(p.Weights, from, to), b.rates[:to-from])
		for _, marginal := range marginals {
			mean += marginal / float64(n)
		}
	}
	return mean
}

// part returns the numbers from … to−1, nil of nil.
func part(numbers []float64, from, to int) []float64 {
	if numbers == nil {
		return nil
	}
	return numbers[from:to]
}
