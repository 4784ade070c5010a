package sequence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// makers make a sequence of each kind, and with the same arguments the same.
var makers = map[string]func(rates []float64) (Sequence, error){
	"earliest deadline first": func(rates []float64) (Sequence, error) { return NewEarliestDeadlineFirst(rates) },
	"golden ratio": func(rates []float64) (Sequence, error) {
		return NewGoldenRatio(rates, FibonacciAtLeast(int64(20*len(rates))))
	},
	"randomized":  func(rates []float64) (Sequence, error) { return NewRandom(rates, 17) },
	"round robin": func(rates []float64) (Sequence, error) { return NewRoundRobin(rates) },
}

func TestPagesWithoutRateAreNeverAccessed(t *testing.T) {
	for kind, maker := range makers {
		for name, rates := range rateLists() {
			sequence, err := maker(rates)
			require.NoError(t, err)
			for slot := range int64(3000) {
				page := sequence.Next()
				require.NotZero(t, rates[page], "%s, %s", kind, name)
				require.Equal(t, slot+1, sequence.Slot())
			}
		}
	}
}

// Sequences made alike give the same slots, whether these are taken one by one or many at a time.
func TestSequencesMadeAlike(t *testing.T) {
	for kind, maker := range makers {
		for name, rates := range rateLists() {
			one, err := maker(rates)
			require.NoError(t, err)
			other, err := maker(rates)
			require.NoError(t, err)
			want := AppendSlots(nil, one, 3000)
			for _, slots := range []int{0, 1, 2, 10, 255, 256, 1000, 1476} {
				before := int(other.Slot())
				require.Equal(t, want[before:before+slots], AppendSlots([]int{}, other, slots), "%s, %s", kind, name)
			}
			require.Equal(t, one.Slot(), other.Slot())
		}
	}
}

// goldenReference sorts the fractional parts of j/φ, j = from … from+F−1, and
// gives the pages of point number j−from.
func goldenReference(counts []int64, from int) []int {
	var owners []int
	for page, count := range counts {
		for range count {
			owners = append(owners, page)
		}
	}
	order := make([]int, len(owners))
	for i := range order {
		order[i] = from + i
	}
	fraction := func(j int) float64 {
		_, part := math.Modf(float64(j) / math.Phi)
		return part
	}
	slices.SortFunc(order, func(a, b int) int {
		if fraction(a) < fraction(b) {
			return -1
		}
		return 1
	})
	for i, j := range order {
		order[i] = owners[j-from]
	}
	return order
}

// Coffman, Liu and Weber, section 5: f = 2/13, 3/13, 3/13, 5/13 gives
// 4,2,4,1,3,4,2,4,1,3,4,2,3.
func TestGoldenRatioExample(t *testing.T) {
	printed := []int{4, 2, 4, 1, 3, 4, 2, 4, 1, 3, 4, 2, 3}
	for i := range printed {
		printed[i]--
	}
	for _, rates := range [][]float64{{2, 3, 3, 5}, {2. / 13, 3. / 13, 3. / 13, 5. / 13}} {
		g, err := NewGoldenRatio(rates, 13)
		require.NoError(t, err)
		assert.Equal(t, printed, AppendSlots(nil, g, 13))
		assert.Equal(t, printed, AppendSlots(nil, g, 13), "the second cycle")
	}
	counts := []int64{2, 3, 3, 5}
	assert.Equal(t, printed, goldenReference(counts, 1))
	// With j = 0 … F_k−1, as the papers' formula has it, the same but for where it begins.
	fromZero := goldenReference(counts, 0)
	assert.Equal(t, append(slices.Clone(fromZero[5:]), fromZero[:5]...), printed)
}

