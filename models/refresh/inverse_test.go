package refresh

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// solveByHalving returns the z at which an increasing function reaches c.
func solveByHalving(f func(z float64) float64, c float64) float64 {
	low, high := 0.0, 100.0
	for range 200 {
		if middle := (low + high) / 2; f(middle) < c {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// exactFreshness returns the z with g(z) = c, given c and 1 − c.
func exactFreshness(c, rest *big.Float) *big.Float {
	if near(c) < 1e-12 {
		return bigInverse(bigFreshness, c, math.Sqrt(2*near(c)))
	}
	v := -math.Log1p(-near(c))
	if near(c) > 0.5 {
		v = -math.Log(near(rest))
	}
	start := solveByHalving(func(z float64) float64 {
		if z < 0.1 { // z − ln(1+z)
			return z * z * (0.5 - z*(1.0/3-z*(0.25-z*(0.2-z/6))))
		}
		return z - math.Log1p(z)
	}, v)
	return bigInverse(bigFreshness, c, start)
}

func exactAge(c *big.Float) *big.Float {
	start := solveByHalving(func(z float64) float64 {
		if z < 0.3 {
			return z * z * z * (1.0/3 - z/8 + z*z/30 - z*z*z/144)
		}
		return z*z/2 - 1 + (1+z)*math.Exp(-z)
	}, near(c))
	return bigInverse(bigAge, c, start)
}

func TestInverseTables(t *testing.T) {
	nodes := make([]float64, 13)
	for i := range nodes {
		nodes[i] = math.Cos(math.Pi * (float64(i) + 0.5) / 13)
	}
	one, two, three := wide(1), wide(2), wide(3)
	for _, table := range []struct {
		name        string
		rows        [][13]float64
		from, width float64
		f           func(u *big.Float) *big.Float
	}{
		{"freshnessBelow", freshnessBelow[:], 0, 0.125, func(s *big.Float) *big.Float {
			c := over(times(s, s), two)
			return over(exactFreshness(c, minus(one, c)), s)
		}},
		{"freshnessAbove", freshnessAbove[:], 1, 0.5, func(p *big.Float) *big.Float {
			rest := bigExp(over(times(p, p), wide(-2)))
			return exactFreshness(minus(one, rest), rest)
		}},
		{"ageTable", ageTable[:], 0, 0.5, func(u *big.Float) *big.Float {
			return over(exactAge(over(times(u, times(u, u)), three)), u)
		}},
	} {
		for piece, got := range table.rows {
			center := table.from + table.width*(float64(piece)+0.5)
			want := interpolate(table.f, center, table.width/2, nodes)
			for k := range want {
				// Relative to what the coefficient does to the result.
				scale := math.Pow(table.width/2, float64(k))
				assert.InDelta(t, want[k]*scale, got[k]*scale, 1e-17*want[0], "%s[%d][%d]", table.name, piece, k)
			}
		}
	}
}

// The bounds that inverse.go states, on arguments of all magnitudes.
func TestInversesAgainstBigFloats(t *testing.T) {
	const ulp = 0x1p-52
	below := []float64{1e-300, 1e-200, 1e-20, 1e-8, 0.499999, math.Nextafter(0.5, 0)}
	above := []float64{0.5, 0.50001, 1 - 0x1p-53, 1 - 1e-15, 1 - 1e-8}
	ages := []float64{1e-300, 1e-20, 1e-6, 0.3, 800, 914.5, 915, 1e4, 1e20}
	for k := range 150 {
		x := (float64(k) + 0.37) / 150
		below = append(below, 0.5*x, 0.5*math.Exp(-20*x))
		above = append(above, 0.5+0.5*x, 1-math.Exp(-0.7-35*x))
		ages = append(ages, math.Exp(7.5*x), math.Exp(-30*x))
	}
	relative := func(got float64, want *big.Float) float64 {
		return math.Abs(near(over(minus(wide(got), want), want)))
	}
	worst := [3]float64{}
	for i, set := range [][]float64{below, above} {
		for _, c := range set {
			exact := root(times(wide(2), wide(c))) // times 1 + √(2c)/3
			if c > 1e-40 {
				exact = exactFreshness(wide(c), minus(wide(1), wide(c)))
			}
			worst[i] = max(worst[i], relative(inverseFreshness(c), exact))
		}
	}
	for _, c := range ages {
		exact := wide(math.Cbrt(3 * c))
		switch {
		case c > 1e3:
			exact = root(times(wide(2), plus(wide(c), wide(1))))
		case c > 1e-30:
			exact = exactAge(wide(c))
		}
		worst[2] = max(worst[2], relative(inverseAge(c), exact))
	}
	t.Logf("greatest errors in units of 2⁻⁵²: %.2f, %.2f, %.2f", worst[0]/ulp, worst[1]/ulp, worst[2]/ulp)
	assert.LessOrEqual(t, worst[0], 2*ulp)
	assert.LessOrEqual(t, worst[1], 3*ulp)
	assert.LessOrEqual(t, worst[2], 3*ulp)

	assert.Zero(t, inverseFreshness(0))
	assert.True(t, math.IsInf(inverseFreshness(1), 1))
	assert.True(t, math.IsInf(inverseFreshness(math.NaN()), 1))
	assert.Zero(t, inverseAge(0))
	assert.True(t, math.IsInf(inverseAge(math.Inf(1)), 1))
}

// The functions of z against 300 bits: a few units in the last place for every
// z, tiny ones above all.
func TestDecayAgainstBigFloats(t *testing.T) {
	for k := range 400 {
		z := math.Exp(-25 + 0.07*float64(k)) // 1e-11 to 18
		for _, z := range []float64{z, math.Min(1, z), math.Nextafter(1, 0)} {
			Z := wide(z)
			e := bigExp(wide(0).Neg(Z))
			mean := over(minus(wide(1), e), Z)
			lack := minus(wide(1), mean)
			g, _ := bigFreshness(Z)
			marginal, _ := bigAge(Z)
			d := newDecay(z)
			for name, pair := range map[string]struct {
				got  float64
				want *big.Float
			}{
				"g": {d.g, g}, "mean": {d.mean(), mean}, "lack": {d.lack(), lack},
				"age": {d.age(), over(minus(over(Z, wide(2)), lack), Z)}, "ageMarginal": {d.ageMarginal(), over(marginal, times(Z, Z))},
			} {
				require.InEpsilon(t, near(pair.want), pair.got, 2e-15, "%s(%v)", name, z)
			}
		}
	}
	assert.Equal(t, 1.0, newDecay(0).mean())
	assert.Zero(t, newDecay(0).age())
	never := newDecay(math.Inf(1))
	assert.Zero(t, never.mean())
	assert.Equal(t, 1.0, never.lack())
	assert.Equal(t, 0.5, never.age())
	assert.Equal(t, 0.5, never.ageMarginal())
}
