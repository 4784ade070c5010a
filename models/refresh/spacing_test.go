package refresh_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/models/refresh"
)

func ExampleSpacing() {
	// A page that is up to date for 60% of the time. At twice the price its interval is so
	// many times as long; its first access is worth so many times the price.
	s := refresh.SpacingOf(0.6)
	fmt.Printf("%.4f %.4f %.4f\n", s.Interval(1), s.Interval(2), s.Worth())
	// Output: 1.0000 1.8672 3.2198
}

// With z = 10^e the freshness is (1−e^{−z})/z, and an access after z′ gains
// 1 − (1+z′)e^{−z′}: θ times as much as after z.
func TestSpacing(t *testing.T) {
	gain := func(z float64) float64 { // without cancellation for small z
		if z < 1e-3 {
			return z * z * (0.5 - z/3 + z*z/8)
		}
		return 1 - (1+z)*math.Exp(-z)
	}
	for e := -6.0; e < 1.5; e += 0.01 {
		z := math.Pow(10, e)
		s := refresh.SpacingOf(-math.Expm1(-z) / z)
		tolerance := 1e-13 + 1e-15/z // freshness near 1 says little of z
		assert.InEpsilon(t, 1/gain(z), s.Worth(), 1e-9+10*tolerance, "z=%v", z)
		for _, price := range []float64{0.01, 0.5, 1, 1.3, 20, 1e6} {
			longer := s.Interval(price)
			if price*gain(z) >= 1+1e-9 {
				assert.True(t, math.IsInf(longer, 1), "z=%v θ=%v", z, price)
			} else if price*gain(z) < 0.999 {
				assert.InEpsilon(t, price*gain(z), gain(longer*z), 1e-8+100*tolerance, "z=%v θ=%v", z, price)
			}
		}
	}
	for _, unknown := range []float64{0, 1, -1, 2, math.NaN(), math.Inf(1)} {
		s := refresh.SpacingOf(unknown)
		assert.Equal(t, 3.0, s.Interval(9), "%v", unknown)
		assert.Equal(t, math.Inf(1), s.Worth(), "%v", unknown)
	}
}
