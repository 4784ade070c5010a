package uncertain

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// oneRow returns rows of one choice in one state of n, with an interval for each state.
func oneRow(random *rand.Rand, n int) *Rows {
	r := &Rows{Rows: rows.New(n, 1, n)}
	p, sum := make([]float64, n), 0.0
	for j := range p {
		p[j] = math.Pow(10, -20*random.Float64()*float64(random.IntN(2)))
		if random.IntN(2) == 0 {
			p[j] = float64(1 + random.IntN(4))
		}
		sum += p[j]
	}
	for j := range p {
		share := float64(random.IntN(5)) / 4
		r.Add(int32(j), p[j]/sum*(1-share))
		r.High = append(r.High, p[j]/sum*(1+share))
		r.Pay = append(r.Pay, float64(random.IntN(3)-1)*random.Float64())
	}
	r.EndChoice(random.NormFloat64())
	r.EndState()
	return r
}

// Vertices are those that fractions give, to within their relative error, and costs bound
// the exact ones.
func TestVertices(t *testing.T) {
	const seed = 5
	random := rand.New(rand.NewPCG(seed, 0))
	rational := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	for trial := range 20000 {
		n := 1 + random.IntN(6)
		r := oneRow(random, n)
		values := make([]float64, n)
		for j := range values {
			values[j] = float64(random.IntN(4)) * []float64{1, 1e8}[random.IntN(2)]
		}
		x := Extreme{Rows: r, Values: vector.Of(values), Sign: float64(2*random.IntN(2) - 1), Up: random.IntN(2) == 0}
		// In fractions: hand out what the lower ends leave, in the order of the keys.
		key := func(j int32) *big.Rat {
			k := new(big.Rat).Add(rational(values[j]), rational(r.Pay[j]))
			return k.Mul(k, rational(x.Sign))
		}
		order, left := make([]int32, n), big.NewRat(1, 1)
		want := make([]*big.Rat, n)
		for j := range order {
			order[j], want[j] = int32(j), rational(r.Probabilities[j])
			left.Sub(left, want[j])
		}
		slices.SortStableFunc(order, func(i, j int32) int { return key(j).Cmp(key(i)) })
		for _, j := range order {
			if width := new(big.Rat).Sub(rational(r.High[j]), want[j]); left.Sign() > 0 && width.Sign() > 0 {
				if width.Cmp(left) > 0 {
					width = left
				}
				want[j] = new(big.Rat).Add(want[j], width)
				left = new(big.Rat).Sub(left, width)
			}
		}
		cost := rational(r.Costs[0])
		got := x.Row(0, 0)
		for j, p := range want {
			nearest, _ := p.Float64()
			require.Equal(t, nearest, got[j], "seed %d, trial %d", seed, trial)
			cost.Add(cost, new(big.Rat).Mul(p, rational(r.Pay[j])))
		}
		_, bound := x.AppendRow(nil, 0, 0)
		side := rational(bound).Cmp(cost)
		require.True(t, side == 0 || (side > 0) == x.Up, "seed %d, trial %d: %v, %v", seed, trial, bound, cost.FloatString(30))
		exact, _ := cost.Float64()
		require.InDelta(t, exact, bound, 1e-15*(1+math.Abs(exact)), "seed %d, trial %d", seed, trial)

		// A backup in float64 comes close.
		least := make([]float64, 1)
		Sweep{Rows: r, Sign: x.Sign}.Backup(least, nil, values, 0, 1)
		sum, _ := cost.Float64()
		for j, p := range got {
			sum += p * values[j]
		}
		require.InDelta(t, sum, least[0], 1e-14*(1+slices.Max(values)), "seed %d, trial %d", seed, trial)
	}
}

// A long row takes another way to sort.
func TestLongRow(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 0))
	r := oneRow(random, 3*insertedItems)
	values := make([]float64, r.NumTransitions())
	for j := range values {
		values[j] = random.Float64()
	}
	for _, sign := range []float64{-1, 1} {
		value := make([]float64, 1)
		Sweep{Rows: r, Sign: sign}.BackupPolicy(value, []int32{0}, values, 0, 1)
		x := Extreme{Rows: r, Values: vector.Of(values), Sign: sign}
		row, sum := x.AppendRow(nil, 0, 0)
		for _, e := range row {
			sum += e.Probability * values[e.State]
		}
		require.InDelta(t, sum, value[0], 1e-14)
	}
}
