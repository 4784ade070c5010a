package estimate

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// exactSum returns Σ gaps in rational numbers.
func exactSum(gaps []float64) *big.Rat {
	sum := new(big.Rat)
	for _, gap := range gaps {
		sum.Add(sum, new(big.Rat).SetFloat64(gap))
	}
	return sum
}

// requireSum fails unless a sum of n gaps is n·2⁻¹⁰⁵ near to the exact one.
func requireSum(t *testing.T, want *big.Rat, got gaps) {
	t.Helper()
	have := new(big.Rat).Add(new(big.Rat).SetFloat64(got.Sum.Hi), new(big.Rat).SetFloat64(got.Sum.Lo))
	difference := have.Sub(have, want)
	allowed := new(big.Rat).Mul(want, new(big.Rat).SetFloat64(float64(got.Count)*0x1p-105))
	require.LessOrEqual(t, difference.Abs(difference).Cmp(allowed), 0, "sum of %d gaps: %v, off by %v", got.Count, got.Sum, difference.FloatString(30))
}

// Plain sums of 3·10⁷ equal gaps are off by 10⁻¹⁰.
func TestHistoryOfManyEqualGaps(t *testing.T) {
	n := int64(30_000_000)
	if testing.Short() {
		n = 1_000_000
	}
	const gap = 0.1
	var h History
	for i := range n {
		if err := h.Add(gap, i%3 == 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, group := range h.groups {
		want := new(big.Rat).Mul(new(big.Rat).SetInt64(group.Count), new(big.Rat).SetFloat64(gap))
		requireSum(t, want, group)
		nearest, _ := want.Float64()
		require.Equal(t, nearest, group.Sum.Float())
	}
	estimate, err := h.Estimate()
	require.NoError(t, err)
	N, X := float64(n), float64(h.Changes())
	require.InEpsilon(t, -math.Log1p(-X/N)/gap, estimate.Rate, 2e-15)
}

// Sums are those of the rational numbers whatever the order, also where the gaps
// are of many orders of magnitude; so the estimate does not depend on the order.
func TestHistorySumsAreExactInAnyOrder(t *testing.T) {
	const seed = 11
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, orders := range []float64{1, 20, 200} {
		changed, unchanged := make([]float64, 32), make([]float64, 3000)
		for _, gaps := range [][]float64{changed, unchanged} {
			for i := range gaps {
				gaps[i] = math.Pow(10, orders*(random.Float64()-0.5))
			}
		}
		want := exactSum(unchanged)
		nearest, _ := want.Float64()
		first, err := historyOf(t, changed, unchanged).Estimate()
		require.NoError(t, err)
		for _, arrange := range []func(gaps []float64){
			slices.Sort[[]float64],
			slices.Reverse[[]float64],
			func(gaps []float64) {
				random.Shuffle(len(gaps), func(i, j int) { gaps[i], gaps[j] = gaps[j], gaps[i] })
			},
		} {
			arrange(changed)
			arrange(unchanged)
			h := historyOf(t, changed, unchanged)
			all := gaps{}
			for _, group := range h.groups {
				if !group.Changed {
					all.Count += group.Count
					all.Sum = all.Sum.Add(group.Sum)
				}
			}
			requireSum(t, want, all)
			require.Equal(t, nearest, h.idle())
			estimate, err := h.Estimate()
			require.NoError(t, err)
			require.Equal(t, first, estimate)
		}
	}
}

// Groups have the exact sum of their gaps.
func TestGroupsHaveTheSumOfTheirGaps(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 0))
	members := map[uint16][]float64{}
	var h History
	for range 5000 {
		gap := math.Pow(10, 6*random.Float64())
		require.NoError(t, h.Add(gap, true))
		length := uint16(math.Float64bits(gap) >> 47)
		members[length] = append(members[length], gap)
	}
	require.Len(t, h.groups, len(members))
	for _, group := range h.groups {
		require.EqualValues(t, len(members[group.Length]), group.Count)
		requireSum(t, exactSum(members[group.Length]), group)
		require.InEpsilon(t, members[group.Length][0], group.mean(), 1./32)
	}
}

// bigRate solves the equation of the likelihood with 300 bits, from a near rate.
func bigRate(changed, unchanged []float64, start float64) *big.Float {
	right := wide(0)
	for _, gap := range unchanged {
		right = plus(right, wide(gap))
	}
	rate := wide(start)
	for range 8 {
		left, slope := wide(0), wide(0)
		for _, gap := range changed {
			e := bigExp(times(rate, wide(gap)))
			value := over(wide(gap), minus(e, wide(1)))
			left = plus(left, value)
			slope = plus(slope, over(times(value, wide(gap)), minus(wide(1), over(wide(1), e))))
		}
		rate = plus(rate, over(minus(left, right), slope))
	}
	return rate
}

// The bound on rounding that History.Estimate states, 4·10⁻¹⁵.
func TestEstimateRounding(t *testing.T) {
	const seed = 13
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	worst := 0.0
	for _, orders := range []float64{0.1, 1, 4} {
		for range 60 {
			changed, unchanged := randomGaps(random, 1, orders), randomGaps(random, 1, orders)
			estimate, err := historyOf(t, changed, unchanged).Estimate()
			require.NoError(t, err)
			want := bigRate(changed, unchanged, estimate.Rate)
			off := math.Abs(near(over(minus(wide(estimate.Rate), want), want)))
			require.LessOrEqual(t, off, 4e-15, "changed %v, unchanged %v", changed, unchanged)
			worst = max(worst, off)
		}
	}
	t.Logf("rates are off by %.2g at most", worst)
}
