package certificate

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The numbers of vectors, as two float64 and as fractions.
func TestVector(t *testing.T) {
	third := big.NewRat(1, 3)
	for _, test := range []struct {
		vector    Vector
		n         int
		state     int32
		high, low float64
		want      string
	}{
		{Vector{}, 8, 7, 0, 0, "0"},
		{Vector{High: []float64{2}}, 8, 7, 2, 0, "2"},
		{Vector{High: []float64{2, 1}, Low: []float64{0, 0x1p-60}}, 2, 1, 1, 0x1p-60, "1152921504606846977/1152921504606846976"},
		{Vector{High: []float64{2, math.Inf(-1)}}, 2, 1, math.Inf(-1), 0, "<nil>"},
		{Vector{High: []float64{0}, Exact: []*big.Rat{third}}, 4, 3, 1.0 / 3, 1.850371707708594e-17, "1/3"},
		{Vector{High: []float64{math.Inf(1)}, Exact: []*big.Rat{nil}}, 4, 3, math.Inf(1), 0, "<nil>"},
	} {
		x := fromVector(&test.vector, test.n, nil).at(test.state)
		assert.Equal(t, pair{Hi: test.high, Lo: test.low}, x.pair)
		if x.isInfinite() {
			assert.Equal(t, test.want, "<nil>")
		} else {
			assert.Equal(t, test.want, x.rational().RatString())
		}
	}
}
