package sequence

import (
	"flag"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var longRun = flag.Bool("refresh.long", false, "run tests at full length: sequences of many pages")

// rateLists are rates of many shapes, small enough for exact references.
func rateLists() map[string][]float64 {
	random := rand.New(rand.NewPCG(5, 1))
	lists := map[string][]float64{
		"one page":        {3},
		"papers' example": {2, 3, 3, 5},
		"equal":           {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
		"tenths":          {0.1, 0.2, 0.3, 0.4},
		"zeros":           {0, 1, 0, 2, 0},
		"one page leads":  {1, 1e-3, 1e-3, 1e-3},
		"powers of two":   {1, 0.5, 0.25, 0.125, 0.125},
		"tiny":            {5e-324, 1e-323, 5e-324},
		"huge":            {math.MaxFloat64, math.MaxFloat64 / 3, math.MaxFloat64},
	}
	uniform := make([]float64, 40)
	wide := make([]float64, 40)
	for i := range uniform {
		uniform[i] = random.Float64()
		wide[i] = math.Pow(10, -12*random.Float64())
	}
	lists["uniform"] = uniform
	lists["twelve orders of magnitude"] = wide
	return lists
}

// literalDeadline is Algorithm 3 of Azar et al. as it is written down, O(n) a
// slot, in exact rationals, with ties going to the lowest index.
func literalDeadline(s portions, slots int) []int {
	one := big.NewRat(1, 1)
	rho := make([]*big.Rat, len(s.parts))
	delta := make([]*big.Rat, len(s.parts))
	for k, part := range s.parts {
		rho[k] = new(big.Rat).SetFrac(new(big.Int).SetUint64(part), new(big.Int).SetUint64(s.total))
		delta[k] = new(big.Rat)
	}
	var omega []int
	for range slots {
		best, bestDeadline := -1, new(big.Int)
		for k := range rho {
			delta[k].Add(delta[k], rho[k])
			if delta[k].Sign() <= 0 {
				continue
			}
			quotient := new(big.Rat).Sub(one, delta[k])
			quotient.Quo(quotient, rho[k])
			deadline := new(big.Int).Add(quotient.Num(), new(big.Int).Sub(quotient.Denom(), big.NewInt(1)))
			deadline.Div(deadline, quotient.Denom()) // ⌈·⌉, Div rounds down for positive denominators
			if best < 0 || deadline.Cmp(bestDeadline) < 0 {
				best, bestDeadline = k, deadline
			}
		}
		delta[best].Sub(delta[best], one)
		omega = append(omega, best)
	}
	return omega
}

func TestDeadlinesFollowTheLiteralAlgorithm(t *testing.T) {
	for name, rates := range rateLists() {
		t.Run(name, func(t *testing.T) {
			e, err := NewEarliestDeadlineFirst(rates)
			require.NoError(t, err)
			s, err := newPortions(rates)
			require.NoError(t, err)
			assert.Equal(t, literalDeadline(s, 700), AppendSlots(nil, e, 700))
		})
	}
}

// discrepancy returns |t·p_k − N_{k,t}| in units of 1/total, exactly; 2⁶⁴−1
// where that is 2⁶⁴ or more.
func discrepancy(e *EarliestDeadlineFirst, page int) uint64 {
	high, low := bits.Mul64(e.slot, e.quotas[page].part)
	madeHigh, madeLow := bits.Mul64(e.quotas[page].count, e.total)
	if high < madeHigh || high == madeHigh && low < madeLow {
		high, low, madeHigh, madeLow = madeHigh, madeLow, high, low
	}
	low, borrow := bits.Sub64(low, madeLow, 0)
	if high, _ = bits.Sub64(high, madeHigh, borrow); high != 0 {
		return math.MaxUint64
	}
	return low
}

// Every page after every slot: |t·p_k − N_{k,t}| < 1.
func TestDeadlineDiscrepancyOfEveryPrefix(t *testing.T) {
	slots := 200_000
	if testing.Short() {
		slots = 20_000
	}
	for name, rates := range rateLists() {
		t.Run(name, func(t *testing.T) {
			e, err := NewEarliestDeadlineFirst(rates)
			require.NoError(t, err)
			counts := make([]uint64, len(rates))
			for range slots {
				page := e.Next()
				require.NotZero(t, rates[page])
				counts[page]++
				for k := range rates {
					if worst := discrepancy(e, k); worst >= e.total {
						t.Fatalf("slot %d, page %d: %d/%d", e.slot, k, worst, e.total)
					}
				}
			}
			for k, q := range e.quotas {
				require.Equal(t, counts[k], q.count)
			}
		})
	}
}

// The same with as many pages as calendars have room for several wheels, looked
// at where it can go wrong: at the page that has just been accessed, and at
// every page from time to time.
func TestDeadlineDiscrepancyOfManyPages(t *testing.T) {
	const n = 30_000
	slots := 300_000
	if *longRun {
		slots = 3_000_000
	}
	random := rand.New(rand.NewPCG(7, 2))
	for name, rate := range map[string]func(i int) float64{
		"equal":   func(int) float64 { return 1 },
		"uniform": func(int) float64 { return random.Float64() },
		"wide":    func(int) float64 { return math.Pow(10, -12*random.Float64()) },
		"two kinds": func(i int) float64 { // half of the slots for pages whose deadlines coincide
			if i%2 == 0 {
				return 1
			}
			return 2 * random.Float64()
		},
		"far and near": func(i int) float64 {
			if i%2 == 0 {
				return 1e-6
			}
			return 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			rates := make([]float64, n)
			for i := range rates {
				rates[i] = rate(i)
			}
			e, err := NewEarliestDeadlineFirst(rates)
			require.NoError(t, err)
			for i := range slots {
				page := e.Next()
				if worst := discrepancy(e, page); worst >= e.total {
					t.Fatalf("slot %d, page %d: %d/%d", e.slot, page, worst, e.total)
				}
				if i%100_003 == 0 {
					for k := range rates {
						if worst := discrepancy(e, k); worst >= e.total {
							t.Fatalf("slot %d, page %d: %d/%d", e.slot, k, worst, e.total)
						}
					}
				}
			}
		})
	}
}

// The guarantee reaches the greatest slots: continue from states far out, whose
// counts are put together by hand.
func TestDeadlinesFarOut(t *testing.T) {
	rates := []float64{0.3, 0.1, 1e-9, 0.25, 0.05, 1e-14}
	for _, slot := range []uint64{1 << 40, 1<<53 + 1, 1<<62 - 100_000} {
		e, err := NewEarliestDeadlineFirst(rates)
		require.NoError(t, err)
		sum := uint64(0)
		for k := range e.quotas {
			q := &e.quotas[k]
			q.count, _ = floorCount(slot, q.part, e.total)
			sum += q.count
		}
		for k := 0; sum < slot; k++ {
			e.quotas[k].count++
			sum++
		}
		e.slot = slot
		e.enter()
		for range 50_000 {
			e.Next()
			for k := range rates {
				require.Less(t, discrepancy(e, k), e.total, "slot %d, page %d", e.slot, k)
			}
		}
	}
}

func TestSharesKeepRatios(t *testing.T) {
	s, err := newPortions([]float64{2, 3, 3, 5})
	require.NoError(t, err)
	assert.Equal(t, s.parts[0]*3, s.parts[1]*2)
	assert.Equal(t, s.parts[1], s.parts[2])
	assert.Equal(t, s.parts[0]*5, s.parts[3]*2)
	for name, rates := range rateLists() {
		s, err := newPortions(rates)
		require.NoError(t, err)
		assert.Greater(t, s.total, uint64(1)<<60, name)
		assert.Less(t, s.total, uint64(1)<<63, name)
		sum := new(big.Float).SetPrec(4000)
		for _, rate := range rates {
			sum.Add(sum, big.NewFloat(rate))
		}
		for i, rate := range rates {
			want := new(big.Float).SetPrec(4000).Quo(big.NewFloat(rate), sum)
			got := new(big.Float).SetPrec(4000).Quo(new(big.Float).SetUint64(s.parts[i]), new(big.Float).SetUint64(s.total))
			off, _ := got.Sub(got, want).Float64()
			assert.LessOrEqual(t, math.Abs(off), math.Pow(2, -60), "%s, page %d", name, i)
		}
	}
}

func TestRatesThatMakeNoSequence(t *testing.T) {
	for _, test := range []struct {
		rates []float64
		want  string
	}{
		{nil, "sequence: a list of 0 rates is not valid: use 1 to 2147483647"},
		{[]float64{0, 0}, "sequence: all rates are 0: at least one must be above 0"},
		{[]float64{1, -1}, "sequence: rates[1]: -1 is not valid: use a finite number of 0 or more"},
		{[]float64{math.NaN()}, "sequence: rates[0]: NaN is not valid: use a finite number of 0 or more"},
		{[]float64{math.Inf(1)}, "sequence: rates[0]: +Inf is not valid: use a finite number of 0 or more"},
	} {
		_, err := NewEarliestDeadlineFirst(test.rates)
		assert.EqualError(t, err, test.want)
	}
}
