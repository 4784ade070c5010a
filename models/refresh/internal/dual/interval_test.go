package dual

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// flanks is the objective of refresh.FixedOrder, whose demand Δ/z with
// 1 − (1+z)e^{−z} = λΔ/w is found by Newton's method.
type flanks struct{}

func (flanks) Demand(rates, slopes, changeRates, weights []float64, multiplier float64) {
	for i, delta := range changeRates {
		c := multiplier * delta / weights[i]
		rates[i], slopes[i] = 0, 0
		if c >= 1 {
			continue
		}
		z, v := math.Sqrt(2*c), -math.Log1p(-c) // z − ln(1+z) = v
		z = max(z, v)
		for range 60 {
			z = max(z-(z-math.Log1p(z)-v)*(1+z)/z, z/2)
		}
		rates[i], slopes[i] = delta/z, delta/z*(c*(1+z))/(z*z*(1-c))
	}
}

func (flanks) Measure(values, marginals, changeRates, weights, rates []float64) {
	for i, delta := range changeRates {
		z := delta / rates[i]
		e := math.Exp(-z)
		values[i], marginals[i] = weights[i]*(1-e)/z, weights[i]/delta
		if !math.IsInf(z, 1) {
			marginals[i] *= 1 - (1+z)*e
		} else {
			values[i] = 0
		}
	}
}

// kinks is the objective of refresh.Random.
type kinks struct{}

func (kinks) Demand(rates, slopes, changeRates, weights []float64, multiplier float64) {
	for i, delta := range changeRates {
		reach := math.Sqrt(weights[i] * delta / multiplier)
		rates[i], slopes[i] = 0, 0
		if reach > delta {
			rates[i], slopes[i] = reach-delta, reach/2
		}
	}
}

func (kinks) Measure(values, marginals, changeRates, weights, rates []float64) {
	for i, delta := range changeRates {
		total := delta + rates[i]
		values[i], marginals[i] = weights[i]*rates[i]/total, weights[i]*delta/total/total
	}
}

func randomProblem(n int, objective Objective) *Problem {
	r := rand.New(rand.NewPCG(8, 0))
	p := &Problem{
		Pages:     Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)},
		Objective: objective, Bandwidth: float64(n) / 10, Fastest: math.Inf(1),
	}
	for i := range n {
		p.ChangeRates[i], p.Weights[i] = r.Float64(), r.ExpFloat64()
	}
	return p
}

// On an interval, the steep pages and the cubic have the demand of all pages, in
// which everything below the rounding of a multiplier is nothing.
func TestCurveIsTheDemandOfAll(t *testing.T) {
	const n = 20_000
	r := rand.New(rand.NewPCG(9, 0))
	team := parallel.NewTeam(2)
	defer team.Close()
	for _, objective := range []Objective{flanks{}, kinks{}} {
		p := randomProblem(n, objective)
		best, err := Solve(t.Context(), p, make([]float64, n), 0, team)
		require.NoError(t, err)
		for _, half := range []float64{1e-3, 1e-4, 1e-6} {
			s := newSolver(newSweeper(p, team))
			s.whole = newGridSearch(p.Bandwidth, math.Inf(1), everyFloat)
			c := s.curveOn(best.Multiplier*(1-half), best.Multiplier*(1+half))
			require.NotNil(t, c)
			require.Less(t, c.steep.problem.Len(), n/4)
			for range 30 {
				multiplier := best.Multiplier * (1 + half*(2*r.Float64()-1))
				got := c.at(multiplier)
				want := s.sweeper.demandAt(multiplier)
				require.InDelta(t, want.Sum.Below(s.sweeper.scale, p.Bandwidth), got.Residual, (4e-15+1e-9*half)*p.Bandwidth, "%T, half %v", objective, half)
				require.InEpsilon(t, want.Slope.Float(s.sweeper.scale), got.Slope, 1e-6)
			}
		}
	}
}

// What parts send of steep pages is bounded by their shares, even where all their pages are
// steep, and they send all where those are few.
func TestPartsSendFewSteepPages(t *testing.T) {
	const n = 20_000
	team := parallel.NewTeam(2)
	defer team.Close()
	p := randomProblem(n, flanks{})
	best, err := Solve(t.Context(), p, make([]float64, n), 0, team)
	require.NoError(t, err)
	steep := func(half float64, pages int) Ends {
		return NewPart(p, pages, team).Ends(best.Multiplier*(1-half), best.Multiplier*(1+half))[0]
	}
	all := steep(1e-14, n) // rounding bends every line
	require.Greater(t, len(all.Steep.Weights), n/4)
	require.False(t, all.TooMany)

	const pages = n << 12 // of which each part has a share of 2⁻¹²
	part := steep(1e-14, pages)
	require.True(t, part.TooMany)
	require.Zero(t, part.Steep)
	require.Equal(t, all.Demands, part.Demands)
	few := steep(1e-4, pages)
	require.False(t, few.TooMany)
	require.Equal(t, steep(1e-4, n), few)
	require.NotEmpty(t, few.Steep.Weights)
	require.Less(t, len(few.Steep.Weights), mostSteep>>11)

	few.Merge(&part) // one that has too many is enough
	require.True(t, few.TooMany)
	require.Zero(t, few.Steep)
}

// A search ends on both sides of a root on a flank, next to each other.
func TestSearchOnAFlank(t *testing.T) {
	for _, root := range []float64{1, 0.3, 1e-90} {
		search := NewSearch(1, 100)
		at := 5 * root
		for range 200 {
			residual := 0.5
			if at <= root {
				residual = -0.5 // a jump
			}
			search.Observe(Point{Multiplier: at, Residual: residual, Slope: 0})
			if search.Finished(0x1p-28) {
				break
			}
			at = search.Next()
		}
		e := search.End(0x1p-28)
		require.Equal(t, root, e.Other)
		require.Equal(t, math.Nextafter(root, 1e9), e.At)
		require.Equal(t, 0.5, e.Share)
	}
}
