package mdp

import (
	"errors"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Certificate is what one sweep over values h says of a model, whatever the
// values are and wherever they come from.
type Certificate struct {
	// Lower and Upper enclose the optimal gain of every state:
	//
	//	min_s (T h − h)(s) ≤ optimal gain ≤ max_s (T h − h)(s)
	//
	// (Odoni 1969; Puterman 1994, Theorem 8.5.5). They are widened by what
	// rounding does, and by the error that an [Inexact] model admits: see the
	// package documentation.
	Lower, Upper float64

	// Policy is the index of the action of each state that attains T h. From
	// any state it costs no more than Upper.
	Policy []int32
}

// Certify sweeps once over values h, in units of cost and of length n: the way
// to check an answer that comes from elsewhere. workers is as in [Settings].
func Certify(model Model, h []float64, workers int) (Certificate, error) {
	if h == nil {
		return Certificate{}, errors.New("mdp: Certify needs values, one for each state")
	}
	settings, err := Settings{Workers: workers, Values: h}.withDefaults(model.NumStates())
	if err != nil {
		return Certificate{}, err
	}
	sweeper := newSweeper(model, settings.Workers)
	defer sweeper.close()
	c, _, err := certify(&task{model: model, settings: settings, sweeper: sweeper},
		answer{values: vector.Vector{High: vector.Scaled(h, rateOf(model))}, gain: math.NaN()})
	return c, err
}
