package tradeoff

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// among is the oracle of a list of policies, named by their place.
func among(policies [][]float64) Oracle[int] {
	return func(_ context.Context, weights []float64) (Point[int], float64, error) {
		best, least := -1, math.Inf(1)
		for j, values := range policies {
			if _, sum := weighed(weights, values); sum < least {
				best, least = j, sum
			}
		}
		return Point[int]{best, policies[best]}, least - 1e-13*math.Abs(least) - 1e-13, nil
	}
}

// valueOf returns a value of a mixture.
func valueOf(answer *Answer[int], i int) (value float64) {
	for j, w := range answer.Weights {
		value += w * answer.Points[j].Values[i]
	}
	return value
}

// byVertices solves the program by trying all sets of k+1 policies and slacks.
func byVertices(policies [][]float64, limits []*big.Rat) *big.Rat {
	k := len(limits)
	var columns [][]*big.Rat // coefficients, and the cost
	for i := range k {
		column := zeros(k + 2)
		column[i].SetInt64(1)
		columns = append(columns, column)
	}
	for _, values := range policies {
		column := zeros(k + 2)
		for i, x := range values[1:] {
			column[i].SetFloat64(x)
		}
		column[k].SetInt64(1)
		column[k+1].SetFloat64(values[0])
		columns = append(columns, column)
	}
	right := append(append([]*big.Rat{}, limits...), big.NewRat(1, 1))
	var best *big.Rat
	var choose func(from int, chosen []int)
	choose = func(from int, chosen []int) {
		if len(chosen) < k+1 {
			for c := from; c < len(columns); c++ {
				choose(c+1, append(slices.Clip(chosen), c))
			}
			return
		}
		matrix := make([][]*big.Rat, k+1)
		for r := range matrix {
			for _, c := range chosen {
				matrix[r] = append(matrix[r], new(big.Rat).Set(columns[c][r]))
			}
			matrix[r] = append(matrix[r], new(big.Rat).Set(right[r]))
		}
		x, ok := eliminate(matrix)
		if !ok {
			return
		}
		cost := new(big.Rat)
		for i, c := range chosen {
			if x[i].Sign() < 0 {
				return
			}
			cost.Add(cost, new(big.Rat).Mul(x[i], columns[c][k+1]))
		}
		if best == nil || cost.Cmp(best) < 0 {
			best = cost
		}
	}
	choose(0, nil)
	return best
}

// eliminate solves equations by Gauss and Jordan.
func eliminate(m [][]*big.Rat) ([]*big.Rat, bool) {
	n := len(m)
	for c := range n {
		at := c
		for at < n && m[at][c].Sign() == 0 {
			at++
		}
		if at == n {
			return nil, false
		}
		m[c], m[at] = m[at], m[c]
		for r := range n {
			if r == c || m[r][c].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Quo(m[r][c], m[c][c])
			for i := range m[r] {
				m[r][i].Sub(m[r][i], new(big.Rat).Mul(factor, m[c][i]))
			}
		}
	}
	x := make([]*big.Rat, n)
	for r := range m {
		x[r] = new(big.Rat).Quo(m[r][n], m[r][r])
	}
	return x, true
}

// TestProblemIsTheLinearProgram compares with all vertices of the linear program. Values are
// small whole numbers, so that many policies tie and many programs are degenerate.
func TestProblemIsTheLinearProgram(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	infeasible := 0
	for try := range 1500 {
		k := 1 + random.IntN(3)
		policies := make([][]float64, 1+random.IntN(9))
		for j := range policies {
			for range k + 1 {
				policies[j] = append(policies[j], float64(random.IntN(7)-3))
			}
		}
		limits := make([]*big.Rat, k)
		for i := range limits {
			limits[i] = big.NewRat(int64(random.IntN(9)-4), 2)
		}
		want := byVertices(policies, limits)
		problem := Problem[int]{Limits: limits, Solve: among(policies)}
		answer, err := problem.Run(context.Background())
		if want == nil {
			infeasible++
			fault, ok := errors.AsType[*InfeasibleError](err)
			require.True(t, ok, "try %d: %v", try, err)
			for _, values := range policies {
				_, sum := weighed(fault.Prices, values[1:])
				assert.GreaterOrEqual(t, sum, fault.Least)
			}
			assert.Positive(t, Excess(fault.Least, fault.Prices, limits))
			assert.ErrorContains(t, err, "no policy is within the limits")
			continue
		}
		require.NoError(t, err, "try %d", try)
		least, _ := want.Float64()
		assert.InDelta(t, least, valueOf(answer, 0), 1e-9, "try %d", try)
		assert.InDelta(t, least, answer.Lower, 1e-9, "try %d", try)
		assert.LessOrEqual(t, answer.Lower, least)
		sum := 0.0
		for _, w := range answer.Weights {
			assert.GreaterOrEqual(t, w, 0.0)
			sum += w
		}
		assert.InDelta(t, 1, sum, 1e-15)
		for i, limit := range limits {
			most, _ := limit.Float64()
			assert.LessOrEqual(t, valueOf(answer, i+1), most+1e-10, "try %d", try)
		}
	}
	assert.Greater(t, infeasible, 100)
}

// TestFrontIsTheHull compares with the lower left hull of all pairs.
func TestFrontIsTheHull(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for try := range 500 {
		policies := make([][]float64, 1+random.IntN(12))
		for j := range policies {
			policies[j] = []float64{float64(random.IntN(9) - 4), float64(random.IntN(9) - 4)}
		}
		front := Front[int]{Solve: among(policies)}
		require.NoError(t, front.Run(context.Background(), [2]float64{0, 1}, [2]float64{1, 0}, 0))
		for weight := 0.03125; weight < 1; weight += 0.03125 {
			want, found := math.Inf(1), math.Inf(1)
			for _, values := range policies {
				want = min(want, weight*values[0]+(1-weight)*values[1])
			}
			for _, v := range front.Vertices {
				found = min(found, weight*v.Values[0]+(1-weight)*v.Values[1])
			}
			assert.InDelta(t, want, found, 1e-9, "try %d, weight %v", try, weight)
		}
		for i, v := range front.Vertices {
			assert.Less(t, v.Gap, 1e-9, "try %d", try)
			if i > 0 {
				assert.Less(t, v.Values[0], front.Vertices[i-1].Values[0])
			}
		}
	}
}
