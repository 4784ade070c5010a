package refresh

import (
	"testing"

	"github.com/mdpsolve/mdpsolve/queue"
	"github.com/stretchr/testify/assert"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// accessLaws are laws of access times with the given mean.
func accessLaws(mean float64) []queue.Law {
	return []queue.Law{
		must(queue.NewDeterministic(mean)),
		must(queue.NewExponential(mean)),
		must(queue.NewErlang(3, mean)),
		must(queue.NewGamma(0.4, mean)),
		must(queue.NewUniform(0, 2*mean)),
		must(queue.NewUniform(0.5*mean, 1.5*mean)),
		must(queue.NewHyperexponential([]float64{9, 1}, []float64{1, 10}, mean)),
		must(queue.NewSample("times", []float64{1, 1, 2, 8}, mean)),
		must(queue.NewPhaseType("loop", []float64{1, 0}, [][]float64{{-3, 2}, {1, -2}}, mean)),
	}
}

func objectives(mean float64) []Objective {
	all := []Objective{FixedOrder{}, Random{}, Decaying{}, Discrete{}, Age{}, Harmonic{}, Signals{}}
	for _, law := range accessLaws(mean) {
		all = append(all, NewCoffman(law), NewCoffmanRandomized(law))
	}
	return all
}

func measureOne(objective Objective, changeRate, weight, rate float64) (value, marginal float64) {
	var values, marginals [1]float64
	objective.Measure(values[:], marginals[:], Pages{ChangeRates: []float64{changeRate}, Weights: []float64{weight}}, []float64{rate})
	return values[0], marginals[0]
}

// Ages far below the smallest squares: w/Δ·z²/6 with z = Δ/x.
func TestAgesOfRapidAccesses(t *testing.T) {
	value, marginal := measureOne(Age{}, 1e-100, 1e96, 1e67)
	assert.InEpsilon(t, 1e-138/6, value, 1e-14)
	assert.InEpsilon(t, 1e-205/3, marginal, 1e-14)
}
