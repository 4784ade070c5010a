package queue_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/queue"
)

func drawnLaws(t *testing.T) []queue.Law {
	t.Helper()
	var laws []queue.Law
	for _, text := range []string{
		"exponential", "deterministic", "erlang:1", "erlang:3", "erlang:30", "gamma:0.2", "gamma:1", "gamma:4.5",
		"uniform:1,4", "hyperexponential:0.3@2,0.7@0.1", "hypererlang:0.3@2@2,0.7@5@1/2",
	} {
		law, err := queue.ParseLaw(text, 1.5, nil)
		require.NoError(t, err)
		laws = append(laws, law)
	}
	sample, err := queue.NewSample("five", []float64{1, 2, 2, 0, 7}, 1.5)
	require.NoError(t, err)
	phases, err := queue.NewPhaseType("loop", []float64{0.5, 0, 0.5},
		[][]float64{{-3, 1, 1}, {2, -2, 0}, {0, 5, -9}}, 1.5)
	require.NoError(t, err)
	return append(laws, sample, phases)
}

// Every law that help pages list is among those that are tested.
func TestAllLawsAreTested(t *testing.T) {
	for line := range strings.Lines(queue.LawText()) {
		name, _, _ := strings.Cut(strings.Fields(line)[0], ":")
		isIt := func(text string) bool { return strings.HasPrefix(text, name) }
		assert.True(t, slices.ContainsFunc(lawTexts, isIt), "add %s to lawTexts", name)
		assert.True(t, slices.ContainsFunc(drawnLaws(t), func(law queue.Law) bool { return isIt(law.String()) }), "add %s to drawnLaws", name)
	}
}

// TestDrawsFollowTheLaw compares means of draws and of e^{−x·draw} with mean
// and transform of the law. 5 standard errors are exceeded once in 1.7 million
// comparisons; the seed is fixed.
func TestDrawsFollowTheLaw(t *testing.T) {
	const draws = 200_000
	for _, law := range drawnLaws(t) {
		t.Run(law.String(), func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, 4))
			sum := 0.0
			rates := []float64{0.1, 1, 10}
			transforms := make([]float64, len(rates))
			for range draws {
				time := law.Draw(random)
				require.True(t, time >= 0 && !math.IsInf(time, 1), "%v", time)
				sum += time
				for i, x := range rates {
					transforms[i] += math.Exp(-x * time)
				}
			}
			slack := 1e-9 // for a law that does not vary
			assert.InDelta(t, law.Mean(), sum/draws, slack+5*math.Sqrt(law.Variance()/draws))
			for i, x := range rates {
				want := law.Laplace(x)
				variance := max(0, law.Laplace(2*x)-want*want)
				assert.InDelta(t, want, transforms[i]/draws, slack+5*math.Sqrt(variance/draws), "x=%v", x)
			}
		})
	}
}

func ExampleLaw_draw() {
	law, err := queue.NewErlang(4, 1)
	if err != nil {
		panic(err)
	}
	random, sum := rand.New(rand.NewPCG(1, 2)), 0.0
	for range 1_000_000 {
		sum += law.Draw(random)
	}
	fmt.Printf("mean of a million draws %.2f\n", sum/1e6)
	// Output: mean of a million draws 1.00
}
