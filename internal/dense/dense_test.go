package dense

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// MultiplyAdd gives the bits of the plain loop at every shape, and writes
// nothing but C.
func TestMultiplyAddGivesTheSameBits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	fill := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = random.NormFloat64()
		}
		return x
	}
	for rows := range 10 {
		for columns := 0; columns <= 28; columns += Lane {
			for inner := range 9 {
				strideC, strideA, strideB := columns+random.IntN(3), inner+random.IntN(3), columns+random.IntN(3)
				a := Matrix{fill(rows*strideA + 9), strideA}
				b := Matrix{fill(inner*strideB + 28), strideB}
				c := Matrix{fill(rows*strideC + 28), strideC}
				want := Matrix{slices.Clone(c.Data), strideC}
				for i := range rows {
					for j := range columns {
						for k := range inner {
							want.Data[i*strideC+j] += float64(a.Data[i*strideA+k] * b.Data[k*strideB+j])
						}
					}
				}
				plain := Matrix{slices.Clone(c.Data), strideC}
				multiplyAddGo(plain, a, b, rows, columns, inner)
				MultiplyAdd(c, a, b, rows, columns, inner)
				require.Equal(t, want.Data, c.Data, "%d × %d × %d", rows, columns, inner)
				require.Equal(t, want.Data, plain.Data, "%d × %d × %d", rows, columns, inner)
			}
		}
	}
}

func TestMultiplyVectorGivesTheSameBits(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for rows := range 10 {
		for columns := 0; columns <= 28; columns += Lane {
			stride := columns + random.IntN(3)
			a := Matrix{make([]float64, rows*stride+28), stride}
			x, y := make([]float64, columns), make([]float64, rows)
			for _, v := range [][]float64{a.Data, x, y} {
				for i := range v {
					v[i] = random.NormFloat64()
				}
			}
			plain := slices.Clone(y)
			sum := slices.Clone(y)
			multiplyVectorGo(plain, a, x)
			MultiplyVector(y, a, x)
			require.Equal(t, plain, y, "%d × %d", rows, columns)
			for i := range sum {
				for j := range columns {
					sum[i] += a.Data[i*stride+j] * x[j]
				}
			}
			assert.InDeltaSlice(t, sum, y, 1e-13)
		}
	}
}

func TestRefuseWhatIsVisiblyWrong(t *testing.T) {
	short := Matrix{make([]float64, 7), 4}
	long := Matrix{make([]float64, 8), 4}
	assert.NotPanics(t, func() { MultiplyAdd(long, long, long, 2, 4, 2) })
	assert.Panics(t, func() { MultiplyAdd(short, long, long, 2, 4, 2) })
	assert.Panics(t, func() { MultiplyAdd(long, Matrix{make([]float64, 5), 4}, long, 2, 4, 2) })
	assert.Panics(t, func() { MultiplyAdd(long, long, short, 2, 4, 2) })
	assert.Panics(t, func() { MultiplyAdd(long, long, long, 2, 3, 2) })
	assert.NotPanics(t, func() { MultiplyVector(make([]float64, 2), long, make([]float64, 4)) })
	assert.Panics(t, func() { MultiplyVector(make([]float64, 2), short, make([]float64, 4)) })
	assert.Panics(t, func() { MultiplyVector(make([]float64, 2), long, make([]float64, 3)) })
}

func BenchmarkMultiplyAdd(b *testing.B) {
	for _, n := range []int{8, 24, 64, 256} {
		b.Run("n="+string(rune('0'+n/100))+string(rune('0'+n/10%10))+string(rune('0'+n%10)), func(b *testing.B) {
			x := Matrix{make([]float64, n*n), n}
			y := Matrix{make([]float64, n*n), n}
			c := Matrix{make([]float64, n*n), n}
			for b.Loop() {
				MultiplyAdd(c, x, y, n, n, n)
			}
			b.ReportMetric(float64(b.N)*2*float64(n)*float64(n)*float64(n)/b.Elapsed().Seconds()/1e9, "Gflop/s")
		})
	}
}
