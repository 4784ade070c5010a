package fixedpoint_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/fixedpoint"
)

func ExampleSum() {
	on := fixedpoint.NewScale(1)
	var forth, back fixedpoint.Sum
	forth.AddAll(&on, []float64{0x1p-60, 0.25, 0.5, 0.75})
	back.AddAll(&on, []float64{0.75, 0.5, 0.25, 0x1p-60})
	fmt.Println(forth == back, forth.Float(&on), forth.Below(&on, 1.5))
	// Output: true 1.5 -8.673617379884035e-19
}

// rounded returns the multiple of 2^exponent nearest to x, exactly.
func rounded(x float64, exponent int) *big.Float {
	wide := new(big.Float).SetPrec(2000).SetFloat64(x)
	wide.SetMantExp(wide, -exponent)
	half := big.NewFloat(0.5)
	units, _ := new(big.Float).SetPrec(2000).Add(wide, half).Int(nil)
	return new(big.Float).SetPrec(2000).SetMantExp(new(big.Float).SetPrec(2000).SetInt(units), exponent)
}

// Sums in any order and division are the exact sum of the rounded terms, by math/big.
func TestSumIsThatOfRoundedTerms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		size := math.Exp(100 * r.NormFloat64())
		on := fixedpoint.NewScale(size)
		numbers := make([]float64, 1+r.IntN(3000))
		spread := 1 + 20*r.Float64()
		for i := range numbers {
			numbers[i] = size * math.Exp(-spread*r.ExpFloat64()) * 4
		}
		unit := math.Ilogb(size) + 2 - 43 - 45
		want := new(big.Float).SetPrec(2000)
		for _, x := range numbers {
			want.Add(want, rounded(x, unit))
		}
		exact, _ := want.Float64()
		var whole fixedpoint.Sum
		whole.AddAll(&on, numbers)
		require.InEpsilon(t, exact, whole.Float(&on), 0x1p-51)
		budget := 3 * size
		below, _ := new(big.Float).SetPrec(2000).Sub(new(big.Float).SetPrec(2000).SetFloat64(budget), want).Float64()
		require.InDelta(t, below, whole.Below(&on, budget), math.Abs(below)*0x1p-51)

		var rough fixedpoint.Sum
		rough.AddRough(&on, numbers)
		for range 5 {
			r.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
			cut := r.IntN(len(numbers) + 1)
			var first, second, alone, roughFirst, roughSecond fixedpoint.Sum
			first.AddAll(&on, numbers[:cut])
			second.AddAll(&on, numbers[cut:])
			second.Merge(first)
			require.Equal(t, whole, second, "round %d", round)
			for _, x := range numbers {
				alone.Add(&on, x)
			}
			require.Equal(t, whole, alone, "round %d", round)
			roughFirst.AddRough(&on, numbers[:cut])
			roughSecond.AddRough(&on, numbers[cut:])
			roughSecond.Merge(roughFirst)
			require.Equal(t, rough, roughSecond)
		}
		require.InDelta(t, exact, rough.Float(&on), float64(len(numbers))*size*0x1p-40)
	}
}

func TestAnotherScale(t *testing.T) {
	on, its := fixedpoint.NewScale(1000), fixedpoint.NewScale(0.3)
	var sum, other, want fixedpoint.Sum
	other.AddAll(&its, []float64{0.1, 0.7, 1e-9})
	sum.AddSum(&on, other, &its)
	want.AddAll(&on, []float64{0.1, 0.7, 1e-9})
	assert.InDelta(t, 0, sum.Minus(&on, want), 1e-22)
	sum.AddSum(&on, want, &on)
	assert.InDelta(t, 0, sum.Minus(&on, want)-want.Float(&on), 1e-22)
}

func TestBeyondReach(t *testing.T) {
	on := fixedpoint.NewScale(1)
	for _, numbers := range [][]float64{{math.Inf(1)}, {1, math.NaN()}, {1e300, 1, 1}, {0x1p80, 0x1p80, 1}} {
		var sum, rough fixedpoint.Sum
		sum.AddAll(&on, numbers)
		assert.True(t, math.IsInf(sum.Float(&on), 1), numbers)
		assert.True(t, math.IsInf(sum.Below(&on, 1), -1), numbers)
		sum.Merge(sum)
		assert.True(t, math.IsInf(sum.Float(&on), 1), numbers)
		rough.AddRough(&on, numbers)
		assert.True(t, math.IsInf(rough.Float(&on), 1), numbers)
	}
	far := fixedpoint.Sum{}
	far.AddAll(&on, []float64{0x1p70, 1, 0x1p-60, 0x1p60})
	assert.Equal(t, 0x1p70+0x1p60, far.Float(&on))
	far.Merge(far)
	assert.Equal(t, -0x1p71-0x1p61, far.Below(&on, 1))
	var sum fixedpoint.Sum
	assert.Equal(t, math.Inf(1), sum.Below(&on, math.Inf(1)))
}

func BenchmarkAddAll(b *testing.B) {
	on := fixedpoint.NewScale(1e6)
	numbers := make([]float64, 512)
	for i := range numbers {
		numbers[i] = rand.ExpFloat64()
	}
	for b.Loop() {
		var sum, rough fixedpoint.Sum
		sum.AddAll(&on, numbers)
		rough.AddRough(&on, numbers)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/term")
}
