package queue

// killedChain is the matrix M = kI − T of a Markov chain with move rates
// T_ij ≥ 0, exit rates t_i ≥ 0 and an extra killing rate k, factored
// for solving. Phases are eliminated one by one, last first, and the moves
// through them are added to the direct ones (the elimination of W. K.
// Grassmann, M. I. Taksar and D. P. Heyman, Operations Research 33 (1985),
// with exits). Diagonals are sums of rates, never differences, so solutions for
// nonnegative right-hand sides have small relative errors in each element,
// however stiff the rates.
type killedChain struct {
	moves [][]float64 // row i, column j: when max(i,j) was eliminated
	total []float64   // sum of the rates out of i when it was eliminated
}

func newKilledChain(moves [][]float64, exits []float64, kill float64) *killedChain {
	n := len(exits)
	c := &killedChain{moves: make([][]float64, n), total: make([]float64, n)}
	out := make([]float64, n)
	for i := range n {
		c.moves[i] = append([]float64(nil), moves[i]...)
		out[i] = exits[i] + kill
	}
	for last := n - 1; last >= 0; last-- {
		c.total[last] = out[last]
		for j := range last {
			c.total[last] += c.moves[last][j]
		}
		for i := range last {
			share := c.moves[i][last] / c.total[last]
			out[i] += share * out[last]
			for j := range last {
				if j != i {
					c.moves[i][j] += share * c.moves[last][j]
				}
			}
		}
	}
	return c
}

// right returns M^{−1}·b for b ≥ 0.
func (c *killedChain) right(b []float64) []float64 {
	x := append([]float64(nil), b...)
	for last := len(x) - 1; last > 0; last-- {
		for i := range last {
			x[i] += c.moves[i][last] / c.total[last] * x[last]
		}
	}
	for i := range x {
		for j := range i {
			x[i] += c.moves[i][j] * x[j]
		}
		x[i] /= c.total[i]
	}
	return x
}

// left returns b·M^{−1} for b ≥ 0.
func (c *killedChain) left(b []float64) []float64 {
	x := append([]float64(nil), b...)
	for last := len(x) - 1; last > 0; last-- {
		for j := range last {
			x[j] += x[last] * (c.moves[last][j] / c.total[last])
		}
	}
	for j := range x {
		for i := range j {
			x[j] += x[i] * c.moves[i][j]
		}
		x[j] /= c.total[j]
	}
	return x
}
