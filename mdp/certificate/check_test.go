package certificate

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The exact solution is a certificate, by which the exact answer holds: its
// values to the last digit, and its bounds rounded outward.
func TestExactCertificatesHold(t *testing.T) {
	trials(t, 800, func(t *testing.T, random *rand.Rand) {
		x := randomTruth(t, random)
		x.setExact()
		report := x.check(t)
		assert.Equal(t, Holds, report.Verdict(), "%v %v %v %v %v", report.Reason, report.Bounds.Faults, report.Values.Faults, report.Policy.Faults, report.Status.Faults)
		for s, v := range x.values {
			lower, upper := v.float()
			if x.result.Criterion != "finite" {
				assert.Equal(t, Interval{lower, upper}, report.Optimum[s])
			}
		}
	})
}

// A bound that is beyond the optimum by a hair is refuted, and an exact value that
// is off by however little.
func TestHairsAreRefuted(t *testing.T) {
	trials(t, 600, func(t *testing.T, random *rand.Rand) {
		x := randomTruth(t, random)
		wrong := random.IntN(len(x.values))
		v := x.values[wrong]
		if v.Rat == nil {
			return
		}
		lower, upper := v.float()
		switch random.IntN(3) {
		case 0:
			x.result.Lower[wrong] = math.Nextafter(upper, math.Inf(1))
			if lower < upper && random.IntN(2) == 0 {
				x.result.Lower[wrong] = upper
			}
		case 1:
			x.result.Upper[wrong] = math.Nextafter(lower, math.Inf(-1))
		default:
			x.setExact()
			tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 1200))
			x.result.Exact[wrong] = tiny.Add(tiny, v.Rat)
			if nearest, _ := tiny.Float64(); nearest != x.result.Values[wrong] {
				return // Result.Validate says so
			}
		}
		report := x.check(t)
		assert.Equal(t, Refuted, report.Verdict())
		f := report.Bounds
		if x.result.Exact != nil {
			f = report.Values
		}
		require.Len(t, f.Faults, 1)
		assert.Equal(t, wrong, f.Faults[0].State)
		assert.Equal(t, Refuted, f.Faults[0].Verdict)
	})
}
