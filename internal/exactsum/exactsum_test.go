package exactsum_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/exactsum"
)

func ExampleSum() {
	var sum exactsum.Sum
	sum.AddAll([]float64{1e300, 1, 0x1p-1074, -1e300})
	sum.Add(-1)
	fmt.Println(sum.Float())
	// Output: 5e-324
}

// Numbers of all sizes and signs, in any order, have the sum that math/big finds.
func TestSumIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 300 {
		numbers := make([]float64, r.IntN(2000))
		spread := math.Exp(8 * r.Float64())
		for i := range numbers {
			numbers[i] = math.Ldexp(2*r.Float64()-1, int(min(1000, max(-1074, spread*r.NormFloat64()/3))))
			if r.IntN(5) == 0 {
				numbers[i] = -numbers[r.IntN(i+1)] // something to cancel
			}
		}
		exact := new(big.Float).SetPrec(3000)
		for _, x := range numbers {
			exact.Add(exact, big.NewFloat(x))
		}
		want, _ := exact.Float64()
		cut := r.IntN(len(numbers) + 1)
		var first, second, alone exactsum.Sum
		first.AddAll(numbers[:cut])
		second.AddAll(numbers[cut:])
		second.Merge(&first)
		for _, x := range numbers {
			alone.Add(x)
		}
		require.Equal(t, want, second.Float(), "round %d", round)
		require.Equal(t, want, alone.Float(), "round %d", round)
	}
}

// Carries are passed on before a limb overflows.
func TestManyTerms(t *testing.T) {
	var sum exactsum.Sum
	sum.Add(0x1.fffffffffffffp0)
	want := 0x1.fffffffffffffp0
	for range 45 { // 2⁴⁵ terms
		double := sum
		sum.Merge(&double)
		want *= 2
	}
	assert.Equal(t, want, sum.Float())
	sum = exactsum.Sum{}
	sum.Add(-1)
	for range 40 {
		double := sum
		sum.Merge(&double)
	}
	assert.Equal(t, -0x1p40, sum.Float())
}

func TestSpecial(t *testing.T) {
	var sum exactsum.Sum
	sum.AddAll([]float64{1, math.Inf(1), 2})
	assert.Equal(t, math.Inf(1), sum.Float())
	sum.Add(math.Inf(-1))
	assert.True(t, math.IsNaN(sum.Float()))
}

func BenchmarkAddAll(b *testing.B) {
	numbers := make([]float64, 512)
	for i := range numbers {
		numbers[i] = rand.ExpFloat64()
	}
	for b.Loop() {
		var sum exactsum.Sum
		sum.AddAll(numbers)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/term")
}
