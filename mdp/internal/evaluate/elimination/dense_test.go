package elimination

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas/blas64"
)

// Against exact elimination: with an exit of 1e-30 the solution has all its digits, where
// one that takes differences has none. The larger matrix is eliminated by halves.
func TestDenseFactorsLoseNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 0))
	for _, n := range []int{1, 12, unblocked + 15} {
		x := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
		a, b := make([][]*big.Rat, n), make([]*big.Rat, n)
		exit, right := slices.Repeat([]float64{1e-30}, n), make([]float64, n)
		for i := range n {
			right[i] = random.Float64()
			b[i] = new(big.Rat).SetFloat64(right[i])
			a[i] = make([]*big.Rat, n)
			for j := range n {
				a[i][j] = new(big.Rat)
			}
			a[i][i].SetFloat64(exit[i])
			for range 3 {
				// Short numbers keep the fractions short.
				j, weight := random.IntN(n), float64(1+random.IntN(15))/16
				if i+1 < n && random.IntN(3) == 0 { // one way round, so that all is connected
					j = i + 1
				}
				if j != i {
					w := new(big.Rat).SetFloat64(weight)
					a[i][i].Add(a[i][i], w)
					a[i][j].Sub(a[i][j], w)
					x.Data[i*n+j] -= weight
				}
			}
		}
		require.Equal(t, -1, FactorDense(t.Context(), x, slices.Clone(exit)))
		SolveDense(x, right)
		for i, want := range solveExactly(a, b) {
			f, _ := want.Float64()
			assert.InEpsilon(t, f, right[i], 1e-13)
		}
	}
}

func TestDenseFactorsSayWhereTheyAreStuck(t *testing.T) {
	for _, n := range []int{5, 3 * unblocked} {
		for _, last := range []int{0, 1, n / 2, n - 1} { // goes nowhere, and the others in turn
			x := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
			for i := range n {
				if i != last {
					x.Data[i*n+(i+1)%n] = -1
				}
			}
			assert.Equal(t, last, FactorDense(t.Context(), x, make([]float64, n)))
		}
	}
}

// solveExactly solves a·x = b by Gaussian elimination; it overwrites both.
func solveExactly(a [][]*big.Rat, b []*big.Rat) []*big.Rat {
	n, term := len(b), new(big.Rat)
	for k := range n {
		for i := k + 1; i < n; i++ {
			factor := new(big.Rat).Quo(a[i][k], a[k][k])
			for j := k; j < n; j++ {
				a[i][j].Sub(a[i][j], term.Mul(factor, a[k][j]))
			}
			b[i].Sub(b[i], term.Mul(factor, b[k]))
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			b[k].Sub(b[k], term.Mul(a[k][j], b[j]))
		}
		b[k].Quo(b[k], a[k][k])
	}
	return b
}

// An end of the context is noticed within the elimination of one large matrix.
func TestDenseFactorsEndWithTheContext(t *testing.T) {
	const n = 2 * mostPivots
	x := blas64.General{Rows: n, Cols: n, Stride: n, Data: slices.Repeat([]float64{-1}, n*n)}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	assert.Equal(t, -1, FactorDense(ctx, x, slices.Repeat([]float64{1}, n)))
	assert.Equal(t, -1., x.Data[n*n-1], "the last diagonal has not been computed")
}
