package refresh

import "math/rand/v2"

// SyntheticPages draws n pages as Azar et al. do for their Figure 1: change rates uniform on
// [0, 1) and, independent of them, weights that are uniform on [0, 1), too, or else k from 1 to
// 10,000 with a probability proportional to 1/k².
func SyntheticPages(n int, uniformWeights bool, seed uint64) Pages {
	stream := uint64(0)
	if uniformWeights {
		stream = 1
	}
	random := rand.New(rand.NewPCG(seed, stream))
	zipf := rand.NewZipf(random, 2, 1, 9_999)
	p := Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)}
	for i := range n {
		p.ChangeRates[i] = random.Float64()
		if uniformWeights {
			p.Weights[i] = random.Float64()
		} else {
			p.Weights[i] = float64(1 + zipf.Uint64())
		}
	}
	return p
}
