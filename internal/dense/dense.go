// Package dense multiplies dense matrices, with a fixed order of rounding.
//
// It serves eliminations that may not subtract and whose results may depend on
// neither the processor nor the number of workers. A library of linear algebra
// promises neither: it is free to fuse products with sums and to add in an
// order of its own.
package dense

// Lane is what the number of columns must be a multiple of.
const Lane = 4

// Matrix is a view of a matrix that is stored row by row: row i begins at
// element i·Stride of Data.
type Matrix struct {
	Data   []float64
	Stride int
}

// Row returns the elements of row i from column first up to, and without,
// column last.
func (m Matrix) Row(i, first, last int) []float64 {
	return m.Data[i*m.Stride+first : i*m.Stride+last]
}

// From returns the part of the matrix from row i and column j on.
func (m Matrix) From(i, j int) Matrix {
	return Matrix{m.Data[i*m.Stride+j:], m.Stride}
}

// MultiplyAdd adds to C the product of A and B,
//
//	c_ij ← (…((c_ij + a_i0·b_0j) + a_i1·b_1j) + …) + a_i,k−1·b_k−1,j,
//
// each product and each sum rounded to float64, in this order on every
// processor. C has the given number of rows and columns, A as many rows and
// inner columns, B inner rows. The number of columns must be a multiple of
// [Lane]; a matrix of another width is padded. C must overlap neither A nor B.
//
// It panics where a matrix is too short, or columns is no multiple of Lane.
func MultiplyAdd(c, a, b Matrix, rows, columns, inner int) {
	if columns%Lane != 0 {
		panic("dense: MultiplyAdd needs a number of columns that Lane divides")
	}
	if rows <= 0 || columns <= 0 || inner <= 0 {
		return
	}
	_ = c.Data[(rows-1)*c.Stride+columns-1]
	_ = a.Data[(rows-1)*a.Stride+inner-1]
	_ = b.Data[(inner-1)*b.Stride+columns-1]
	multiplyAdd(c, a, b, rows, columns, inner)
}

// MultiplyVector adds to y the product of A and x,
//
//	y_i ← y_i + ((s_0 + s_1) + (s_2 + s_3)),  s_l = (…(a_i,l·x_l + a_i,l+4·x_l+4) + …),
//
// each product and each sum rounded to float64, in this order on every
// processor. A has as many rows as y has elements, and as many columns as x,
// which must be a multiple of [Lane]. y must not overlap x.
//
// It panics where A is too short, or len(x) no multiple of Lane.
func MultiplyVector(y []float64, a Matrix, x []float64) {
	if len(x)%Lane != 0 {
		panic("dense: MultiplyVector needs a number of columns that Lane divides")
	}
	if len(x) == 0 || len(y) == 0 {
		return
	}
	_ = a.Data[(len(y)-1)*a.Stride+len(x)-1]
	multiplyVector(y, a, x)
}

// multiplyVectorGo is MultiplyVector for arguments that are known to be right.
func multiplyVectorGo(y []float64, a Matrix, x []float64) {
	for i := range y {
		var s [Lane]float64
		row := a.Row(i, 0, len(x))
		for j := 0; j < len(x); j += Lane {
			for l := range s {
				s[l] += float64(row[j+l] * x[j+l])
			}
		}
		y[i] += (s[0] + s[1]) + (s[2] + s[3])
	}
}

// multiplyAddGo is MultiplyAdd for arguments that are known to be right.
func multiplyAddGo(c, a, b Matrix, rows, columns, inner int) {
	for i := range rows {
		row := c.Row(i, 0, columns)
		for k, f := range a.Row(i, 0, inner) {
			for j, x := range b.Row(k, 0, columns) {
				row[j] += float64(f * x)
			}
		}
	}
}
