//go:build !amd64 || purego

package dense

// The products on other processors: in Go.

func multiplyAdd(c, a, b Matrix, rows, columns, inner int) {
	multiplyAddGo(c, a, b, rows, columns, inner)
}

func multiplyVector(y []float64, a Matrix, x []float64) { multiplyVectorGo(y, a, x) }
