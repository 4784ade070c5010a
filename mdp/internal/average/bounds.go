package average

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// How the bounds of an average are proved: for any h
//
//	min_s (T h − h)(s) ≤ optimal gain ≤ max_s (T h − h)(s)
//
// in every state of a communicating model (Odoni 1969; Puterman 1994, Theorem 8.5.5), and
// the policy that attains T h costs no more than the upper bound. So one sweep over the
// final values of a method proves both.

// Bounds enclose the gain of a communicating model.
type Bounds struct {
	Lower, Upper float64
	Policy       []int32       // it costs at most Upper
	Below, Above vector.Vector // the values that prove Lower and Upper, times the rate; none for zeros
}

// Part is the solution of a communicating model.
type Part struct {
	Bounds
	Gain float64   // the estimate, between the bounds
	Bias []float64 // relative values, times the rate, 0 in state 0
}

// Enclose makes a fresh sweep in float64 over the final values of a method. If its bounds are not within the
// tolerance, or the values are in double-double, it sweeps in that if the model lists its rows and there is time,
// over the values that the method made for each bound, if any.
func Enclose(ctx context.Context, task *method.Task, answer method.Answer) (Part, error) {
	var b Bounds
	isPlain := answer.Values.Low == nil && answer.Below.High == nil
	if isLast := task.Listed.Lister == nil || task.IsPressed(ctx); isLast || isPlain {
		b = encloseByBackup(task, answer.Values.High)
		isPlain = isLast || bound.Within(b.Lower, b.Upper, 0, task.Tolerance)
	}
	if !isPlain {
		b = encloseByRows(task, answer)
	}
	if math.IsNaN(b.Lower) || math.IsNaN(b.Upper) {
		return Part{}, limit.ErrNotFinite
	}
	gain := b.Lower + (b.Upper-b.Lower)/2
	if !math.IsNaN(answer.Gain) {
		gain = min(max(answer.Gain, b.Lower), b.Upper)
	}
	return Part{b, gain, answer.Values.Relative(1)}, nil
}

// encloseByRows sweeps in double-double.
func encloseByRows(task *method.Task, answer method.Answer) Bounds {
	below, above := answer.Values, answer.Values
	if answer.Below.High != nil {
		below, above = answer.Below, answer.Above
	}
	greedy := bound.Explicit(task.Listed, task.Sweeper, below, answer.Policy, make([]int32, task.Model.NumStates()))
	b := Bounds{greedy.Lower, greedy.Upper, greedy.Policy, below, above}
	if answer.Below.High != nil {
		b.Upper, b.Policy = bound.OfPolicy(task.Listed, task.Sweeper, above, answer.Policy), slices.Clone(answer.Policy)
	}
	if greedy.Cheapest > b.Lower {
		// No policy costs less than the cheapest step: h = 0 gives this lower bound.
		b.Lower, b.Below = greedy.Cheapest, vector.Vector{}
	}
	return b
}

// encloseByBackup sweeps in float64.
func encloseByBackup(task *method.Task, v []float64) Bounds {
	gap := bound.Backup(task.Model, task.Sweeper, task.Terms, task.Listed.RelativeError, make([]float64, len(v)), v, v)
	return Bounds{gap.Lower, gap.Upper, gap.Policy, vector.Of(v), vector.Of(v)}
}
