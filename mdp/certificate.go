package mdp

import (
	"errors"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// One fresh sweep over values says how good they are.

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
	task := newTask(model, 1, settings)
	defer task.Sweeper.Close()
	c, _, err := certify(task, method.Answer{Values: vector.Of(vector.Scaled(h, task.Rate)), Gain: math.NaN()})
	return c, err
}

// certify makes one fresh sweep over the values that a method ended with. On a model
// that lists its rows it prefers the values that were made for each bound; where time is
// up it makes the sweep in float64.
func certify(task *method.Task, answer method.Answer) (Certificate, gainBounds, error) {
	b := gainBounds{below: answer.Values, above: answer.Values}
	var gap bound.Gap
	if task.Listed.Lister != nil && !task.IsPressed() {
		if answer.Below.High != nil {
			b.below, b.above = answer.Below, answer.Above
		}
		greedy := bound.Explicit(task.Listed, task.Sweeper, b.below, answer.Policy, make([]int32, task.Model.NumStates()))
		gap = greedy.Gap
		if answer.Below.High != nil {
			gap.Upper, gap.Policy = bound.OfPolicy(task.Listed, task.Sweeper, b.above, answer.Policy), slices.Clone(answer.Policy)
		}
		if greedy.Cheapest > gap.Lower {
			// No policy costs less than the cheapest step: the bound of h = 0.
			gap.Lower, b.below = greedy.Cheapest, vector.Vector{}
		}
	} else {
		v := answer.Values.High
		b = gainBounds{below: vector.Of(v), above: vector.Of(v)}
		gap = bound.Backup(task.Model, task.Sweeper, task.Terms, task.Listed.Inexact, make([]float64, len(v)), v, v)
		if table, ok := tableOf(task.Model); ok {
			if cheapest := rounding.LessBy(slices.Min(table.rows.Costs), task.Listed.Inexact); cheapest > gap.Lower {
				gap.Lower, b.below = cheapest, vector.Vector{}
			}
			if dearest := -rounding.LessBy(-slices.Max(table.rows.Costs), task.Listed.Inexact); dearest < gap.Upper {
				gap.Upper, b.above = dearest, vector.Vector{}
			}
		}
	}
	c := Certificate(gap)
	if math.IsNaN(c.Lower) || math.IsNaN(c.Upper) {
		return c, b, limit.ErrNotFinite
	}
	b.lower, b.upper = c.Lower, c.Upper
	return c, b, nil
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