func TestGoldenRatioAgainstSorting(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 3))
	for cycle := int64(1); cycle < 5000; cycle = FibonacciAtLeast(cycle + 1) {
		for range 5 {
			rates := make([]float64, 1+random.IntN(12))
			for i := range rates {
				rates[i] = random.ExpFloat64()
			}
			g, err := NewGoldenRatio(rates, cycle)
			require.NoError(t, err)
			sum, total := 0., int64(0)
			for _, rate := range rates {
				sum += rate
			}
			counts := make([]int64, len(rates))
			for page, rate := range rates {
				counts[page] = int64(g.ends[page])
				if page > 0 {
					counts[page] -= int64(g.ends[page-1])
				}
				total += counts[page]
				assert.InDelta(t, rate/sum*float64(cycle), float64(counts[page]), 1)
			}
			assert.Equal(t, cycle, total)
			assert.Equal(t, goldenReference(counts, 1), AppendSlots(nil, g, int(cycle)), "cycle %d, counts %v", cycle, counts)
		}
	}
}

func TestGoldenRatioRefusesOtherCycles(t *testing.T) {
	for _, cycle := range []int64{-1, 4, 12, 14, math.MaxInt64} {
		_, err := NewGoldenRatio([]float64{1, 2}, cycle)
		assert.EqualError(t, err, fmt.Sprintf(
			"sequence: a cycle of %d slots is not valid: use a Fibonacci number, 1, 2, 3, 5, 8 … 2880067194370816120", cycle))
	}
	usual, err := NewGoldenRatio([]float64{1, 0, 2}, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 144, usual.cycle) // 96 slots have 32 accesses of the first page
	assert.EqualValues(t, 1, FibonacciAtLeast(math.MinInt64))
	assert.EqualValues(t, 13, FibonacciAtLeast(9))
	assert.EqualValues(t, 13, FibonacciAtLeast(13))
	assert.Equal(t, int64(greatestCycle), FibonacciAtLeast(math.MaxInt64))
	g, err := NewGoldenRatio([]float64{1, 2, 4}, greatestCycle)
	require.NoError(t, err)
	counts := [3]int{}
	for range 7000 {
		counts[g.Next()]++
	}
	assert.EqualValues(t, 7000, g.Slot())
	assert.InDeltaSlice(t, []float64{1000, 2000, 4000}, []float64{float64(counts[0]), float64(counts[1]), float64(counts[2])}, 3)
}

// The columns hold each page exactly n·part times in all.
func TestRandomizedColumnsHoldTheShares(t *testing.T) {
	for name, rates := range rateLists() {
		s, err := newPortions(rates)
		require.NoError(t, err)
		held := make([]uint64, len(rates)) // modulo 2⁶⁴
		for page, c := range s.columns() {
			require.LessOrEqual(t, c.own, s.total)
			held[page] += c.own
			held[c.other] += s.total - c.own
		}
		for page, part := range s.parts {
			assert.Equal(t, part*uint64(len(rates)), held[page], "%s, page %d", name, page)
		}
	}
}

// The chi-squared statistic of 40 pages is 39 ± 8.8: beyond 90 by chance once
// in 10⁵ seeds.
func TestRandomizedFrequencies(t *testing.T) {
	rates := rateLists()["uniform"]
	const slots = 400_000
	sum := 0.
	for _, rate := range rates {
		sum += rate
	}
	r, err := NewRandom(rates, 99)
	require.NoError(t, err)
	counts := make([]float64, len(rates))
	for _, page := range AppendSlots(nil, r, slots) {
		counts[page]++
	}
	chi := 0.
	for page, rate := range rates {
		want := slots * rate / sum
		chi += (counts[page] - want) * (counts[page] - want) / want
	}
	assert.Less(t, chi, 90.)

	other, err := NewRandom(rates, 100)
	require.NoError(t, err)
	same, err := NewRandom(rates, 99)
	require.NoError(t, err)
	first, err := NewRandom(rates, 99)
	require.NoError(t, err)
	word := AppendSlots(nil, first, 100)
	assert.Equal(t, word, AppendSlots(nil, same, 100))
	assert.NotEqual(t, word, AppendSlots(nil, other, 100))
}

func TestRoundRobin(t *testing.T) {
	r, err := NewRoundRobin([]float64{1, 0, 1, 1})
	require.NoError(t, err)
	assert.Equal(t, []int{0, 2, 3, 0, 2, 3}, AppendSlots(AppendSlots(nil, r, 4), r, 2))
}
