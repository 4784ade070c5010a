package controller

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// observed returns evidence of events at a rate, each with the factor of its place.
func observed(seed uint64, memory, count int, factor func(i int) float64) *evidence {
	random := rand.New(rand.NewPCG(seed, 2))
	e := &evidence{guess: 1, memory: memory}
	for i := range count {
		e.expose(random.ExpFloat64() / factor(i))
		e.observe()
	}
	return e
}

func constant(int) float64 { return 1 }

// TestEvidenceKeepsAllEvents compares groups with plain sums.
func TestEvidenceKeepsAllEvents(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	e := &evidence{guess: 3, memory: math.MaxInt}
	exposure := 0.0
	for i := range 5000 {
		x := random.ExpFloat64()
		exposure += x
		e.expose(x)
		e.observe()
		count, kept := e.total()
		require.Equal(t, i+1, count)
		require.InEpsilon(t, exposure, kept, 1e-12)
		for j, g := range e.groups {
			require.True(t, j == 0 || g.count <= e.groups[j-1].count, "the oldest are in the largest groups")
		}
		require.LessOrEqual(t, len(e.groups), (groupsOfSize+1)*(1+int(math.Log2(float64(i+1)))))
	}
	e.expose(1)
	assert.InEpsilon(t, 5001/(exposure+1+1./3), e.mean(), 1e-12)
}

// TestEvidenceMemory counts what is kept.
func TestEvidenceMemory(t *testing.T) {
	count, _ := observed(1, 1000, 20_000, constant).total()
	assert.GreaterOrEqual(t, count, 1000)
	assert.LessOrEqual(t, count, 1125)
}

// TestEvidenceInterval counts how often the interval of 95 % holds a constant rate.
func TestEvidenceInterval(t *testing.T) {
	for _, count := range []int{1, 10, 100, 1000} {
		held := 0
		const seeds = 1000
		for seed := range uint64(seeds) {
			if r := observed(seed, math.MaxInt, count, constant).rate(0.95); r.Lower <= 1 && 1 <= r.Upper {
				held++
			}
		}
		// 950 are expected with a standard deviation of 7; the first guess is right, which helps.
		assert.Greater(t, held, 922, "after %d events", count)
	}
}

// TestEvidenceFindsChanges counts changes found, and events until then.
func TestEvidenceFindsChanges(t *testing.T) {
	const before, after = 2000, 300
	for _, factor := range []float64{2, 0.5, 10, 0.1} {
		for seed := range uint64(100) {
			e := observed(seed, math.MaxInt, before+after, func(i int) float64 {
				if i < before {
					return 1
				}
				return factor
			})
			require.Equal(t, 1, e.changes, "factor %v, seed %d", factor, seed)
			r := e.rate(0.999999)
			require.True(t, r.Lower <= factor && factor <= r.Upper, "factor %v, seed %d: %+v", factor, seed, r)
			require.LessOrEqual(t, r.Observations, after+200, "little is left of what was before")
		}
	}
	changes := 0
	for seed := range uint64(20) {
		changes += observed(seed, DefaultMemory, 20_000, constant).changes
	}
	assert.LessOrEqual(t, changes, 1, "false changes in 400,000 events")
}

// TestEvidenceCut compares the place of a change with that of all cuts of events that were
// never put together.
func TestEvidenceCut(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 5))
		var e evidence
		sum, place := 0.0, 20+random.IntN(20)
		for i := range 60 {
			g := group{1, random.ExpFloat64()}
			if i < place {
				g.exposure *= 20
			}
			e.groups = append(e.groups, g)
			sum += g.exposure
		}
		best, at := math.Inf(-1), 0
		for cut := 1; cut < 60; cut++ {
			x := 0.0
			for _, g := range e.groups[:cut] {
				x += g.exposure
			}
			// The logarithms of the likelihoods of two rates, in full.
			n1, n2 := float64(cut), float64(60-cut)
			a, b := n1/x, n2/(sum-x)
			if two := n1*math.Log(a) - a*x + n2*math.Log(b) - b*(sum-x); two > best {
				best, at = two, cut
			}
		}
		one := 60*math.Log(60/sum) - 60
		want := 0
		if best-one > changeThreshold {
			want = at
		}
		require.Equal(t, want, e.change(60, sum), "seed %d", seed)
	}
}
