package dense

// Products and sums of vectors.

// AddScaled adds f·y to x, each product and each sum rounded to float64. y has at
// least as many elements as x.
func AddScaled(x []float64, f float64, y []float64) {
	y = y[:len(x)]
	for i := range x {
		x[i] += float64(f * y[i])
	}
}

// Sum adds up x, four elements apart in four sums, in this order on every
// processor.
func Sum(x []float64) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
	}
	for _, y := range x {
		a += y
	}
	return (a + b) + (c + d)
}

// Dot returns the inner product of x and y, four elements apart in four sums, in
// this order on every processor. y has at least as many elements as x.
func Dot(x, y []float64) float64 {
	var a, b, c, d float64
	y = y[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a += float64(x[i] * y[i])
		b += float64(x[i+1] * y[i+1])
		c += float64(x[i+2] * y[i+2])
		d += float64(x[i+3] * y[i+3])
	}
	for ; i < len(x); i++ {
		a += float64(x[i] * y[i])
	}
	return (a + b) + (c + d)
}
