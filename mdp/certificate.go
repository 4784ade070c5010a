package mdp

import (
	"errors"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
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
	sweeper := sweep.New(model, settings.Workers)
	defer sweeper.Close()
	c, _, err := certify(&task{model: model, settings: settings, sweeper: sweeper},
		answer{values: vector.Vector{High: vector.Scaled(h, rateOf(model))}, gain: math.NaN()})
	return c, err
}

// certify makes one fresh sweep over the values that a method ended with.
func certify(task *task, answer answer) (Certificate, gainBounds, error) {
	b := gainBounds{below: answer.values, above: answer.values}
	var gap bound.Gap
	if explicit, ok := task.model.(Explicit); ok {
		if answer.below.High != nil {
			b.below, b.above = answer.below, answer.above
		}
		var cheapest float64
		gap, cheapest = certifyExplicit(explicit, task.sweeper, answer)
		if cheapest > gap.Lower {
			// No policy costs less than the cheapest step: the bound of h = 0.
			gap.Lower, b.below = cheapest, vector.Vector{}
		}
	} else {
		v := answer.values.High
		gap = backupBounds(task.model, task.sweeper, make([]float64, len(v)), v, v)
	}
	c := Certificate(gap)
	if math.IsNaN(c.Lower) || math.IsNaN(c.Upper) {
		return c, b, limit.ErrNotFinite
	}
	b.lower, b.upper = c.Lower, c.Upper
	return c, b, nil
}

// certifyExplicit sweeps over the values for each bound; cheapest is the least cost
// of a step.
func certifyExplicit(model Explicit, sweeper *sweep.Sweeper, answer answer) (gap bound.Gap, cheapest float64) {
	rows := listed(model)
	if answer.below.High == nil {
		return bound.Explicit(rows, sweeper, answer.values, answer.policy)
	}
	gap, cheapest = bound.Explicit(rows, sweeper, answer.below, answer.policy)
	gap.Upper, gap.Policy = bound.OfPolicy(rows, sweeper, answer.above, answer.policy), slices.Clone(answer.policy)
	return gap, cheapest
}

// listed returns a model with its relative error.
func listed(model Explicit) bound.Lister {
	return bound.Lister{Lister: model, Inexact: relativeError(model)}
}

// backupBounds returns bounds on T x − v by a sweep in float64, see [bound.Backup].
func backupBounds(model Model, sweeper *sweep.Sweeper, dst, x, v []float64) bound.Gap {
	return bound.Backup(model, sweeper, backupTerms(model), relativeError(model), dst, x, v)
}

// backupTerms returns how many terms a backup of the model adds up.
func backupTerms(model Model) int {
	if table, ok := tableOf(model); ok {
		return table.rows.Longest()
	}
	return bound.AssumedTerms
}

// relativeError returns the error that the model admits.
func relativeError(model Model) float64 {
	if inexact, ok := model.(Inexact); ok {
		return inexact.RelativeError()
	}
	return 0
}
