package mdp

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// The least of −x − 2y with x + y + z = 1 is at y = 1, from a start at z = 1.
func TestSimplexHasAnEnd(t *testing.T) {
	objective, right, basis := []float64{-1, -2, 0}, []float64{1}, []int{2}
	matrix := mat.NewDense(1, 3, []float64{1, 1, 1})
	x, err := simplex(context.Background(), objective, matrix, right, basis)
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{0, 1, 0}, x, 1e-15)

	ctx, cancel := context.WithCancel(context.Background())
	limited := &limitedMatrix{Matrix: matrix, ctx: ctx, reads: 2}
	assert.Equal(t, 1.0, limited.At(0, 0))
	assert.Equal(t, 1.0, limited.At(0, 1))
	assert.PanicsWithValue(t, stopped{errCircles}, func() { limited.At(0, 2) })
	cancel()
	limited.reads = 1025
	assert.PanicsWithValue(t, stopped{context.Canceled}, func() { limited.At(0, 0) })
	_, err = simplex(ctx, objective, &limitedMatrix{Matrix: matrix, ctx: ctx, reads: 1030}, right, basis)
	require.ErrorIs(t, err, context.Canceled)
}
