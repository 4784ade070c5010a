package mdp

// The weights of uniformization: Poisson probabilities and their sums.

import "slices"

// weights are weights of the numbers from first on, those of all numbers below, and the
// sums of weights from each number on.
type weights struct {
	first        int
	below        float64
	weight, sums []float64
}

func (w *weights) at(k int) float64 {
	if k < w.first {
		return w.below
	}
	return atOrZero(w.weight, k-w.first)
}

func (w *weights) from(k int) float64 {
	if k < w.first {
		return w.below*float64(w.first-k) + w.sums[0]
	}
	return atOrZero(w.sums, k-w.first)
}

func atOrZero(list []float64, i int) float64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// poisson has Pr(N = k) and Pr(N > k) of a Poisson distribution, as far as they are more
// than 2⁻¹⁰⁰⁰ of the largest: computed from there on, so that errors are relative (Fox and
// Glynn 1988).
type poisson struct {
	is, exceeds weights
	mean        float64
	beyond      float64 // bounds the sums that are left out of each
}

func newPoisson(mean float64) *poisson {
	const least = 0x1p-1000
	mode := int(mean)
	var list []float64
	w := 1.0
	for k := mode; k > 0 && w >= least; k-- { // downwards, without the mode
		w *= float64(k) / mean
		list = append(list, w)
	}
	slices.Reverse(list)
	first, below := mode-len(list), 0.0
	if first > 0 { // the terms fall by this factor or more
		below = w / (1 - float64(first)/mean)
	}
	w = 1
	for k := mode + 1; w >= least; k++ {
		list = append(list, w)
		w *= mean / float64(k)
	}
	next := float64(first + len(list) + 1)
	falls := 1 - mean/next
	tail := sumsFrom(list)
	for i, total := range slices.Backward(tail) { // the first is the divisor of all
		list[i], tail[i] = list[i]/tail[0], total/tail[0]
	}
	above := append(slices.Clone(tail[1:]), 0)
	return &poisson{
		is: weights{first, 0, list, tail}, exceeds: weights{first, 1, above, sumsFrom(above)},
		mean: mean, beyond: 4 * (below + w/falls*(next+1/falls)),
	}
}

// sumsFrom returns the sums of the numbers from each on.
func sumsFrom(numbers []float64) []float64 {
	sums, sum := make([]float64, len(numbers)), 0.0
	for i, x := range slices.Backward(numbers) {
		sum += x
		sums[i] = sum
	}
	return sums
}
