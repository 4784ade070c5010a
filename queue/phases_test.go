package queue_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/queue"
)

// TestPhaseTypeOf checks that the phases have the moments, the transform and the arrival
// counts of the law, which has other formulas for them.
func TestPhaseTypeOf(t *testing.T) {
	for _, text := range []string{
		"exponential", "erlang:1", "erlang:2", "erlang:7", "erlang:40", "hyperexponential:1@1",
		"hyperexponential:0.3@2,0.7@0.1", "hypererlang:0.3@2@2,0.7@5@0.5", "hyperexponential:1@1,5@100,2@0.001",
	} {
		t.Run(text, func(t *testing.T) {
			law, err := queue.ParseLaw(text, 2.5, nil)
			require.NoError(t, err)
			phases, err := queue.PhaseTypeOf(law)
			require.NoError(t, err)
			assert.Equal(t, "ph:"+text, phases.String())
			assert.Equal(t, law.Mean(), phases.Mean())
			assert.InEpsilon(t, law.Variance(), phases.Variance(), 1e-13)
			for _, x := range []float64{1e-9, 0.01, 0.4, 3, 100} {
				assert.InEpsilon(t, law.Laplace(x), phases.Laplace(x), 1e-12)
				assert.InEpsilon(t, law.LaplaceComplement(x), phases.LaplaceComplement(x), 1e-12)
			}
			want, got := law.Arrivals(0.7, 20), phases.Arrivals(0.7, 20)
			for k := range want.Exactly {
				assert.InEpsilon(t, want.Exactly[k], got.Exactly[k], 1e-11)
				assert.InEpsilon(t, want.Excess[k], got.Excess[k], 1e-11)
			}
		})
	}
}

func TestPhaseTypeOfItself(t *testing.T) {
	law, err := queue.NewPhaseType("coxian", []float64{0.25, 0.75}, [][]float64{{-2, 1}, {0, -4}}, 2)
	require.NoError(t, err)
	same, err := queue.PhaseTypeOf(law)
	require.NoError(t, err)
	assert.Same(t, law, same)
	// The mean of the rates as given is 0.25·(1/2 + 1/2·1/4) + 0.75·1/4 = 0.34375.
	factor := 0.34375 / 2
	assert.Equal(t, []float64{0.25, 0.75}, law.Start())
	assert.InEpsilonSlice(t, []float64{factor, 4 * factor}, law.ExitRates(), 1e-15)
	generator := law.Generator()
	assert.InEpsilon(t, -2*factor, generator[0][0], 1e-15)
	assert.InEpsilon(t, factor, generator[0][1], 1e-15)
	assert.Zero(t, generator[1][0])
	assert.InEpsilon(t, -4*factor, generator[1][1], 1e-15)
	generator[0][0], law.Start()[0], law.ExitRates()[0] = 7, 7, 7
	assert.Equal(t, []float64{0.25, 0.75}, law.Start(), "a copy")
}

func TestPhaseTypeOfOthers(t *testing.T) {
	for _, text := range []string{"deterministic", "gamma:2", "erlang:1025"} {
		law, err := queue.ParseLaw(text, 1, nil)
		require.NoError(t, err)
		_, err = queue.PhaseTypeOf(law)
		assert.ErrorContains(t, err, text+" is not valid: use a ")
	}
}

func ExamplePhaseTypeOf() {
	erlang, err := queue.NewErlang(2, 0.5)
	if err != nil {
		panic(err)
	}
	phases, err := queue.PhaseTypeOf(erlang)
	if err != nil {
		panic(err)
	}
	fmt.Println(phases.Start(), phases.Generator(), phases.ExitRates())
	// Output: [1 0] [[-4 4] [0 -4]] [0 4]
}
