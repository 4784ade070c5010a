package mdp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// For usual rows, usualExcess agrees with the sums in double-double of sumOf; other rows it leaves to sumOf.
func TestUsualExcess(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 7))
	usual := 0
	for range 100_000 {
		p := make([]float64, 1+random.IntN(12))
		total := 0.0
		for i := range p {
			if p[i] = random.ExpFloat64(); random.IntN(5) == 0 {
				p[i] *= math.Ldexp(1, -random.IntN(1000))
			}
			total += p[i]
		}
		for i := range p {
			p[i] /= total
		}
		switch random.IntN(20) {
		case 0:
			p[0] = []float64{0, -p[0], math.NaN(), math.Inf(1), 3, 1 << 62, 5e-324}[random.IntN(7)]
		case 1:
			p[0] *= 1 + 1e-10
		}
		want, divisor, err := sumOf(p)
		got, isUsual := usualExcess(p)
		if isUsual {
			usual++
			require.NoError(t, err, "%v", p)
			require.Zero(t, divisor-1, "%v", p)
			require.LessOrEqual(t, math.Abs(got-want), want*0x1p-50+0x1p-100, "%v", p) // for which Rounded has room
		} else {
			require.True(t, err != nil || divisor != 1 || slices.Contains(p, 0), "%v", p)
		}
	}
	assert.Greater(t, usual, 80_000)
}
