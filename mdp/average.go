package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/howard"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
)

// LongRunAverage is the long-run average cost per step, or per unit of time
// for a [Timed] model: the gain,
//
//	g(s) = limsup (1/n)·E[cost of the first n steps from s],
//
// minimised over all policies (Puterman 1994, chapters 8 and 9), or that of
// rewards, maximised.
//
// Where not every state can be reached from every other, a [Table] is divided,
// and so is any other [Explicit] model if Settings name no method: each maximal end component has one optimal gain, which a method
// finds, and which of them to go to and stay in is a matter of a stochastic
// shortest path without cost on the way. [Result.Bounds] and [Result.Value]
// give the gain of each state.
type LongRunAverage struct {
	// Sense is the direction; zero minimises.
	Sense Sense
}

// String returns "average".
func (LongRunAverage) String() string { return "average" }

func (l LongRunAverage) check(Model) error { return l.Sense.check() }

func (l LongRunAverage) sense() Sense { return l.Sense }

func (LongRunAverage) minimized() Criterion { return LongRunAverage{} }

func (l LongRunAverage) solve(r *run, model Model) (*Result, error) {
	table, ok := tableOf(model)
	if !ok {
		explicit, lists := model.(Explicit)
		if !lists || r.settings.Method != nil {
			return r.solve(model, l, r.settings)
		}
		result, err := r.solve(model, l, r.settings)
		if !errors.Is(err, howard.ErrNotCommunicating) {
			return result, err
		}
		all, err := rowsOf(explicit)
		if err != nil {
			return nil, err
		}
		table = &Table{rows: all, rate: rateOf(model)}
	}
	if count, _ := table.rows.Graph(nil).Components(); count == 1 {
		return r.solve(model, l, r.settings)
	}
	d := &division{average: l, run: r, rows: table.rows, rate: table.rate, inexact: relativeError(model)}
	return d.solve()
}

func (LongRunAverage) choose(ctx context.Context, model Model, workers int) (method Method, why string, err error) {
	explicit, ok := model.(Explicit)
	if !ok {
		return RelativeValueIteration{}, "the model does not list its rows", nil
	}
	plan, err := howard.NewPlan(ctx, explicit, workers, evaluate.Operations)
	switch {
	case ctx.Err() != nil:
		return RelativeValueIteration{}, "it was interrupted before it knew better", nil
	case err != nil:
		return nil, "", err
	}
	if !plan.IsAffordable() {
		return InexactPolicyIteration{}, fmt.Sprintf("exact evaluation would take %s", plan.Forecast()), nil
	}
	return plannedIteration{plan: plan}, fmt.Sprintf("exact evaluation takes %s", plan.Forecast()), nil
}

func (LongRunAverage) discount() float64 { return 1 }

func (LongRunAverage) certify(task *method.Task, answer method.Answer) (*Result, error) {
	c, bounds, err := certify(task, answer)
	if err != nil {
		return nil, err
	}
	gain := c.Lower + (c.Upper-c.Lower)/2
	if !math.IsNaN(answer.Gain) {
		gain = min(max(answer.Gain, c.Lower), c.Upper)
	}
	result := &Result{Policy: c.Policy, Gain: gain, Bias: answer.Values.Relative(task.Rate)}
	result.setBounds(bounds, scale{})
	return result, nil
}
