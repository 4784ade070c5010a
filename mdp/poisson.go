package mdp

// The weights of uniformization: Poisson probabilities and their sums.

import "slices"

// weights holds a weight for each number 0, 1, …: below for each number under first,
// and weight for those from first on, up to where weights are 0. sums has, for each of
// the latter, the sum of the weights from there on.
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

// poisson has Pr(N = k) and Pr(N > k) of a Poisson distribution, for the k whose Pr(N = k)
// is at least 2⁻¹⁰⁰⁰ of the largest. They are computed from the mode outward, so that
// relative errors are small (Fox and Glynn 1988).
type poisson struct {
	is, exceeds weights
	mean        float64
	beyond      float64 // bounds what the sums of is, and those of exceeds, leave out
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
	for i, total := range slices.Backward(tail) { // the first, the sum of all, divides them
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
