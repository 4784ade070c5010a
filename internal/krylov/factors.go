package krylov

import "github.com/mdpsolve/mdpsolve/internal/dense"

// factors are those of a small matrix, dense: without subtractions, so that
// nothing cancels however small the excess is (Grassmann, Taksar and Heyman
// 1985).
//
//	D − W = (I − F)·S·(I − G/S)
//
// with F below the diagonal, G above, and S on it.
type factors struct {
	size   int
	matrix []float64 // F below the diagonal, S on it, G above
}

func (m *Matrix) factor() *factors {
	n := m.Size()
	f := &factors{size: n, matrix: make([]float64, n*n)}
	excess := make([]float64, n)
	for i := range n {
		excess[i] = m.excess[i] + m.shift
		row := f.row(i)
		for e := m.start[i]; e < m.start[i+1]; e++ {
			row[m.columns[e]] += m.weights[e]
		}
	}
	for k := range n {
		pivot := excess[k]
		above := f.row(k)[k+1:]
		for _, w := range above {
			pivot += w
		}
		f.row(k)[k] = pivot
		for i := k + 1; i < n; i++ {
			row := f.row(i)
			if row[k] == 0 {
				continue
			}
			row[k] /= pivot
			excess[i] += float64(row[k] * excess[k])
			dense.AddScaled(row[k+1:], row[k], above)
			row[i] = 0 // the way back to where one is does not count
		}
	}
	return f
}

func (f *factors) row(i int) []float64 { return f.matrix[i*f.size : (i+1)*f.size] }

// solve sets x to the solution for b. Where the matrix is singular, which one
// without excess can be, x is 0 in rows without a pivot.
func (f *factors) solve(x, b []float64) {
	copy(x, b)
	for i := range f.size {
		x[i] += dense.Dot(f.row(i)[:i], x[:i])
	}
	for i := f.size - 1; i >= 0; i-- {
		row := f.row(i)
		sum := x[i] + dense.Dot(row[i+1:], x[i+1:])
		x[i] = 0
		if row[i] > 0 {
			x[i] = sum / row[i]
		}
	}
}
