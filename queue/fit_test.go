package queue_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/queue"
)

// drawn returns a sample of times of a law.
func drawn(t *testing.T, text string, n int, seed uint64) (law, sample queue.Law, times []float64) {
	t.Helper()
	law, err := queue.ParseLaw(text, 2.5, files)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(seed, 1))
	sum := 0.0
	for range n {
		times = append(times, law.Draw(random))
		sum += times[len(times)-1]
	}
	sample, err = queue.NewSample("drawn", times, sum/float64(n))
	require.NoError(t, err)
	return law, sample, times
}

// TestFitFindsTheLaw fits laws to draws of laws of the same kind. The moments of the fit have to be
// those of the law within five standard errors or so, and the distance below what 1 in 10⁶ samples
// of the true law exceeds.
func TestFitFindsTheLaw(t *testing.T) {
	const n = 20_000
	for _, c := range []struct{ text, kind string }{
		{"exponential", "exponential"},
		{"erlang:3", "erlang:3"},
		{"erlang:8", "erlang:8"},
		{"hyperexponential:0.9@1,0.1@11", "hyperexponential:"},
		{"hypererlang:0.5@1@0.2,0.5@6@2", "hypererlang:"},
	} {
		law, sample, _ := drawn(t, c.text, n, 7)
		fit, err := queue.FitPhaseType(sample, 10)
		require.NoError(t, err)
		assert.Contains(t, fit.Law.String(), c.kind)
		assert.InEpsilon(t, sample.Mean(), fit.Law.Mean(), 1e-12, c.text)
		assert.InEpsilon(t, law.Variance(), fit.Law.Variance(), 0.15, c.text)
		assert.InDelta(t, law.Laplace(1), fit.Law.Laplace(1), 0.01, c.text)
		assert.Less(t, fit.Distance, 2.7/math.Sqrt(n), c.text)
		assert.Equal(t, n, fit.Times)
	}
}

// TestFitOfOtherLaws checks that laws that are not of phase type are approached.
func TestFitOfOtherLaws(t *testing.T) {
	for text, most := range map[string]float64{"gamma:2.5": 0.01, "uniform:1,4": 0.08, "gamma:0.4": 0.05, "deterministic": 0.6} {
		_, sample, _ := drawn(t, text, 20_000, 3)
		fit, err := queue.FitPhaseType(sample, 10)
		require.NoError(t, err)
		assert.Less(t, fit.Distance, most, "%s: %v", text, fit.Law)
	}
}

// TestDistanceAndDistribution compares the distribution function with the share of draws of the
// fitted law, and the distance with its definition, time by time.
func TestDistanceAndDistribution(t *testing.T) {
	_, sample, times := drawn(t, "gamma:0.7", 300, 5)
	times = append(times, 0, times[3], times[4]) // ties, and a time of 0
	sample, err := queue.NewSample("drawn", times, sample.Mean())
	require.NoError(t, err)
	fit, err := queue.FitPhaseType(sample, 4)
	require.NoError(t, err)
	sum := 0.0
	for _, time := range times {
		sum += time
	}
	scale := sample.Mean() / (sum / float64(len(times)))
	slices.Sort(times)
	distance := 0.0
	for i, time := range times {
		at := fit.Distribution(time * scale)
		for _, below := range []int{i, i + 1} {
			// An end of a tie is above or below the whole of it.
			if below < len(times) && below > 0 && times[below-1] == times[below] {
				continue
			}
			distance = max(distance, math.Abs(at-float64(below)/float64(len(times))))
		}
	}
	assert.InDelta(t, distance, fit.Distance, 1e-12)

	const draws = 40_000
	random, count := rand.New(rand.NewPCG(1, 9)), 0
	for range draws {
		if fit.Law.Draw(random) <= 1.5 {
			count++
		}
	}
	assert.InDelta(t, float64(count)/draws, fit.Distribution(1.5), 0.0125) // five standard errors
	assert.Zero(t, fit.Distribution(0))
	assert.Zero(t, fit.Distribution(-1))
}

func TestFitRefuses(t *testing.T) {
	deterministic, err := queue.NewDeterministic(1)
	require.NoError(t, err)
	_, err = queue.FitPhaseType(deterministic, 3)
	require.ErrorContains(t, err, "deterministic is not valid: use sample:FILE")
	sample, err := queue.NewSample("times", []float64{1}, 1)
	require.NoError(t, err)
	_, err = queue.FitPhaseType(sample, 0)
	require.ErrorContains(t, err, "0 phases are not valid")
	fit, err := queue.FitPhaseType(sample, 3)
	require.NoError(t, err)
	assert.Equal(t, "erlang:3", fit.Law.String())
}
