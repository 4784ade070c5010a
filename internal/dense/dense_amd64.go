//go:build amd64 && !purego

package dense

import "golang.org/x/sys/cpu"

// useAVX chooses the form of the loop once, at start-up.
var useAVX = cpu.X86.HasAVX

func multiplyAdd(c, a, b Matrix, rows, columns, inner int) {
	if !useAVX {
		multiplyAddGo(c, a, b, rows, columns, inner)
		return
	}
	multiplyAddAVX(&c.Data[0], &a.Data[0], &b.Data[0], c.Stride, a.Stride, b.Stride, rows, columns, inner)
}

// multiplyAddAVX is multiplyAddGo for rows, columns and inner > 0. It holds
// tiles of 4 × 8 elements of C in registers while it goes through inner.
//
//go:noescape
func multiplyAddAVX(c, a, b *float64, strideC, strideA, strideB, rows, columns, inner int)

func multiplyVector(y []float64, a Matrix, x []float64) {
	if !useAVX {
		multiplyVectorGo(y, a, x)
		return
	}
	multiplyVectorAVX(&y[0], &a.Data[0], &x[0], a.Stride, len(y), len(x))
}

// multiplyVectorAVX is multiplyVectorGo for rows and columns > 0.
//
//go:noescape
func multiplyVectorAVX(y, a, x *float64, stride, rows, columns int)
