package mdp

import (
	"fmt"
	"math"
)

// Bounds sweeps once over values h, in units of cost and of length n, and
// returns the bounds on the optimal gain that [Result] describes, with the
// policy that attains T h: the way to certify values that come from elsewhere.
// workers is as in [Settings].
func Bounds(model Model, h []float64, workers int) (lower, upper float64, policy []int32, err error) {
	if h == nil {
		return 0, 0, nil, fmt.Errorf("mdp: Bounds: no values; as many as states are allowed")
	}
	settings, err := Settings{Workers: workers, Values: h}.withDefaults(model.NumStates())
	if err != nil {
		return 0, 0, nil, err
	}
	sweeper := newSweeper(model, settings.Workers)
	defer sweeper.close()
	result := certify(&task{model: model, settings: settings, sweeper: sweeper},
		answer{values: values{high: scaled(h, rateOf(model))}, gain: math.NaN()})
	return result.Lower, result.Upper, result.Policy, nil
}

// scaled returns x·factor.
func scaled(x []float64, factor float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = x[i] * factor
	}
	return y
}
