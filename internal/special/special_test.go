package special_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/internal/special"
)

func ExampleExpExcess() {
	fmt.Printf("%.3g\n", special.ExpExcess(1e-9)) // math.Exp(-y) - 1 + y has no right digit
	// Output: 5e-19
}

// The series Σ_k (−y)^{k+2}/(k+2)! in 300 bits, for y up to 40.
func TestExpExcess(t *testing.T) {
	wide := func(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }
	for y := 1e-150; y < 40; y *= 1.37 {
		term, sum := wide(-y), wide(0)
		for k := 2.0; k < 300; k++ {
			term.Mul(term, wide(-y)).Quo(term, wide(k))
			sum.Add(sum, term)
		}
		want, _ := sum.Float64()
		assert.InDelta(t, want, special.ExpExcess(y), 5e-16*want, "y = %v", y)
	}
	assert.Zero(t, special.ExpExcess(0))
	assert.Equal(t, math.Inf(1), special.ExpExcess(math.Inf(1)))
	assert.True(t, math.IsNaN(special.ExpExcess(-1)))
	assert.True(t, math.IsNaN(special.ExpExcess(math.NaN())))
}
